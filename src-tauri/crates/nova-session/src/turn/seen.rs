//! What the model has read: which of it is out of date, and which of it must stay on this machine.

use std::collections::{BTreeMap, BTreeSet};

use nova_protocol::{ErrorCode, UserError};
use nova_provider::Locality;
use nova_registry::harmless_line;
use nova_skill::VaultPath;
use nova_vault::{Held, Privacy};

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
                Some(summary) => format!("- {} ({})", harmless_line(path.as_str()), harmless_line(summary)),
                None => format!("- {}", harmless_line(path.as_str())),
            })
            .collect();
        self.message(LogMessage::Notice {
            told: Told::default(),
            ended: None,
            outdated: outdated.keys().cloned().collect(),
            text: format!(
                "Changed since you read them; what you know of them is out of date, so read them again \
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

    /// The notes and files as they are now; None where one is gone.
    pub(super) async fn read_notes(&self, paths: Vec<VaultPath>) -> Vec<(VaultPath, Option<Held>)> {
        let Some(vault) = self.scope.vault.clone().filter(|_| !paths.is_empty()) else { return Vec::new() };
        tokio::task::spawn_blocking(move || vault.held(paths)).await.unwrap_or_default()
    }

    /// Notes that are not what the model read, whether or not anybody watched them.
    pub(super) async fn find_outdated(&self) {
        let seen = self.session.lock().seen.clone();
        self.look_again(&seen).await;
    }

    /// As [`Turn::find_outdated`], for notes that the model is about to see.
    pub(super) async fn look_again(&self, notes: &Notes) {
        let now = self.read_notes(notes.keys().cloned().collect()).await;
        self.note_outdated(notes, &now);
    }

    fn note_outdated(&self, notes: &Notes, now: &[(VaultPath, Option<Held>)]) {
        let mut state = self.session.lock();
        for (path, held) in now {
            let Some(hash) = notes.get(path) else { continue };
            match held {
                Some(held) if held.hash == *hash => {
                    state.held.insert(path.clone(), (*hash, held.document.clone()));
                }
                _ => {
                    state.outdated.entry(path.clone()).or_default();
                }
            }
        }
    }

    /// The model is about to see what was made of these notes, and of further ones that are only named:
    /// whether they may be seen here only, and which of them changed while the call went on, which
    /// nobody was told before the session knew of them.
    pub(super) async fn see_output(&self, notes: &Notes, drawn_from: &[VaultPath]) -> bool {
        self.see(notes);
        let paths = paths(notes, drawn_from);
        let now = self.read_notes(paths.into_iter().collect()).await;
        self.note_outdated(notes, &now);
        self.scope.locality == Locality::Local
            && (now.len() < notes.len() || self.holds_private(&now, &|path| notes.contains_key(path)))
    }

    /// The model sees these notes as they were then.
    pub(super) fn see(&self, notes: &Notes) {
        self.session.lock().seen.extend(notes.clone());
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
        let (all, ends) = {
            let state = self.session.lock();
            if state.messages.iter().any(LogMessage::is_private) {
                return true;
            }
            let (mut all, mut ends) = (BTreeSet::new(), BTreeSet::new());
            for message in &state.messages {
                let read = message.notes().into_iter().flat_map(Notes::keys).cloned();
                match message {
                    LogMessage::ToolOutput { .. } => all.extend(read),
                    // Of the end of a call that ran on nobody noted what its notes were.
                    _ => ends.extend(read),
                }
                all.extend(message.drawn_from().into_iter().flatten().cloned());
            }
            (all, ends)
        };
        // Also where the vault they are of is not open.
        let elsewhere = self.elsewhere();
        if all.iter().chain(&ends).any(|path| elsewhere.lists(path)) {
            return true;
        }
        let mut now = self.read_notes(all.iter().cloned().collect()).await;
        now.extend(self.read_notes(ends.iter().cloned().collect()).await);
        now.len() < ends.len() || self.holds_private(&now, &|path| ends.contains(path))
    }

    /// Whether one of these notes may be seen here only, as they are now; of one that is gone, whether it
    /// `may_have_been` such a one.
    fn holds_private(
        &self,
        now: &[(VaultPath, Option<Held>)],
        may_have_been: &dyn Fn(&VaultPath) -> bool,
    ) -> bool {
        let elsewhere = self.elsewhere();
        now.iter().any(|(path, held)| match held {
            Some(held) => elsewhere.hides(path, &held.document),
            None => elsewhere.lists(path) || may_have_been(path),
        })
    }

    /// What a model elsewhere may not see.
    fn elsewhere(&self) -> Privacy {
        Privacy { remote: true, private: self.scope.private.clone() }
    }

    pub(super) fn privacy(&self) -> Privacy {
        Privacy { remote: self.scope.locality != Locality::Local, private: self.scope.private.clone() }
    }
}

/// Notes that were read, and those that are named beside them.
pub(super) fn paths(notes: &Notes, named: &[VaultPath]) -> BTreeSet<VaultPath> {
    notes.keys().chain(named).cloned().collect()
}

fn stays_here() -> Stop {
    UserError::new(
        ErrorCode::Private,
        "This chat has read private notes, and the model is not on this machine.",
        "Go on with a model on this machine, or start a new chat.",
    )
    .into()
}
