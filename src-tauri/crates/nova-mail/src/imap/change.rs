//! Operations that change a mailbox. A message is identified by its UID and its folder's UIDVALIDITY; `EXPUNGE`
//! without UIDs is never sent, as it would also delete messages that other programs marked.

use std::collections::BTreeMap;
use std::time::Duration;

use async_imap::types::Fetch;
use futures::TryStreamExt as _;

use super::{Imap, LINE, Of, PATIENCE, Stream, in_time, in_time_of, no_folder, spelled};
use crate::header_cache::FolderState;
use crate::{
    Appended, Changed, Folder, Listed, MailError, Mailbox as _, Mark, MessageId, Role, visible_line,
};

/// Extensions of IMAP that the server supports.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offers {
    /// MOVE (RFC 6851).
    pub(super) r#move: bool,
    /// UID EXPUNGE (RFC 4315).
    pub(super) expunge_one: bool,
    /// CONDSTORE (RFC 7162): mod-sequences.
    pub(super) modseq: bool,
    /// IDLE (RFC 2177).
    pub(super) idle: bool,
}

/// A folder's state before something is added to it.
struct Target {
    validity: u32,
    /// The UID that the next message gets, at least.
    next: u32,
}

impl<S: Stream> Imap<S> {
    pub(super) async fn moved(&mut self, ids: &[MessageId], to: &str) -> Result<Vec<Changed>, MailError> {
        if !self.offers.r#move && !self.offers.expunge_one {
            return Err(MailError::NotOffered { what: "moving single messages" });
        }
        let target = self.target(to).await?;
        let mut changed = Vec::new();
        let mut moved: Vec<Listed> = Vec::new();
        for (folder, ids) in by_folder(ids) {
            if folder == to {
                changed.extend(failed(ids, &MailError::AlreadyThere { folder: to.to_owned() }));
                continue;
            }
            let of_folder = ids.clone();
            match self.moved_from(&folder, ids, to, &mut changed).await {
                Ok(found) => moved.extend(found),
                // Messages moved before the failure are still reported.
                Err(error) => changed.extend(failed(of_folder, &error)),
            }
        }
        if moved.is_empty() {
            return Ok(changed);
        }
        let mut arrived = self.arrived(to, &target).await.unwrap_or_default();
        changed.extend(moved.into_iter().map(|message| {
            let wanted = &message.envelope.message_id;
            let same = |new: &Listed| wanted.is_some() && new.envelope.message_id == *wanted;
            let now = arrived.iter().position(same).map(|at| arrived.swap_remove(at).id);
            Changed { id: message.id, now: Ok(now) }
        }));
        Ok(changed)
    }

    async fn moved_from(
        &mut self,
        folder: &str,
        ids: Vec<MessageId>,
        to: &str,
        changed: &mut Vec<Changed>,
    ) -> Result<Vec<Listed>, MailError> {
        let (held, stale) = self.existing(folder, ids).await?;
        changed.extend(stale.into_iter().map(missing));
        if held.is_empty() {
            return Ok(held);
        }
        let (set, to) = (set(&held), spelled(to)?);
        if self.offers.r#move {
            in_time(self.session.uid_mv(&set, to)).await?;
        } else {
            in_time(self.session.uid_copy(&set, to)).await?;
            self.expunge(&set).await?;
        }
        Ok(held)
    }

    pub(super) async fn marked(&mut self, ids: &[MessageId], mark: Mark) -> Result<Vec<Changed>, MailError> {
        let flag = match mark {
            Mark::Read => "+FLAGS.SILENT (\\Seen)",
            Mark::Unread => "-FLAGS.SILENT (\\Seen)",
            Mark::Flagged => "+FLAGS.SILENT (\\Flagged)",
            Mark::Unflagged => "-FLAGS.SILENT (\\Flagged)",
        };
        let mut changed = Vec::new();
        for (folder, ids) in by_folder(ids) {
            let of_folder = ids.clone();
            match self.marked_in(&folder, ids, flag).await {
                Ok(done) => changed.extend(done),
                Err(error) => changed.extend(failed(of_folder, &error)),
            }
        }
        Ok(changed)
    }

    async fn marked_in(
        &mut self,
        folder: &str,
        ids: Vec<MessageId>,
        flag: &str,
    ) -> Result<Vec<Changed>, MailError> {
        let (held, stale) = self.existing(folder, ids).await?;
        if !held.is_empty() {
            self.store(&set(&held), flag).await?;
        }
        let done = held.into_iter().map(|message| Changed { id: message.id, now: Ok(None) });
        Ok(done.chain(stale.into_iter().map(missing)).collect())
    }

    pub(super) async fn appended(
        &mut self,
        folder: &str,
        message: &[u8],
        kind: Appended,
    ) -> Result<Option<MessageId>, MailError> {
        let target = self.target(folder).await?;
        let flags = match kind {
            Appended::Sent => "(\\Seen)",
            Appended::Draft => "(\\Draft \\Seen)",
        };
        // Large messages take longer to upload.
        let patience = PATIENCE + Duration::from_secs(10) * (message.len() >> 20) as u32;
        in_time_of(patience, self.session.append(spelled(folder)?, Some(flags), None, message)).await?;
        let wanted = crate::Envelope::of_headers(message).message_id;
        let arrived = self.arrived(folder, &target).await.unwrap_or_default();
        let new = arrived.into_iter().find(|new| wanted.is_some() && new.envelope.message_id == wanted);
        Ok(new.map(|new| new.id))
    }

    pub(super) async fn draft_of(&mut self, id: &MessageId) -> Result<Listed, MailError> {
        let look = self.look(std::slice::from_ref(id)).await?;
        let draft = look.into_iter().next().ok_or(MailError::NoMessage)?;
        self.check_draft(&draft).await?;
        Ok(draft)
    }

    pub(super) async fn draft_removed(&mut self, id: &MessageId) -> Result<(), MailError> {
        if !self.offers.expunge_one {
            return Err(MailError::NotOffered { what: "deleting single messages" });
        }
        let (held, _) = self.existing(&id.folder, vec![id.clone()]).await?;
        let draft = held.first().ok_or(MailError::NoMessage)?;
        self.check_draft(draft).await?;
        self.expunge(&id.uid.to_string()).await
    }

    async fn check_draft(&mut self, message: &Listed) -> Result<(), MailError> {
        let folder = &message.id.folder;
        let is_drafts = |known: &Folder| known.name == *folder && known.role == Some(Role::Drafts);
        if message.draft || self.folders().await?.iter().any(is_drafts) {
            return Ok(());
        }
        Err(MailError::NotADraft { folder: visible_line(folder, LINE) })
    }

    /// Opens the folder for changes; returns which of these messages exist, and the ids of those that do not.
    async fn existing(
        &mut self,
        folder: &str,
        ids: Vec<MessageId>,
    ) -> Result<(Vec<Listed>, Vec<MessageId>), MailError> {
        let opened = in_time(self.session.select(spelled(folder)?)).await;
        let validity = match opened.map_err(|error| no_folder(error, folder)) {
            Ok(opened) => opened.uid_validity.unwrap_or_default(),
            Err(MailError::NoFolder { .. }) => return Ok((Vec::new(), ids)),
            Err(error) => return Err(error),
        };
        let (wanted, mut stale): (Vec<_>, Vec<_>) = ids.into_iter().partition(|id| id.validity == validity);
        let uids: Vec<String> = wanted.iter().map(|id| id.uid.to_string()).collect();
        if uids.is_empty() {
            return Ok((Vec::new(), stale));
        }
        let mut held = self.headers(folder, validity, Of::Uids(&uids.join(","))).await?;
        held.retain(|message| wanted.contains(&message.id));
        let is_held = |id: &MessageId| held.iter().any(|message| message.id == *id);
        stale.extend(wanted.into_iter().filter(|id| !is_held(id)));
        Ok((held, stale))
    }

    async fn store(&mut self, set: &str, flags: &str) -> Result<(), MailError> {
        let session = &mut self.session;
        let _: Vec<Fetch> =
            in_time(async { session.uid_store(set, flags).await?.try_collect().await }).await?;
        Ok(())
    }

    /// Expunges exactly these.
    async fn expunge(&mut self, set: &str) -> Result<(), MailError> {
        self.store(set, "+FLAGS.SILENT (\\Deleted)").await?;
        let session = &mut self.session;
        let _: Vec<u32> = in_time(async { session.uid_expunge(set).await?.try_collect().await }).await?;
        Ok(())
    }

    async fn target(&mut self, folder: &str) -> Result<Target, MailError> {
        let opened = in_time(self.session.examine(spelled(folder)?)).await;
        let opened = opened.map_err(|error| no_folder(error, folder))?;
        Ok(Target {
            validity: opened.uid_validity.unwrap_or_default(),
            next: opened.uid_next.unwrap_or_default().max(1),
        })
    }

    /// The messages added to the folder since.
    async fn arrived(&mut self, folder: &str, since: &Target) -> Result<Vec<Listed>, MailError> {
        let FolderState { validity, .. } = self.open(folder).await?;
        if validity != since.validity {
            return Ok(Vec::new());
        }
        let range = format!("{}:*", since.next);
        let mut new = self.headers(folder, validity, Of::Uids(&range)).await?;
        // `*` is the last message, even if its UID is lower.
        new.retain(|message| message.id.uid >= since.next);
        Ok(new)
    }
}

fn missing(id: MessageId) -> Changed {
    Changed { id, now: Err(MailError::NoMessage) }
}

fn failed(ids: Vec<MessageId>, error: &MailError) -> impl Iterator<Item = Changed> {
    ids.into_iter().map(|id| Changed { id, now: Err(error.clone()) })
}

/// As a set of UIDs in a command.
fn set(messages: &[Listed]) -> String {
    messages.iter().map(|message| message.id.uid.to_string()).collect::<Vec<_>>().join(",")
}

pub(super) fn by_folder(ids: &[MessageId]) -> BTreeMap<String, Vec<MessageId>> {
    let mut folders: BTreeMap<String, Vec<MessageId>> = BTreeMap::new();
    for id in ids {
        let of_folder = folders.entry(id.folder.clone()).or_default();
        if !of_folder.contains(id) {
            of_folder.push(id.clone());
        }
    }
    folders
}
