//! The mails handed to a server, recorded in Nova's data folder by their digest.

use nova_skill::jiff::Timestamp;
use nova_skill::serde_json::Map;
use nova_skill::{ToolContext, ToolError, ToolStore, Value, json};

use crate::row::minute;

/// Where sent mails are recorded.
const KEY: &str = "sending";
/// How long a record is retained, and an identical mail not sent again, in seconds.
const NOTED: i64 = 30 * 86_400;
const NOT_AGAIN: i64 = 86_400;
/// How often a write is retried while other calls write theirs.
const TRIES: usize = 20;

/// The record of a mail that was sent or may have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) message_id: String,
    /// When it was handed over.
    pub(crate) at: Timestamp,
    /// The server has accepted it.
    pub(crate) sent: bool,
    /// Its copy is in Sent.
    pub(crate) copied: bool,
    /// The draft that contains it, `mailbox/folder/numbers`.
    pub(crate) draft: Option<String>,
}

/// The record of the mail with this digest.
///
/// # Errors
/// If the records cannot be read.
pub(crate) async fn noted(ctx: &dyn ToolContext, digest: &str) -> Result<Option<Note>, ToolError> {
    let notes = ctx.store().get(KEY).await?.unwrap_or_default();
    Ok(Note::read(&notes[digest]))
}

/// Why a mail that was sent is not sent again.
pub(crate) fn sent_already(ctx: &dyn ToolContext, note: &Note) -> ToolError {
    ToolError::failed(
        format!("This mail was already sent on {}. It was not sent again.", minute(ctx, note.at)),
        "Nothing to do; change its text to send another one.",
    )
}

/// Sets or removes the record of a mail if the current one is `expected`; returns whether it did.
pub(crate) async fn note(
    store: &dyn ToolStore,
    digest: &str,
    expected: Option<Option<&Note>>,
    new: Option<&Note>,
    now: Timestamp,
) -> Result<bool, ToolError> {
    for _ in 0..TRIES {
        let before = store.get(KEY).await?;
        let mut notes: Map<String, Value> =
            before.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
        let there = notes.get(digest).and_then(Note::read);
        if expected.is_some_and(|expected| expected != there.as_ref()) {
            return Ok(false);
        }
        notes.retain(|key, note| {
            let is_old = |note: Note| now.as_second() - note.at.as_second() > NOTED;
            key != digest && !Note::read(note).is_none_or(is_old)
        });
        notes.extend(new.map(|note| (digest.to_owned(), note.value())));
        if store.replace(KEY, before.as_ref(), notes.into()).await? {
            return Ok(true);
        }
    }
    Err(ToolError::failed("The mail could not be recorded before it is sent.", "Try again later."))
}

impl Note {
    fn read(value: &Value) -> Option<Self> {
        Some(Self {
            message_id: value["message_id"].as_str()?.to_owned(),
            at: Timestamp::from_second(value["at"].as_i64()?).ok()?,
            sent: value["sent"].as_bool()?,
            copied: value["copied"].as_bool()?,
            draft: value["draft"].as_str().map(str::to_owned),
        })
    }

    fn value(&self) -> Value {
        json!({
            "message_id": self.message_id, "at": self.at.as_second(), "sent": self.sent,
            "copied": self.copied, "draft": self.draft,
        })
    }

    /// Whether the record has expired, so that the same mail may be sent again.
    pub(crate) fn is_over(&self, ctx: &dyn ToolContext) -> bool {
        self.sent && ctx.clock().now().as_second() - self.at.as_second() >= NOT_AGAIN
    }

    /// The server has accepted it, and its copy is made.
    pub(crate) fn is_complete(&self) -> bool {
        self.sent && self.copied
    }
}
