//! Parameters and results of the commands.

mod notes;
mod record_page;
mod records;
mod rules;
mod sessions;
mod skills;
mod vault;
mod window;
mod workspaces;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::{Decision, ProviderKind, SecretText};

pub use crate::parts::{ContextParts, ContextView, ImageView};
pub use notes::*;
pub use record_page::*;
pub use records::*;
pub use rules::*;
pub use sessions::*;
pub use skills::*;
pub use vault::*;
pub use window::*;
pub use workspaces::*;

/// For commands without parameters or without a result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Nothing {}

// ---- the program -------------------------------------------------------------------------------

/// What the window needs first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AppStatus {
    pub version: String,
    /// `linux`, `macos`, `windows`.
    pub platform: String,
    /// Nothing is configured yet: show the first start.
    pub first_run: bool,
    pub vault: Option<VaultSummary>,
    /// Why the configured vault is not open, or can no longer be reached.
    pub vault_problem: Option<crate::UserError>,
    /// Extra roots that cannot be reached.
    pub gone_roots: Vec<GoneRootView>,
    pub config_problem: Option<ConfigProblemView>,
    /// `provider/model` new chats use.
    pub model: Option<String>,
    pub appearance: Appearance,
    pub reminders: Reminders,
    pub background: Background,
    /// Today's date in the user's zone, `YYYY-MM-DD`.
    pub today: String,
}

/// An extra root that cannot be reached, as `vault_gone` reports it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct GoneRootView {
    /// The name of its link in the vault.
    pub root: String,
    pub message: String,
    pub hint: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct VaultSummary {
    pub name: String,
    pub path: String,
    pub notes: u32,
    /// "watching", or why not.
    pub watching: String,
    /// Notes that could not be read in full.
    pub problems: Vec<ProblemView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProblemView {
    pub path: String,
    pub line: u32,
    pub problem: String,
    pub remedy: String,
    /// The note is in a folder of records but not a record: `mark_record` makes it one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub mark: Option<RecordMark>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ConfigProblemView {
    pub file: String,
    pub line: Option<u32>,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Appearance {
    pub theme: Theme,
    /// 12 to 18, px of the conversation text.
    pub text_size: u8,
    /// The line of catalog and token figures under the composer.
    pub activity_line: bool,
}

/// The desktop notifications that Nova shows while it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Reminders {
    /// Minutes before an event; `null`: never.
    pub events: Option<u16>,
    /// Time of the morning notification, `HH:MM`; `null`: never.
    pub morning: Option<String>,
}

/// What Nova does when its window is closed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Background {
    /// The window is hidden, and routines and reminders continue; otherwise Nova quits.
    pub keep_running: bool,
}

impl Default for Appearance {
    fn default() -> Self {
        Self { theme: Theme::System, text_size: 14, activity_line: true }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    System,
    Light,
    Dark,
}

// ---- first start -------------------------------------------------------------------------------

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct FirstRunOptions {
    /// Obsidian vaults found on this machine.
    pub found: Vec<FoundVault>,
    /// Where the sample vault would be copied to, for display.
    pub sample_target: String,
    pub sample_notes: u32,
    /// The model servers found on this machine.
    pub local_models: Vec<LocalModelServer>,
    /// Where they were looked for, as hosts with ports.
    pub looked_at: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FoundVault {
    pub path: String,
    /// The path for display: with `~` for the user's home.
    pub shown: String,
    pub name: String,
    pub notes: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LocalModelServer {
    /// The id it has as a provider: `ollama`, `lm-studio`, `llama-cpp`.
    pub provider: String,
    pub host: String,
    pub models: Vec<String>,
    /// Models that cannot call tools, if the server reports it.
    pub without_tools: Vec<String>,
    /// Models that it passes on to other machines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<PassedOn>>", optional)]
    pub passed_on: Vec<PassedOn>,
}

/// A model of a server on this machine that runs elsewhere: what it is sent leaves the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PassedOn {
    /// Without the provider's id.
    pub model: String,
    /// Where it runs, if the server reports it, with any unusual port.
    pub host: String,
    /// The user agreed to send notes there.
    pub agreed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, TS)]
pub struct OpenVault {
    pub choice: VaultChoice,
    /// `provider/model`; none to continue without a model.
    pub model: Option<String>,
    /// Added before the vault is opened.
    #[serde(default)]
    #[ts(optional)]
    pub provider: Option<NewProvider>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum VaultChoice {
    /// Copy the sample vault to the documents folder and open it.
    Sample,
    Folder {
        path: String,
    },
}

/// The folder that the user picked in the system's dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PickedFolder {
    pub path: Option<String>,
    /// The path for display: with `~` for the user's home.
    pub shown: Option<String>,
    /// Markdown notes found in it.
    pub notes: Option<u32>,
}

// ---- approvals ---------------------------------------------------------------------------------

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct DecideApproval {
    /// The session, or the form run, that the call belongs to.
    pub session: String,
    pub call: String,
    pub decision: Decision,
    /// The revision reviewed; an older one is refused.
    pub revision: u32,
    /// Edited arguments, with an allowing decision.
    #[serde(default)]
    #[ts(optional)]
    pub args: Option<Value>,
    /// Why not, with a denial.
    #[serde(default)]
    #[ts(optional)]
    pub reason: Option<String>,
}

/// Asks for the question anew with edited arguments; the answer is an `approval_requested` of the
/// next revision, its diff made from them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReviseApproval {
    pub session: String,
    pub call: String,
    pub args: Value,
}

