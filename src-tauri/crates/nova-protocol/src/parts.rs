//! Types shared by events and views.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::SharedText;

/// The worst that a tool may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    Read,
    Write,
    External,
    Destructive,
    Send,
    Undeclared,
}

/// An answer to "may this call run?".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    Once,
    Session,
    Always,
    Deny,
    /// The program's question was closed without an answer.
    Cancel,
}

/// The limits enforced on the command of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SandboxView {
    /// Where it runs, in words.
    pub folder: String,
    /// Open folders that it may read, by name.
    pub reads: Vec<String>,
    /// Open folders that it may write, by name.
    pub writes: Vec<String>,
    /// Whether it sees a copy of the vault without private notes.
    pub vault: bool,
    /// Hosts that it may contact; none is no network at all.
    pub hosts: Vec<String>,
    /// Its time limit, unless the call sets another.
    #[ts(type = "number")]
    pub seconds: u64,
    /// Bytes of memory of all its processes together.
    #[ts(type = "number")]
    pub memory: u64,
}

/// On whose behalf a call runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PrincipalView {
    pub kind: PrincipalKind,
    pub name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PrincipalKind {
    User,
    Subagent,
    McpClient,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ActivatedBy {
    Model,
    User,
    Router,
    Pin,
}

/// How the context was shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CompactedBy {
    /// The model summarised earlier messages; the user's own are kept.
    #[default]
    Summary,
    /// Tool results were removed.
    WithoutOutputs,
}

/// Why a skill is no longer active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DeactivatedBy {
    Model,
    User,
    /// It was active for one turn only.
    #[serde(alias = "router", alias = "pin")]
    Turn,
    /// It was switched off or removed, or can no longer run.
    Unavailable,
}

/// Where a value came from: a note, or a web source with its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SourceView {
    Note {
        #[ts(as = "String")]
        path: SharedText,
    },
    Web {
        url: String,
        at: String,
        /// The page's own title, for a page that was read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        title: Option<String>,
        /// The page's stated date, `YYYY-MM-DD`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        date: Option<String>,
    },
}

impl SourceView {
    /// A response from the web other than a page.
    pub fn web(url: impl Into<String>, at: impl Into<String>) -> Self {
        Self::Web { url: url.into(), at: at.into(), title: None, date: None }
    }
}

/// A number that a tool computed, with its sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FigureView {
    /// JSON Pointer to the number in the output.
    pub at: String,
    pub label: String,
    /// A decimal.
    pub value: String,
    /// A currency code, `%`, or empty.
    pub unit: String,
    /// How it was computed, in a few words.
    pub formula: Option<String>,
    pub parts: Vec<FigurePartView>,
    /// Its sources, as indices into the output's list.
    pub sources: Vec<u32>,
    /// A caution: "2 old quotes".
    pub caution: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FigurePartView {
    pub label: String,
    pub value: String,
    pub unit: String,
    pub caution: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum VaultChangeKind {
    Created,
    Modified,
    Removed,
    Renamed,
}

/// Who changed the note: another program, or one of Nova's change sets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(untagged)]
pub enum VaultChangeAuthor {
    Outside(OutsideTag),
    Nova { change_set: String, principal: String, skill: Option<String> },
}

/// Serialises as the string `outside`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub enum OutsideTag {
    #[serde(rename = "outside")]
    Outside,
}

impl VaultChangeAuthor {
    pub const OUTSIDE: Self = Self::Outside(OutsideTag::Outside);
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NoteChangeView {
    pub path: String,
    pub kind: NoteChangeKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub from: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum NoteChangeKind {
    Created,
    Modified,
    Deleted,
    Renamed,
}

/// How much of a model's context a request takes, in tokens: estimated from bytes, by the provider's counts
/// of earlier requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ContextView {
    #[ts(type = "number")]
    pub used: u64,
    /// None if unknown.
    #[ts(type = "number | null")]
    pub limit: Option<u64>,
    /// Tokens of the last request that the provider had cached.
    #[ts(type = "number")]
    pub cached: u64,
    pub parts: ContextParts,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ContextParts {
    /// The system prompt with the list of skills, and the tools that every request has.
    #[ts(type = "number")]
    pub system: u64,
    /// Instructions and tools of active skills.
    #[ts(type = "number")]
    pub skills: u64,
    /// Messages.
    #[ts(type = "number")]
    pub history: u64,
    /// Tool results.
    #[ts(type = "number")]
    pub outputs: u64,
}

/// An image of a message. Its bytes are read with `read_image`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImageView {
    /// Within its session; equal for equal bytes.
    pub id: String,
    pub name: String,
    /// `image/png`, `image/jpeg`, `image/webp` or `image/gif`.
    pub media_type: String,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

/// A text attached to a message: a user's file, or content of an MCP server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AttachedFile {
    pub name: String,
    /// Empty for a resource, which the turn reads.
    pub text: String,
    /// `skill.prompt` or `skill.tool` of the server that it comes from; absent for the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub from: Option<String>,
    /// Of a resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uri: Option<String>,
}

impl AttachedFile {
    /// The server's name for it; empty for the user's own.
    pub fn from(&self) -> &str {
        self.from.as_deref().unwrap_or_default()
    }
}

/// One line of what a call would do, such as a recipient.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DetailView {
    /// "To"
    pub label: String,
    pub value: String,
    /// A note on the value: "14 mails since March 2024".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub note: Option<String>,
    /// The note is a warning.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub caution: bool,
}

impl DetailView {
    /// Formats it as a line: `To: jane@example.org (never written to before)`.
    pub fn line(&self) -> String {
        match &self.note {
            Some(note) => format!("{}: {} ({note})", self.label, self.value),
            None => format!("{}: {}", self.label, self.value),
        }
    }
}
