use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;

use crate::{Envelope, MailError};

/// A message in a list: its headers, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub id: MessageId,
    pub envelope: Envelope,
    /// When the server received it.
    pub received: Option<Timestamp>,
    /// Of the whole message, in bytes, as reported by the server.
    pub size: u64,
    pub unread: bool,
    pub flagged: bool,
    pub answered: bool,
    pub draft: bool,
}

/// A message of one folder of one mailbox: `INBOX/1795860000.42`. Invalid once the server renumbers the folder.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId {
    pub folder: String,
    /// UIDVALIDITY.
    pub validity: u32,
    pub uid: u32,
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}.{}", self.folder, self.validity, self.uid)
    }
}

impl FromStr for MessageId {
    type Err = MailError;

    fn from_str(id: &str) -> Result<Self, MailError> {
        let parsed = id.trim().rsplit_once('/').and_then(|(folder, numbers)| {
            let (validity, uid) = numbers.split_once('.')?;
            let (validity, uid) = (validity.parse().ok()?, uid.parse().ok()?);
            (!folder.is_empty() && uid > 0).then(|| Self { folder: folder.to_owned(), validity, uid })
        });
        parsed.ok_or_else(|| MailError::Id { id: crate::visible_line(id, 100) })
    }
}