// ---- models ------------------------------------------------------------------------------------

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProviderRow {
    pub id: String,
    pub kind: ProviderKind,
    /// On this machine; of its models, those in `passed_on` are not.
    pub local: bool,
    pub host: String,
    /// A remote provider that the user agreed to send notes to; always true for a local one.
    pub agreed: bool,
    pub models: Vec<String>,
    /// Those of the models that cannot call tools, where the provider says so: no chat can be had with
    /// them.
    pub without_tools: Vec<String>,
    /// Those that cannot read images, where that is configured or the provider says so: a message
    /// with images is not sent to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub without_images: Vec<String>,
    /// Maximum tokens of a request, if set by the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub context: Option<u64>,
    /// Models that it passes on to other machines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<PassedOn>>", optional)]
    pub passed_on: Vec<PassedOn>,
    /// Why its models could not be listed; of one whose models are configured, why it cannot be used or, of
    /// one on this machine, that it says nothing.
    pub problem: Option<crate::UserError>,
    /// The credential of its key: the one that is configured, or one that a form would set.
    pub key: ProviderKey,
    /// The user's favourite models.
    pub favourites: Vec<String>,
    /// Prices entered by the user; none is guessed.
    pub prices: Vec<ModelPrice>,
    /// The result of its last request; none before the first since the start.
    pub health: Option<ProviderHealth>,
}

/// For a million tokens, as decimal numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelPrice {
    pub model: String,
    /// Three letters of ISO 4217.
    pub currency: String,
    pub input: String,
    /// Of input that the provider had cached; default: as other input.
    pub cached: Option<String>,
    pub output: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProviderHealth {
    pub state: HealthState,
    pub at: String,
    /// What went wrong.
    pub message: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum HealthState {
    /// A complete answer.
    Answered,
    RateLimited,
    /// No connection, or a timeout.
    Unreachable,
    RefusedKey,
    Failed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SetContext {
    /// Id of a provider of `nova.config.json`.
    pub provider: String,
    /// Tokens that a request may take.
    #[ts(type = "number")]
    pub context: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SetFavourite {
    /// `provider/model`
    pub model: String,
    pub favourite: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ListProviders {
    /// Ask every provider for its models, even if they were just asked.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub again: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProviderKey {
    /// `service/key`
    pub credential: String,
    pub state: ProviderKeyState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKeyState {
    /// It is stored and granted to this provider at its address.
    Granted,
    /// It comes from the environment.
    Environment,
    /// It is stored but not granted to this provider at its address.
    NotGranted,
    /// It is configured but not stored.
    Missing,
    /// No key is configured; some servers require none.
    None,
    /// Its store cannot be reached.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProviderRef {
    pub provider: String,
    /// The host, as shown to the user. None for the provider's own and every one that it passes
    /// models on to.
    #[serde(default)]
    #[ts(optional, as = "Option<String>")]
    pub host: Option<String>,
}

/// A provider to add.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, TS)]
pub struct NewProvider {
    /// Letters, digits, `-`, `_` and `.`; the part before `/` in `provider/model`.
    pub id: String,
    pub kind: ProviderKind,
    /// None for the kind's own address.
    #[serde(default)]
    #[ts(optional)]
    pub base_url: Option<String>,
    /// None for a server that requires no key.
    #[serde(default)]
    #[ts(optional)]
    pub key: Option<SecretText>,
}

/// A provider that answered with the key it was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CheckedProvider {
    pub host: String,
    /// On this machine.
    pub local: bool,
    /// Chat models, the one that answered first.
    pub models: Vec<String>,
    /// Models that cannot call tools, if the provider reports it.
    pub without_tools: Vec<String>,
    /// Models that it passes on to other machines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<PassedOn>>", optional)]
    pub passed_on: Vec<PassedOn>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SetModel {
    /// The session, or none for new chats.
    pub session: Option<String>,
    /// `provider/model`
    pub model: String,
}
