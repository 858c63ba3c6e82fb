//! The principal of a tool call outside of a chat: the user, or an MCP client.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nova_calls::{Outcome, SeenNote, SeenNotes};
use nova_skill::{Principal, VaultPath};
use nova_vault::note::ContentHash;
use nova_vault::{Privacy, Vault};

/// Number of notes for which the version seen by a client is remembered.
const NOTES: usize = 10_000;

/// Who a tool runs for, with what they may see and have seen.
pub(crate) struct Caller {
    pub(crate) principal: Principal,
    /// Author of writes.
    pub(crate) author: String,
    pub(crate) privacy: Privacy,
    /// `None` for the user, who sees the current notes.
    pub(crate) seen: Option<Arc<SeenByClient>>,
}

impl Caller {
    pub(crate) fn owner() -> Self {
        Self { principal: Principal::owner(), author: "user".into(), privacy: Privacy::default(), seen: None }
    }

    pub(crate) fn asker(&self) -> Arc<dyn SeenNotes> {
        match &self.seen {
            Some(seen) => seen.clone(),
            None => Arc::new(()),
        }
    }

    /// Records the versions of notes that a call's outcome shows to the caller.
    pub(crate) async fn sees(&self, vault: Option<Vault>, outcome: &Outcome) {
        let Some(seen) = &self.seen else { return };
        let paths = outcome.changes.iter().flat_map(|change| [Some(&change.path), change.from.as_ref()]);
        let written: Vec<_> = paths.flatten().filter_map(|path| VaultPath::parse(path).ok()).collect();
        let now = match vault.filter(|_| !written.is_empty()) {
            Some(vault) => tokio::task::spawn_blocking(move || vault.held(written)).await.unwrap_or_default(),
            None => Vec::new(),
        };
        let mut notes = seen.notes();
        notes.extend(outcome.seen.clone());
        for (path, held) in now {
            match held.filter(|held| !self.privacy.hides(&path, &held.document)) {
                Some(held) => notes.insert(path, held.hash),
                None => notes.remove(&path),
            };
        }
        while notes.len() > NOTES {
            notes.pop_first();
        }
    }
}

/// Versions of notes that a client was shown, so that a property changed meanwhile is not overwritten.
#[derive(Default)]
pub(crate) struct SeenByClient(Mutex<BTreeMap<VaultPath, ContentHash>>);

impl SeenByClient {
    fn notes(&self) -> MutexGuard<'_, BTreeMap<VaultPath, ContentHash>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SeenNotes for SeenByClient {
    fn seen(&self, path: &VaultPath) -> Option<SeenNote> {
        self.notes().get(path).map(|hash| SeenNote { hash: *hash, document: None })
    }
}
