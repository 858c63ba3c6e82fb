//! The notes that the model has read: which are outdated, and which must stay on this machine.

use std::collections::{BTreeMap, BTreeSet};

use nova_protocol::{ErrorCode, UserError};
use nova_provider::Locality;
use nova_registry::harmless_line;
use nova_skill::VaultPath;
use nova_vault::{Held, Privacy, Vault};

use super::{Stop, Turn};
use crate::activation::SkillKnowledge;
use crate::message::{LateEnd, LogMessage, Notes};

impl Turn {
    /// Reports notes that changed since the model saw them. The summaries contain text written after the turn
    /// was allowed to leave this machine, so privacy is checked again: if a note has become private, the turn
    /// ends before another request.
    pub(super) async fn report_outdated(&self) -> Result<(), Stop> {
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
            told: SkillKnowledge::default(),
            ended: None,
            outdated: outdated.keys().cloned().collect(),
            text: format!(
                "Changed since you read them; what you know of them is out of date, so read them again \
                 before you answer:\n{}",
                lines.join("\n")
            ),
        });
        if hidden.is_empty() { Ok(()) } else { Err(private_notes_read()) }
    }

    /// Which of these notes are now hidden from this turn's model.
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
                    // For a deleted note, only its path can be checked.
                    Some(note) => note.as_ref().is_some_and(|note| privacy.hides(path, &note.document)),
                    None => true,
                }
        };
        paths.into_iter().filter(is_hidden).collect()
    }

    /// Reads the notes and files; `None` for one that is gone.
    pub(super) async fn read_notes(&self, paths: Vec<VaultPath>) -> Vec<(VaultPath, Option<Held>)> {
        held(self.scope.access.vault.clone(), paths).await
    }

    /// Finds notes that changed since the model read them, even if they were not watched.
    pub(super) async fn find_outdated(&self) {
        let seen = self.session.lock().seen.clone();
        self.recheck(&seen).await;
    }

    /// As [`Turn::find_outdated`], for notes that the model is about to see.
    pub(super) async fn recheck(&self, notes: &Notes) {
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

    /// Records that the model is about to see output derived from these notes, and from others that are only
    /// named. Detects changes during the call, which the watch could not report yet. Returns whether the
    /// output must stay on this machine.
    pub(super) async fn see_output(&self, notes: &Notes, drawn_from: &[VaultPath]) -> bool {
        self.see(notes);
        let paths = paths(notes, drawn_from);
        let now = self.read_notes(paths.into_iter().collect()).await;
        self.note_outdated(notes, &now);
        self.scope.locality == Locality::Local
            && (now.len() < notes.len()
                || holds_private(&now, &self.elsewhere(), &|path| notes.contains_key(path)))
    }

    /// Records that the model has seen these versions of the notes.
    pub(super) fn see(&self, notes: &Notes) {
        self.session.lock().seen.extend(notes.clone());
    }

    /// Prevents private content read by a local model from being sent when the chat continues with a remote
    /// one.
    pub(super) async fn check_private(&self) -> Result<(), Stop> {
        if self.has_read_private().await {
            return Err(private_notes_read());
        }
        Ok(())
    }

    /// Whether the model has seen notes that are hidden from remote models, in the version it read or in the
    /// current one.
    pub(super) async fn has_read_private(&self) -> bool {
        let read = NotesRead::by(&self.session.lock().messages);
        read.are_private(self.scope.access.vault.clone(), &self.elsewhere()).await
    }

    /// The privacy rules for a remote model.
    fn elsewhere(&self) -> Privacy {
        Privacy { remote: true, private: self.scope.private.clone() }
    }

    pub(super) fn privacy(&self) -> Privacy {
        Privacy { remote: self.scope.locality != Locality::Local, private: self.scope.private.clone() }
    }
}

/// The notes that messages of a session are drawn from.
#[derive(Default)]
pub(crate) struct NotesRead {
    /// One of them is known to have been private.
    private: bool,
    all: BTreeSet<VaultPath>,
    /// Notes of late ends, whose privacy was not recorded.
    ends: BTreeSet<VaultPath>,
}

impl NotesRead {
    pub(crate) fn by<'a>(messages: impl IntoIterator<Item = &'a LogMessage>) -> Self {
        let mut read = Self::default();
        messages.into_iter().for_each(|message| read.add(message));
        read
    }

    fn add(&mut self, message: &LogMessage) {
        self.private |= message.is_private();
        let notes = message.notes().into_iter().flat_map(Notes::keys).cloned();
        match message {
            LogMessage::ToolOutput { .. } => self.all.extend(notes),
            _ => self.ends.extend(notes),
        }
        self.all.extend(message.drawn_from().into_iter().flatten().cloned());
    }

    /// Adds an end that no request has reported yet.
    pub(crate) fn add_unreported(&mut self, end: &LateEnd) {
        self.private |= end.local_only;
        self.ends.extend(end.notes.keys().cloned());
        self.all.extend(end.drawn_from.iter().flatten().cloned());
    }

    /// Whether they are hidden from remote models, in the version that was read or in the current one.
    pub(crate) async fn are_private(self, vault: Option<Vault>, elsewhere: &Privacy) -> bool {
        let Self { private, all, ends } = self;
        // The list of private paths also applies if their vault is not open.
        if private || all.iter().chain(&ends).any(|path| elsewhere.lists(path)) {
            return true;
        }
        let mut now = held(vault.clone(), all.into_iter().collect()).await;
        now.extend(held(vault, ends.iter().cloned().collect()).await);
        now.len() < ends.len() || holds_private(&now, elsewhere, &|path| ends.contains(path))
    }
}

/// Reads the notes and files; `None` for one that is gone.
async fn held(vault: Option<Vault>, paths: Vec<VaultPath>) -> Vec<(VaultPath, Option<Held>)> {
    let Some(vault) = vault.filter(|_| !paths.is_empty()) else { return Vec::new() };
    tokio::task::spawn_blocking(move || vault.held(paths)).await.unwrap_or_default()
}

/// Whether one of these notes is private now; for a deleted one, whether it `may_have_been`.
fn holds_private(
    now: &[(VaultPath, Option<Held>)],
    elsewhere: &Privacy,
    may_have_been: &dyn Fn(&VaultPath) -> bool,
) -> bool {
    now.iter().any(|(path, held)| match held {
        Some(held) => elsewhere.hides(path, &held.document),
        None => elsewhere.lists(path) || may_have_been(path),
    })
}

/// The paths of notes that were read, and of those that are only named.
pub(super) fn paths(notes: &Notes, named: &[VaultPath]) -> BTreeSet<VaultPath> {
    notes.keys().chain(named).cloned().collect()
}

fn private_notes_read() -> Stop {
    UserError::new(
        ErrorCode::Private,
        "This chat has read private notes, and the model is not local.",
        "Continue with a model on this machine, or start a new chat.",
    )
    .into()
}
