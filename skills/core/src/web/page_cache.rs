//! Caches the pages of a turn, so that further parts of a long one need no second request.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use nova_skill::RequestInfo;

use super::page::Page;

/// Maximum number of cached pages, over all turns.
const PAGES: usize = 64;
/// Their maximum size in bytes, together.
const BYTES: usize = 64 * 1024 * 1024;

#[derive(Default)]
pub(super) struct PageCache(Mutex<VecDeque<Entry>>);

struct Entry {
    session: String,
    turn: String,
    /// The requested address.
    asked: String,
    page: Arc<Page>,
}

impl PageCache {
    /// The cached page of this address.
    pub(super) fn get(&self, request: &RequestInfo, url: &str) -> Option<Arc<Page>> {
        let turn = request.turn.as_deref()?;
        let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut own = pages.iter().filter(|entry| entry.session == request.session && entry.turn == turn);
        own.find(|entry| entry.asked == url || entry.page.url == url).map(|entry| entry.page.clone())
    }

    /// Caches a page until another turn of the session reads one, or the cache is full.
    pub(super) fn put(&self, request: &RequestInfo, asked: &str, page: &Arc<Page>) {
        let Some(turn) = &request.turn else { return };
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|entry| entry.session != request.session || entry.turn == *turn);
        pages.push_back(Entry {
            session: request.session.clone(),
            turn: turn.clone(),
            asked: asked.to_owned(),
            page: page.clone(),
        });
        while pages.len() > PAGES || pages.iter().map(|entry| entry.page.size()).sum::<usize>() > BYTES {
            if pages.pop_front().is_none() {
                break;
            }
        }
    }
}
