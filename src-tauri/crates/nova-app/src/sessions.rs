//! Sessions: trash, search, export and purging.

use std::collections::HashSet;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use nova_protocol::{
    ChooseBranch, Envelope, ErrorCode, Event, ExportSession, ExportedSession, FoundSession, FoundText,
    Nothing, SearchSessions, SessionRow, SetSession, TextPart, UserError,
};
use nova_session::{After, Found, SessionError};
use nova_vault::note::file_name;
use nova_vault::{Author, ChangeSetKind, Vault, VaultPath};

use crate::app::App;
use crate::blocking::blocking;
use crate::config::without_secrets;

/// How long a deleted session can be restored.
const IN_TRASH: jiff::SignedDuration = jiff::SignedDuration::from_hours(30 * 24);
/// Polling interval for the log of a turn in another Nova process.
const POLL_EVERY: Duration = Duration::from_millis(300);
/// Default number of search results.
const FOUND: u32 = 20;
/// Maximum length of a file name, in characters, safe on all systems.
const NAME_LENGTH: usize = 80;

impl App {
    pub(crate) async fn set_session(&self, set: SetSession) -> Result<SessionRow, UserError> {
        let store = &self.inner.store;
        let mut info = store.info(&set.session).await;
        if let (Ok(_), Some(pinned)) = (&info, set.pinned) {
            info = store.pin(&set.session, pinned).await;
        }
        if let (Ok(_), Some(archived)) = (&info, set.archived) {
            info = store.archive(&set.session, archived).await;
        }
        let info = info?;
        self.emit(Event::SessionChanged { id: set.session.clone() });
        Ok(self.session_row(info))
    }

    pub(crate) async fn move_to_trash(&self, session: &str) -> Result<(), UserError> {
        let at = self.inner.options.clock.now().to_string();
        self.inner.store.delete(session, &at).await?;
        for child in self.inner.store.children(session).await? {
            self.chats().remove(&child);
        }
        self.chats().remove(session);
        self.emit(Event::SessionChanged { id: session.to_owned() });
        Ok(())
    }

    /// Purges sessions that have been in the trash for long.
    pub(crate) async fn purge_old_sessions(&self) {
        let until = self.inner.options.clock.now() - IN_TRASH;
        if let Err(error) = self.purge_trash(Some(&until.to_string())).await {
            tracing::warn!(error = error.message, "cannot purge deleted sessions");
        }
    }

    /// Purges sessions deleted up to then, together with their drafts; returns their number.
    pub(crate) async fn purge_trash(&self, until: Option<&str>) -> Result<usize, UserError> {
        let purged = self.inner.store.purge(until).await?;
        let kept_in_log = !purged.log_emptied;
        // Errors are collected, because the purged sessions are returned only once.
        purged.sessions.iter().for_each(|session| self.remove_scratch(session));
        let forgotten: Vec<_> = purged.sessions.iter().map(|session| self.forget_draft(session)).collect();
        forgotten.into_iter().collect::<Result<(), _>>()?;
        if kept_in_log {
            return Err(SessionError::LogKept.into());
        }
        Ok(purged.listed)
    }

    /// Like [`Self::purge_trash`], for one session.
    pub(crate) async fn purge_session(&self, session: &str) -> Result<(), UserError> {
        let under = self.inner.store.children(session).await?;
        let purged = self.inner.store.purge_one(session).await;
        if matches!(purged, Ok(()) | Err(SessionError::LogKept)) {
            for session in under.iter().map(String::as_str).chain([session]) {
                self.remove_scratch(session);
                self.forget_draft(session)?;
            }
        }
        Ok(purged?)
    }

    pub(crate) async fn search_sessions(
        &self,
        search: SearchSessions,
    ) -> Result<Vec<FoundSession>, UserError> {
        let limit = usize::try_from(search.limit.unwrap_or(FOUND)).unwrap_or(usize::MAX);
        let found = self.inner.store.search(&search.query, limit).await;
        let found = found?;
        Ok(found.into_iter().map(|found| self.found_view(found)).collect())
    }

