//! Caches the pages of a turn, so that the rest of a long one needs no second request.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use nova_skill::RequestInfo;

use super::page::Page;

/// The most pages that are kept, of all turns.
const PAGES: usize = 64;
/// The most bytes of them together.
const BYTES: usize = 64 * 1024 * 1024;

#[derive(Default)]
pub(super) struct Kept(Mutex<VecDeque<Entry>>);

struct Entry {
    session: String,
    turn: String,
    /// The address that was asked for.
    asked: String,
    page: Arc<Page>,
}

impl Kept {
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
