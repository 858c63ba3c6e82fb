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
    /// The user agreed to another command or address before.
    pub changed: bool,
    /// Why, and what to do, where the state is not a good one.
    pub reason: Option<String>,
    /// As it says itself.
    pub version: Option<String>,
    /// The version of the protocol that it spoke last.
    pub protocol: Option<String>,
    /// The command as it is written, or the address.
    pub runs: String,
    /// Of a server at an address.
    pub host: Option<String>,
    /// None where nobody knows its tools.
    pub tools: Option<ServerToolCounts>,
    /// In how many chats its skill is active.
    pub active_in: u32,
    /// Its command names the vault, or a folder around or in it.
    pub reaches_vault: bool,
    /// While it starts.
    pub start: Option<ServerStart>,
    /// How often it failed without a call that went well in between.
    pub failures: u32,
    /// In ms, until it is started again by itself.
    #[ts(type = "number | null")]
    pub next_try: Option<u64>,
    /// Of one that failed: the end of its standard error.
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
    /// Of these, tools that the server did not have when the user agreed to it.
    pub new: u32,
    /// When the first of those changes was seen, RFC 3339; null where nobody knows.
    pub changed_since: Option<String>,
    /// Of those that are on, in a request where the skill is active; estimated at four bytes a token.
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

/// What settings show of one server beside its row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ServerDetail {
    pub server: String,
    pub review: ServerReviewView,
    /// None where nobody knows them.
    pub tools: Option<Vec<ServerToolView>>,
    /// The end of its standard error, at most 64 KB.
    pub last_lines: Vec<String>,
    pub calls: u32,
    pub errors: u32,
    pub mean_ms: Option<f64>,
}

/// What the user agrees to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ServerReviewView {
    pub fingerprint: String,
    pub agreed: bool,
    /// When the user agreed to it, RFC 3339; none where that is not known.
    pub agreed_at: Option<String>,
    /// The user agreed to another command or address before.
    pub changed: bool,
    /// Where its program is; none for an address, and for a program that is not found.
    pub program: Option<String>,
    /// The command as it is written, or the address.
    pub runs: String,
    pub host: Option<String>,
    pub folder: Option<String>,
    /// Names of its variables or headers.
    pub variables: Vec<String>,
    /// `service/key` of the secrets that it gets.
    pub credentials: Vec<String>,
    pub changes: Vec<ServerToolChange>,
}

/// A tool whose definition is not what was approved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ServerToolChange {
    pub tool: String,
    /// Its server did not list it when the user agreed to it.
    pub is_new: bool,
    /// When it was first listed like this, RFC 3339; none where that is not known.
    pub changed_at: Option<String>,
    /// A sentence about what the change asks of the model or the user, where one was recognised.
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
    /// As the user said; none: every call asks.
    pub effect: Option<Effect>,
    /// What the server says of its effects, in words. Nova takes its word for nothing.
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

/// What the user sets of a server; what is absent stays as it is.
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
    /// What the tool does, as the user says; null: not declared.
    #[serde(deserialize_with = "crate::present", skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "Effect | null")]
    pub effect: Option<Option<Effect>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AgreeToServer {
    pub server: String,
    /// Of what was looked at; another one is refused.
    pub fingerprint: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ApproveServerTool {
    pub server: String,
    pub tool: String,
    /// Of the change that was looked at; another one is refused.
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
    /// The command or the address; empty where there is a problem.
    pub runs: String,
    /// Where its program is.
    pub program: Option<String>,
    pub host: Option<String>,
    pub secrets: Vec<OfferedSecret>,
    /// There is a server of that name or of the same skill.
    pub taken: bool,
    /// Why it cannot be added, and what to do.
    pub problem: Option<String>,
}

/// A secret that is kept as a credential instead of in the file.
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
    /// As a person reads it: `~` for the home folder.
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