    /// Exports a session as Markdown, marked private if the chat read private notes. Apparent keys are
    /// removed.
    ///
    /// # Errors
    /// When there is no such session or its log cannot be read.
    pub async fn session_as_markdown(&self, session: &str, all: bool) -> Result<String, UserError> {
        let chat = self.chats().get(session).cloned();
        if let Some(chat) = chat {
            chat.session.flush().await?;
        }
        let store = &self.inner.store;
        let read =
            async { Ok::<_, SessionError>((store.info(session).await?, store.events(session).await?)) };
        let (info, events) = read.await?;
        let document = nova_session::export(&info, &events, all);
        let private = nova_session::has_read_private(store, session, all, self.vault().ok(), self.private());
        let document = match private.await? {
            true => nova_session::marked_private(&document),
            false => document,
        };
        Ok(without_secrets(&document))
    }

    /// Shows the save dialog, and exports the session to the chosen file.
    pub(crate) async fn export_session(&self, export: ExportSession) -> Result<ExportedSession, UserError> {
        let text = self.session_as_markdown(&export.session, export.all == Some(true)).await?;
        let info = self.inner.store.info(&export.session).await?;
        let title: String = file_name(&info.title).chars().take(NAME_LENGTH).collect();
        let name = if title.trim().is_empty() { "Chat".to_owned() } else { title.trim().to_owned() };
        let Some(path) = self.inner.options.desktop.pick_file(&format!("{name}.md")).await else {
            return Ok(ExportedSession { saved: None });
        };
        let saved = self.places().shown(&path);
        // The dialog has confirmed overwriting.
        self.write_export(&path, text, true).await?;
        Ok(ExportedSession { saved: Some(saved) })
    }

    /// Writes a document to a path; in the vault this is a regular change of a note. `replace` allows
    /// overwriting an existing file.
    ///
    /// # Errors
    /// When it cannot be written, or a file or a note with that name exists.
    pub async fn write_export(&self, path: &Path, text: String, replace: bool) -> Result<(), UserError> {
        let (vault, path) = (self.vault().ok(), path.to_owned());
        blocking(move || {
            // A link may lead into the vault.
            let path = path.canonicalize().unwrap_or(path);
            if let Some((vault, note)) =
                vault.and_then(|vault| Some((vault.clone(), in_vault(&vault, &path)?)))
            {
                let mut draft = vault.draft();
                let set = vault.change_set(ChangeSetKind::Cli, "Exported chat".into());
                let written = draft.create(&note, text).and_then(|()| set.apply(draft, &Author::new("user")));
                return Ok(written.and_then(|_| set.close())?);
            }
            let mut options = std::fs::File::options();
            options.write(true).create(true).truncate(true);
            // An existing pipe or terminal may be written to.
            options.create_new(!replace && (path.is_file() || !path.exists()));
            let written = nova_files::private(&mut options).open(&path).and_then(|mut file| {
                nova_files::make_private(&file)?;
                file.write_all(text.as_bytes())
            });
            written.map_err(|error| {
                if error.kind() == ErrorKind::AlreadyExists {
                    return UserError::new(
                        ErrorCode::Io,
                        format!("{} already exists and was not changed.", path.display()),
                        "Choose another file, or replace it with --force.",
                    );
                }
                UserError::new(
                    ErrorCode::Io,
                    format!("{} cannot be written: {error}.", path.display()),
                    "Choose another place.",
                )
            })
        })
        .await
    }

