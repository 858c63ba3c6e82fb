//! Parameters and results of the commands for MCP servers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{Effect, NoteDiffView, SecretText};

/// The servers of `nova.config.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ServersView {
    pub servers: Vec<ServerRow>,
    /// Entries that cannot be used.
    pub broken: Vec<BrokenServer>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BrokenServer {
    pub id: String,
    /// Why, and what to do.
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ServerRow {
    pub name: String,
    /// Of its skill.
    pub id: String,
    pub state: ServerStateView,
    /// The user agreed to a different command or address before.
    pub changed: bool,
    /// The reason and the remedy, if there is a problem.
    pub reason: Option<String>,
    /// As the server reports it.
    pub version: Option<String>,
    /// The last negotiated protocol version.
    pub protocol: Option<String>,
    /// The command as it is written, or the address.
    pub runs: String,
    /// Of a server at an address.
    pub host: Option<String>,
    /// None if its tools are unknown.
    pub tools: Option<ServerToolCounts>,
    /// Number of chats in which its skill is active.
    pub active_in: u32,
    /// Its command names the vault, or a folder around or in it.
    pub reaches_vault: bool,
    /// While it starts.
    pub start: Option<ServerStart>,
    /// Consecutive failures.
    pub failures: u32,
    /// In ms, until it is restarted automatically.
    #[ts(type = "number | null")]
    pub next_try: Option<u64>,
    /// After a failure: the end of its standard error.
    pub last_lines: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ServerStateView {
    Off,
    /// The user has not agreed to its command or address.
    NeedsReview,
    /// It starts with the next call.
    Asleep,
    Starting,
    Ready,
    NeedsSignIn,
    Failed,
}

impl ServerStateView {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::NeedsReview => "needs_review",
            Self::Asleep => "asleep",
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::NeedsSignIn => "needs_sign_in",
            Self::Failed => "failed",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct ServerToolCounts {
    pub listed: u32,
    /// The user wants them, and they can be called.
    pub on: u32,
    /// Blocked because their definition changed.
    pub changed: u32,
    /// Of these, tools added since the user agreed to the server.
    pub new: u32,
    /// When the first of those changes was seen, RFC 3339; null if unknown.
    pub changed_since: Option<String>,
    /// Of the enabled tools, in a request with the skill active; estimated at four bytes a token.
    pub tokens: u32,
}

/// In ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ServerStart {
    #[ts(type = "number")]
    pub elapsed: u64,
    #[ts(type = "number")]
    pub limit: u64,
}

/// What settings show about one server besides its row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ServerDetail {
    pub server: String,
    pub review: ServerReviewView,
    /// None if unknown.
    pub tools: Option<Vec<ServerToolView>>,
    /// The end of its standard error, at most 64 KB.
    pub last_lines: Vec<String>,
    pub calls: u32,
    pub errors: u32,
    pub mean_ms: Option<f64>,
}

/// The subject of the user's consent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ServerReviewView {
    pub fingerprint: String,
    pub agreed: bool,
    /// When the user agreed to it, RFC 3339; none if unknown.
    pub agreed_at: Option<String>,
    /// The user agreed to a different command or address before.
    pub changed: bool,
    /// The path of its program; none for an address, or if not found.
    pub program: Option<String>,
    /// The command as it is written, or the address.
    pub runs: String,
    pub host: Option<String>,
    pub folder: Option<String>,
    /// Names of its variables or headers.
    pub variables: Vec<String>,
    /// `service/key` of the secrets that it receives.
    pub credentials: Vec<String>,
    pub changes: Vec<ServerToolChange>,
}

/// A tool whose definition differs from the approved one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ServerToolChange {
    pub tool: String,
    /// It was added since the user agreed to the server.
    pub is_new: bool,
    /// When it was first listed like this, RFC 3339; none if unknown.
    pub changed_at: Option<String>,
    /// A sentence about instructions in the change, if any were detected.
    pub warning: Option<String>,
    /// Of both definitions: what is approved.
    pub fingerprint: String,
    pub diff: NoteDiffView,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ServerToolView {
    /// As the server names it.
    pub tool: String,
    /// In the server's words.
    pub description: String,
    /// As set by the user; none: every call asks.
    pub effect: Option<Effect>,
    /// The effects that the server states, as text. Not trusted.
    pub hints: Vec<String>,
    pub tokens: u32,
    pub on: bool,
    /// Its definition changed: it cannot be called.
    pub blocked: bool,
    /// Why it cannot be called.
    pub reason: Option<String>,
}

/// A server by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ServerRef {
    pub server: String,
}

/// The user's settings of a server; absent fields are unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SetServer {
    pub server: String,
    #[ts(optional)]
    pub enabled: Option<bool>,
    #[ts(optional)]
    pub tool: Option<SetServerTool>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SetServerTool {
    pub tool: String,
    #[ts(optional)]
    pub on: Option<bool>,
    /// The tool's effect as set by the user; null: not declared.
    #[serde(deserialize_with = "crate::present", skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "Effect | null")]
    pub effect: Option<Option<Effect>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AgreeToServer {
    pub server: String,
    /// Of the reviewed version; any other is refused.
    pub fingerprint: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ApproveServerTool {
    pub server: String,
    pub tool: String,
    /// Of the reviewed change; any other is refused.
    pub fingerprint: String,
}

/// Where the user of a server signs in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ServerSignIn {
    pub host: String,
}

/// An entry of `mcpServers` without what other commands change. It holds no secret, only references to them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ServerEntry {
    pub command: Option<String>,
    pub args: Vec<String>,
    pub cwd: Option<String>,
    pub url: Option<String>,
    /// `env` of a command, `headers` of an address.
    pub values: BTreeMap<String, String>,
}

/// A changed entry, as a block; its secrets become credentials.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, TS)]
pub struct EditServer {
    pub server: String,
    pub text: SecretText,
}

/// A block, a command or an address, as a server's documentation gives it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, TS)]
pub struct ReadServers {
    /// It may hold secrets.
    pub text: SecretText,
}

/// A server that can be added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OfferedServer {
    pub name: String,
    /// The command or the address; empty if there is a problem.
    pub runs: String,
    /// Where its program is.
    pub program: Option<String>,
    pub host: Option<String>,
    pub secrets: Vec<OfferedSecret>,
    /// A server of that name or of the same skill exists.
    pub taken: bool,
    /// Why it cannot be added, and what to do.
    pub problem: Option<String>,
}

/// A secret stored as a credential instead of in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OfferedSecret {
    /// Of the variable or header.
    pub variable: String,
    /// `service/key`
    pub credential: String,
    /// The text has its value; otherwise it is asked for later.
    pub has_value: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, TS)]
pub struct AddServers {
    pub text: SecretText,
    /// Those to add, of what the text names.
    pub names: Vec<String>,
    /// Whether they may start once the user agrees to them.
    pub enabled: bool,
}

/// A configuration of another program on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ServerFile {
    /// "Claude Desktop"
    pub program: String,
    pub file: String,
    /// For display: `~` for the home folder.
    pub shown: String,
    pub servers: Vec<OfferedServer>,
    /// Why it cannot be read.
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImportServers {
    pub file: String,
    pub names: Vec<String>,
}
