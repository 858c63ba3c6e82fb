//! What the model has read: which of it is out of date, and which of it must stay on this machine.

use std::collections::{BTreeMap, BTreeSet};

use nova_protocol::{ErrorCode, UserError};
use nova_provider::Locality;
use nova_skill::VaultPath;
use nova_vault::{Note, Privacy};

use super::{Stop, Turn};
use crate::activation::Told;
use crate::message::{LogMessage, Notes};

impl Turn {
    /// Tells the notes that changed since the model saw them. What changed in them was written after
    /// the turn was allowed to leave this machine: it is asked again, and where one of them may not be
    /// seen elsewhere any more, the turn ends before another request is made.
    pub(super) async fn tell_outdated(&self) -> Result<(), Stop> {
        let mut outdated = {
            let mut state = self.session.lock();
            let outdated = std::mem::take(&mut state.outdated);
            for path in outdated.keys() {
                state.seen.remove(path);
            }
            outdated
        };
        if outdated.is_empty() {
            return Ok(());
        }
        let hidden = self.hidden_now(outdated.keys().cloned().collect()).await;
        for path in &hidden {
            outdated.insert(path.clone(), None);
        }
        let lines: Vec<String> = outdated
            .iter()
            .map(|(path, summary)| match summary {
                Some(summary) => format!("- {path} ({summary})"),
                None => format!("- {path}"),
            })
            .collect();
        self.message(LogMessage::Notice {
            told: Told::default(),
            ended: None,
            outdated: outdated.keys().cloned().collect(),
            text: format!(
                "Changed outside of Nova since you read them; what you know of them is out of date, so read them again \
                 before you answer:\n{}",
                lines.join("\n")
            ),
        });
        if hidden.is_empty() { Ok(()) } else { Err(stays_here()) }
    }

    /// Which of these notes the model of this turn may not see as they are now.
    async fn hidden_now(&self, paths: BTreeSet<VaultPath>) -> BTreeSet<VaultPath> {
        let privacy = self.privacy();
        if !privacy.remote {
            return BTreeSet::new();
        }
        let read: BTreeMap<_, _> =
            self.read_notes(paths.iter().cloned().collect()).await.into_iter().collect();
        let is_hidden = |path: &VaultPath| {
            privacy.lists(path)
                || match read.get(path) {
                    // Of what is gone nothing more can be told than that.
                    Some(note) => note.as_ref().is_some_and(|note| privacy.hides(path, &note.document)),
                    None => true,
                }
        };
        paths.into_iter().filter(is_hidden).collect()
    }

    /// The notes as they are now; None where one is gone.
    pub(super) async fn read_notes(&self, paths: Vec<VaultPath>) -> Vec<(VaultPath, Option<Note>)> {
        let Some(vault) = self.scope.vault.clone().filter(|_| !paths.is_empty()) else { return Vec::new() };
        let reading = tokio::task::spawn_blocking(move || {
            let read = |path: VaultPath| (path.clone(), vault.read(&path).ok());
            paths.into_iter().map(read).collect()
        });
        reading.await.unwrap_or_default()
    }

    /// Notes that are not what the model read, whether or not anybody watched.
    pub(super) async fn find_outdated(&self) {
        let seen = self.session.lock().seen.clone();
        let now = self.read_notes(seen.keys().cloned().collect()).await;
        let mut state = self.session.lock();
        for (path, note) in now {
            if note.map(|note| note.hash) != seen.get(&path).copied() {
                state.outdated.entry(path).or_default();
            }
        }
    }

    /// What a model on this machine was allowed to read stays here when the chat goes on with
    /// another one.
    pub(super) async fn check_private(&self) -> Result<(), Stop> {
        if self.has_read_private().await {
            return Err(stays_here());
        }
        Ok(())
    }

    /// Whether the model has seen notes that no model elsewhere may see: as they were when it read them,
    /// and as they are now.
    pub(super) async fn has_read_private(&self) -> bool {
        let (outputs, ends) = {
            let state = self.session.lock();
            if state.messages.iter().any(LogMessage::is_private) {
                return true;
            }
            let read = |of_calls: bool| -> BTreeSet<VaultPath> {
                let notes = state
                    .messages
                    .iter()
                    .filter(|message| matches!(message, LogMessage::ToolOutput { .. }) == of_calls)
                    .filter_map(LogMessage::notes);
                notes.flat_map(|notes| notes.keys().cloned()).collect()
            };
            (read(true), read(false))
        };
        // Of the end of a call that ran on nobody noted what its notes were.
        self.are_private(outputs, false).await || self.are_private(ends, true).await
    }

    /// Whether notes that were just read may be seen here only. A model elsewhere is shown none that are.
    pub(super) async fn holds_private(&self, notes: &Notes) -> bool {
        self.scope.locality == Locality::Local
            && self.are_private(notes.keys().cloned().collect(), true).await
    }

    async fn are_private(&self, paths: BTreeSet<VaultPath>, where_gone: bool) -> bool {
        let elsewhere = Privacy { remote: true, private: self.scope.private.clone() };
        if paths.iter().any(|path| elsewhere.lists(path)) {
            return true;
        }
        let asked = paths.len();
        let notes = self.read_notes(paths.into_iter().collect()).await;
        let is_private = |(path, note): (VaultPath, Option<Note>)| {
            note.map_or(where_gone, |note| elsewhere.hides(&path, &note.document))
        };
        (where_gone && notes.len() < asked) || notes.into_iter().any(is_private)
    }

    pub(super) fn privacy(&self) -> Privacy {
        Privacy { remote: self.scope.locality != Locality::Local, private: self.scope.private.clone() }
    }
}

fn stays_here() -> Stop {
    UserError::new(
        ErrorCode::Private,
        "This chat has read private notes, and the model is not on this machine.",
        "Go on with a model on this machine, or start a new chat.",
    )
    .into()
}