    /// The message after which a new one is inserted, if the user names a turn.
    pub(crate) async fn said_after(
        &self,
        session: &str,
        after: Option<Option<String>>,
    ) -> Result<After, UserError> {
        let turn = match after {
            None => return Ok(After::Last),
            Some(None) => return Ok(After::Nothing),
            Some(Some(turn)) => turn,
        };
        match self.inner.store.has_turn(session, &turn).await {
            Ok(true) => Ok(After::Turn(turn)),
            Ok(false) => Err(SessionError::UnknownTurn(turn).into()),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) async fn choose_branch(&self, choose: ChooseBranch) -> Result<Nothing, UserError> {
        let chat = self.open_chat(&choose.session).await?;
        let (store, clock) = (&self.inner.store, self.inner.options.clock.clone());
        chat.session.choose_branch(&choose.turn, store, clock, self.inner.clone()).await?;
        Ok(Nothing {})
    }

    /// Forwards events of a turn in another Nova process from the session's log, starting at this number,
    /// until the turn ends.
    pub(crate) fn follow_elsewhere(&self, session: &str, from: i64) {
        if !self.followed().insert(session.to_owned()) {
            return;
        }
        let (app, session) = (self.clone(), session.to_owned());
        tokio::spawn(async move {
            let mut next = from;
            loop {
                // Checked before reading, so that the events before the turn's end are not missed.
                let goes_on = app.inner.store.is_running(&session) && !app.runs_here(&session);
                let Ok(events) = app.inner.store.events_since(&session, next).await else { break };
                next = events.last().map_or(next, |(last, _)| last + 1);
                let unpack =
                    move || Ok(events.into_iter().flat_map(|(_, e)| in_live_order(e)).collect::<Vec<_>>());
                for envelope in blocking(unpack).await.unwrap_or_default() {
                    nova_session::EventSink::emit(app.inner.as_ref(), envelope);
                }
                if !goes_on {
                    break;
                }
                tokio::time::sleep(POLL_EVERY).await;
            }
            app.followed().remove(&session);
            app.emit(Event::SessionChanged { id: session });
        });
    }

    fn followed(&self) -> MutexGuard<'_, HashSet<String>> {
        self.inner.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn found_view(&self, found: Found) -> FoundSession {
        let parts = |parts: Vec<nova_session::TextPart>| {
            parts.into_iter().map(|part| TextPart { text: part.text, hit: part.hit }).collect()
        };
        FoundSession {
            row: self.session_row(found.session),
            title: found.title.map(parts),
            said: found
                .hits
                .into_iter()
                .map(|hit| FoundText { turn: hit.turn, by: hit.by, at: hit.at, snippet: parts(hit.snippet) })
                .collect(),
        }
    }
}

/// Restores the live order of a stored event: a message after its blocks, which have the sequence numbers
/// before it.
fn in_live_order(envelope: Envelope) -> Vec<Envelope> {
    let mut events = with_blocks([envelope]);
    for (before, event) in events.iter_mut().rev().enumerate() {
        event.seq = event.seq.saturating_sub(before as u64);
    }
    events
}

/// The vault path of a file in the vault.
fn in_vault(vault: &Vault, path: &Path) -> Option<VaultPath> {
    let folder = path.parent()?.canonicalize().ok()?;
    let inside = folder.strip_prefix(vault.root().canonicalize().ok()?).ok()?.join(path.file_name()?);
    VaultPath::parse(&inside.to_string_lossy().replace('\\', "/")).ok()
}

/// Renders the blocks of messages again; the log contains only the text.
pub(crate) fn with_blocks(events: impl IntoIterator<Item = Envelope>) -> Vec<Envelope> {
    let mut all = Vec::new();
    for envelope in events {
        if let Event::MessageCompleted { message, text, .. } = &envelope.event {
            for (index, block) in nova_session::blocks(text).into_iter().enumerate() {
                let event = Event::MessageBlock {
                    message: message.clone(),
                    index: u32::try_from(index).unwrap_or(u32::MAX),
                    html: block.html,
                    done: true,
                };
                all.push(Envelope { event, ..envelope.clone() });
            }
        }
        all.push(envelope);
    }
    all
}
