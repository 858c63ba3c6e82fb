//! Sessions: the list, their content, search and export.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::Envelope;
use crate::parts::AttachedFile;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SessionRow {
    pub id: String,
    pub title: String,
    /// RFC 3339 of the last event.
    pub updated_at: String,
    pub created_at: String,
    pub running: bool,
    /// `provider/model` of this session.
    pub model: Option<String>,
    /// Pinned.
    pub pinned: bool,
    /// Archived; a search finds it.
    pub archived: bool,
    /// When it was moved to the trash; RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub deleted_at: Option<String>,
    /// The session whose sub-agent worked in this one; it is in no list by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionView {
    pub row: SessionRow,
    /// The events that make the conversation, oldest first; the same `reduce` reads them.
    pub events: Vec<Envelope>,
    /// Calls running in the background.
    pub running_calls: Vec<String>,
}

/// A call of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CallRef {
    pub session: String,
    pub call: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SessionRef {
    pub session: String,
}

/// A skill that is active in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DropSkill {
    pub session: String,
    pub skill: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RenameSession {
    pub session: String,
    pub title: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SendMessage {
    pub session: String,
    pub text: String,
    /// `provider/model`, else the session's, else the config's.
    #[serde(default)]
    #[ts(optional)]
    pub model: Option<String>,
    /// Skills the user activates with this message.
    #[serde(default)]
    pub skills: Vec<String>,
    /// `skill.tool` the user points at.
    #[serde(default)]
    #[ts(optional)]
    pub tool: Option<String>,
    /// The turn that this one comes after, where that is not the last in force: an edited message or
    /// another answer to it begins a branch. Null begins the conversation anew.
    #[serde(default, deserialize_with = "crate::present", skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "string | null")]
    pub after: Option<Option<String>>,
    /// Images, at most 10.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<NewImage>>", optional)]
    pub images: Vec<NewImage>,
    /// Attachments from MCP servers, at most 8.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<AttachedFile>>", optional)]
    pub outside: Vec<AttachedFile>,
    /// The id that its turn is to have, never used before: a message whose turn is in the log already is
    /// not sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub turn: Option<String>,
}

/// An image that the user sends: PNG, JPEG, WebP or GIF, at most 3.9 MB and 8,000 pixels a side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NewImage {
    /// The name of its file.
    pub name: String,
    /// As the sender declares it; the bytes decide.
    #[serde(default)]
    #[ts(optional)]
    pub media_type: Option<String>,
    /// Its bytes in base64.
    pub data: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImageRef {
    pub session: String,
    pub id: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImageData {
    pub media_type: String,
    /// Its bytes in base64.
    pub data: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TurnRef {
    pub turn: String,
}

/// Pins or archives a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SetSession {
    pub session: String,
    #[serde(default)]
    #[ts(optional)]
    pub pinned: Option<bool>,
    #[serde(default)]
    #[ts(optional)]
    pub archived: Option<bool>,
}

/// One session of the trash, or all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PurgeSessions {
    #[serde(default)]
    #[ts(optional)]
    pub session: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PurgedSessions {
    pub purged: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChooseBranch {
    pub session: String,
    /// It and its successors become active.
    pub turn: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SearchSessions {
    /// Every word of it has to be there, parts of words count; no sign has a meaning.
    pub query: String,
    /// Maximum number of sessions; default: 20.
    #[serde(default)]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// A session in which something was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FoundSession {
    pub row: SessionRow,
    /// The title, if it matches.
    pub title: Option<Vec<TextPart>>,
    /// Matching messages, newest first; only a few.
    pub said: Vec<FoundText>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FoundText {
    pub turn: String,
    pub by: Speaker,
    /// RFC 3339.
    pub at: String,
    /// Some words around the first hit.
    pub snippet: Vec<TextPart>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TextPart {
    pub text: String,
    /// It matches the query.
    pub hit: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    User,
    Nova,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ExportSession {
    pub session: String,
    /// Including inactive branches.
    #[serde(default)]
    #[ts(optional)]
    pub all: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ExportedSession {
    /// Where it was saved, for display; none if the user closed the dialog.
    pub saved: Option<String>,
}
