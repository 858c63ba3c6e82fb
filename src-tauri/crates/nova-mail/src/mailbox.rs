use std::collections::HashMap;

use async_trait::async_trait;
use jiff::civil::Date;

use crate::{FetchedMessage, HeaderCache, Listed, MailError, MessageId, Preview};

/// One mailbox with its folders; IMAP is one implementation. The methods up to `find` change nothing.
#[async_trait]
pub trait Mailbox: Send {
    /// All folders that can be opened, in the order of the server.
    ///
    /// # Errors
    /// As [`MailError`] lists.
    async fn folders(&mut self) -> Result<Vec<Folder>, MailError>;

    /// The newest matching messages of a folder, newest first. The server searches.
    ///
    /// # Errors
    /// `NoFolder`, and as [`MailError`] lists.
    async fn list(&mut self, folder: &str, wanted: &Wanted) -> Result<FoundMessages, MailError> {
        self.list_cached(folder, wanted, &mut HeaderCache::default()).await
    }

    /// As [`Mailbox::list`] with headers from earlier lists of this folder; adds those that it fetches.
    ///
    /// # Errors
    /// As for [`Mailbox::list`]; the cache is still valid then.
    async fn list_cached(
        &mut self,
        folder: &str,
        wanted: &Wanted,
        cache: &mut HeaderCache,
    ) -> Result<FoundMessages, MailError>;

    /// One message; of one that is larger than 16 MiB, its headers and texts.
    ///
    /// # Errors
    /// `NoMessage`, and as [`MailError`] lists.
    async fn fetch(&mut self, id: &MessageId) -> Result<FetchedMessage, MailError>;

    /// The decoded bytes of the part at this index of [`crate::Message::parts`], which may have at most `most`.
    ///
    /// # Errors
    /// `NoMessage`, `PartTooLarge`, and as [`MailError`] lists.
    async fn fetch_part(
        &mut self,
        id: &MessageId,
        message: &FetchedMessage,
        at: usize,
        most: u64,
    ) -> Result<Vec<u8>, MailError>;

    /// The message and those that answer it or that it answers, oldest first, in its own folder and in those of
    /// [`Role::Inbox`], [`Role::Sent`], [`Role::Archive`] and [`Role::All`].
    ///
    /// # Errors
    /// `NoMessage`, and as [`MailError`] lists.
    async fn thread(&mut self, id: &MessageId) -> Result<FoundMessages, MailError>;

    /// The previews of those of these messages that still exist. `receiver` as for [`crate::Message::read`].
    ///
    /// # Errors
    /// `NoFolder`, and as [`MailError`] lists.
    async fn previews(
        &mut self,
        ids: &[MessageId],
        receiver: &[&str],
    ) -> Result<HashMap<MessageId, Preview>, MailError>;

    /// # Errors
    /// `NoFolder`, and as [`MailError`] lists.
    async fn counts(&mut self, folder: &str) -> Result<Counts, MailError>;

    /// The headers of those of these messages that exist.
    ///
    /// # Errors
    /// As [`MailError`] lists.
    async fn look(&mut self, ids: &[MessageId]) -> Result<Vec<Listed>, MailError>;

    /// The headers of a draft, as [`Mailbox::remove_draft`] takes it.
    ///
    /// # Errors
    /// `NoMessage`, `NotADraft`, and as [`MailError`] lists.
    async fn draft(&mut self, id: &MessageId) -> Result<Listed, MailError>;

    /// The newest message of the folder with that Message-ID, which has no angle brackets.
    ///
    /// # Errors
    /// `NoFolder`, and as [`MailError`] lists.
    async fn find(&mut self, folder: &str, message_id: &str) -> Result<Option<MessageId>, MailError>;

    /// Moves messages to another folder. Returns each id with its new one, if that was found, or why it was not
    /// moved.
    ///
    /// # Errors
    /// `NoFolder` for the target, `NotOffered` if the server could only expunge all deleted messages with it, and as
    /// [`MailError`] lists.
    async fn move_to(&mut self, ids: &[MessageId], folder: &str) -> Result<Vec<Changed>, MailError>;

    /// Sets or removes one flag. Returns each id, or why it was not changed.
    ///
    /// # Errors
    /// As [`MailError`] lists.
    async fn mark(&mut self, ids: &[MessageId], mark: Mark) -> Result<Vec<Changed>, MailError>;

    /// Adds a message to a folder; returns its id if that was found.
    ///
    /// # Errors
    /// `NoFolder`, and as [`MailError`] lists.
    async fn append(
        &mut self,
        folder: &str,
        message: &[u8],
        kind: Appended,
    ) -> Result<Option<MessageId>, MailError>;

    /// Deletes one draft for good: a message with the flag `\Draft`, or one in the folder of [`Role::Drafts`].
    ///
    /// # Errors
    /// `NoMessage`, `NotADraft`, `NotOffered`, and as [`MailError`] lists.
    async fn remove_draft(&mut self, id: &MessageId) -> Result<(), MailError>;

    /// Logs out and closes the connection.
    async fn close(&mut self);
}

/// The result for one message: its id in its new folder, if it was moved and found there.
#[derive(Debug)]
pub struct Changed {
    pub id: MessageId,
    pub now: Result<Option<MessageId>, MailError>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Read,
    Unread,
    Flagged,
    Unflagged,
}

/// What a message is added as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// A copy of one that was sent, which its sender has read.
    Sent,
    Draft,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Decoded; levels are separated by `/` or the server's own delimiter.
    pub name: String,
    pub role: Option<Role>,
}

/// How many messages a folder has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub total: u32,
    pub unread: u32,
}

/// What a folder is for (RFC 6154), whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    Inbox,
    Sent,
    Drafts,
    Archive,
    Junk,
    Trash,
    All,
    Flagged,
}

/// Which messages of a folder to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    pub unread: bool,
    pub search: Option<SearchQuery>,
    /// At most this many, and never more than 10,000.
    pub limit: usize,
}

/// All conditions must match. Texts match as substrings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchQuery {
    /// In the headers or the text.
    pub text: Option<String>,
    pub from: Option<String>,
    pub to: Option<String>,
    /// In To, Cc or Bcc.
    pub recipient: Option<String>,
    pub subject: Option<String>,
    /// Received on this day or later, by the server's day.
    pub since: Option<Date>,
    /// Received before this day.
    pub before: Option<Date>,
}

/// What a list or a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundMessages {
    pub messages: Vec<Listed>,
    /// How many match in total.
    pub total: usize,
}

impl Role {
    /// As a person writes it: `inbox`, `sent`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::Sent => "sent",
            Self::Drafts => "drafts",
            Self::Archive => "archive",
            Self::Junk => "junk",
            Self::Trash => "trash",
            Self::All => "all",
            Self::Flagged => "flagged",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        let all = [
            Self::Inbox,
            Self::Sent,
            Self::Drafts,
            Self::Archive,
            Self::Junk,
            Self::Trash,
            Self::All,
            Self::Flagged,
        ];
        all.into_iter().find(|role| role.name().eq_ignore_ascii_case(name.trim()))
    }
}
