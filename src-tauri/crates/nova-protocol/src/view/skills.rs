//! Skills and tools in settings and forms.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::NoteDiffView;

use crate::{Effect, FigureView, LogLine, NoteChangeView, SourceView};

/// The state of a skill or a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SkillState {
    Active,
    Available,
    Disabled,
    Unavailable,
    NeedsSignIn,
    NeedsReview,
    Starting,
    Failed,
    Broken,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SkillRow {
    pub id: String,
    pub name: String,
    pub version: String,
    /// `native`, `folder`, `dynamic`, `mcp`
    pub source: String,
    pub state: SkillState,
    /// A third-party skill: from `~/.agents/skills`, or from a vault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub foreign: Option<bool>,
    /// The reason and the remedy, if there is a problem.
    pub reason: Option<String>,
    /// For a model: its purpose and when to use it.
    pub description: String,
    /// For people: its purpose in a few words. Absent if its manifest has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub summary: Option<String>,
    /// `on_demand` or `always`
    pub mode: String,
    /// `session` or `turn`
    pub lifetime: String,
    pub pinned: bool,
    pub hidden: bool,
    /// `skill.tool` of each.
    pub tools: Vec<String>,
    pub tokens: SkillTokens,
    /// Number of chats in which it is active.
    pub active_in: u32,
    pub usage: SkillUsage,
    pub tags: Vec<String>,
    pub hints: Vec<String>,
    pub examples: Vec<String>,
}

/// What a skill costs in a request, estimated at four bytes a token.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillTokens {
    pub catalog: u32,
    pub instructions: u32,
    pub schemas: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct SkillUsage {
    pub activations: u32,
    pub calls: u32,
    pub errors: u32,
    pub mean_ms: Option<f64>,
    /// Output of its calls to the model, estimated at four bytes a token.
    pub tokens: u32,
    /// RFC 3339
    pub last_used: Option<String>,
    /// Calls by day, `YYYY-MM-DD` in UTC; days without a call are absent.
    pub days: BTreeMap<String, u32>,
}

/// The switch of the router.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RouterView {
    pub on: bool,
}

/// The list of skills that every request begins with, in tokens of four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CatalogView {
    /// As sent.
    pub tokens: u32,
    /// Without a limit.
    pub whole: u32,
    pub budget: u32,
    /// Descriptions had to be shortened: `whole` is more than `budget`.
    pub shortened: bool,
    /// The default model's context, in its own tokens, if known.
    #[ts(type = "number | null")]
    pub context: Option<u64>,
}

/// Parameters to begin a skill of the user's own: a folder with the first files, which work at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CreateSkill {
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CreatedSkill {
    /// Its id.
    pub skill: String,
    /// What was written.
    pub files: Vec<String>,
}

/// How skills are written: `docs/skills.md`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillManual {
    /// Rendered and sanitised.
    pub html: String,
}

/// What settings show about one skill besides its row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SkillDetail {
    pub skill: String,
    /// Including disabled ones.
    pub tools: Vec<ToolSwitch>,
    /// JSON Schema of its configuration, if any.
    pub config_schema: Option<Value>,
    /// Effective: the skill's defaults with the user's values.
    pub config: Value,
    /// The user's values; null for none.
    pub own_config: Value,
    pub config_problem: Option<String>,
    pub last_error: Option<SkillErrorView>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ToolSwitch {
    /// `skill.tool`
    pub name: String,
    /// Its id within the skill.
    pub tool: String,
    pub on: bool,
    pub calls: u32,
    pub errors: u32,
    pub mean_ms: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillErrorView {
    /// RFC 3339
    pub at: String,
    pub tool: String,
    pub message: String,
}

/// The user's settings of a skill; absent fields are unchanged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SetSkill {
    pub skill: String,
    #[ts(optional)]
    pub mode: Option<SkillMode>,
    #[ts(optional)]
    pub lifetime: Option<SkillLifetime>,
    /// Active from the first message of a new chat.
    #[ts(optional)]
    pub pinned: Option<bool>,
    /// Absent from the catalog; the user can still choose it.
    #[ts(optional)]
    pub hidden: Option<bool>,
    #[ts(optional)]
    pub tool: Option<SetTool>,
    /// The user's whole configuration of the skill; null restores the defaults.
    #[serde(deserialize_with = "present")]
    #[ts(optional, type = "unknown")]
    pub config: Option<Value>,
    /// The user confirmed record rules that match nearly every note.
    #[ts(optional)]
    pub nearly_all: Option<bool>,
}

/// Distinguishes `null` from an absent field.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SkillMode {
    OnDemand,
    Always,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SkillLifetime {
    Session,
    Turn,
}

/// A tool of a skill by its id, to be offered or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SetTool {
    pub tool: String,
    pub on: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct EnableSkill {
    pub skill: String,
    pub enabled: bool,
}

/// A skill by its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillRef {
    pub skill: String,
}

/// A request that would go to another skill once a skill is enabled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TakenExample {
    /// Whose example it is.
    pub skill: String,
    pub text: String,
    /// The missing hints that cause it, each as a sentence.
    pub missing: Vec<String>,
}

/// What the user is typing, to find the tools it may be about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SuggestTools {
    pub text: String,
    /// 8 where absent.
    #[serde(default)]
    #[ts(optional)]
    pub limit: Option<u32>,
    /// It is an example of a skill that is tested: it does not count as one, or it would always find itself.
    #[serde(default)]
    #[ts(optional)]
    pub example: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ToolSuggestion {
    /// `skill.tool`; None for a skill without tools.
    pub tool: Option<String>,
    pub skill: String,
    /// Greater than 0, about 1 at most.
    pub score: f32,
}

/// The content of a third-party skill. Untrusted; nothing has run except the
/// confined reading of its tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SkillReview {
    pub skill: String,
    pub description: String,
    pub instructions: String,
    pub folder: String,
    /// Of the names and contents of all its files, for consent.
    pub fingerprint: String,
    pub state: ReviewState,
    /// By path.
    pub files: Vec<ReviewedFile>,
    /// Accepted files that no longer exist.
    pub removed: Vec<String>,
    pub tools: Vec<ReviewedTool>,
    /// All hosts that its tools name, declared or not.
    pub hosts: Vec<String>,
    pub credentials: Vec<String>,
    /// Values that it wants: kept as its credentials, configured, or taken from Nova's environment.
    pub env: Vec<String>,
    /// Tools that it asks to use without approval; grants nothing.
    pub allowed_tools: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ReviewState {
    /// The user never agreed to it.
    New,
    /// It changed since the user agreed to it.
    Changed,
    Agreed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReviewedFile {
    pub path: String,
    #[ts(type = "number")]
    pub bytes: u64,
    /// Its change since the user's consent, if any.
    pub change: Option<FileChange>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    Added,
    Changed,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReviewedTool {
    pub file: String,
    /// What the file declares. Its effect grants nothing: each call asks.
    pub definition: Option<ToolDefinitionView>,
    pub problem: Option<ToolFileProblem>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AcceptSkill {
    pub skill: String,
    /// Of the reviewed version; any other is refused.
    pub fingerprint: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ToolRow {
    pub wire_name: String,
    /// `skill.tool`
    pub name: String,
    pub skill: String,
    pub effect: Effect,
    pub description: String,
    pub input_schema: Value,
    pub state: SkillState,
    pub reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct CallTool {
    /// `skill.tool` or its wire name.
    pub tool: String,
    pub args: Value,
    /// An id chosen by the caller; the call's events carry it as `session`, decisions name it.
    pub run: String,
}

/// Parameters to stop a form run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RunRef {
    pub run: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ToolResult {
    pub ok: bool,
    pub value: Option<Value>,
    pub error: Option<crate::UserError>,
    pub sources: Vec<SourceView>,
    /// The figures of the value.
    #[serde(default)]
    pub figures: Vec<FigureView>,
    pub changes: Vec<NoteChangeView>,
    pub change_set: Option<String>,
    /// Its partial result when it was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub so_far: Option<Value>,
    /// The tool's log; not sent to the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<LogLine>>", optional)]
    pub log: Vec<LogLine>,
    #[ts(type = "number")]
    pub ms: u64,
}

/// A tool file that waits for the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PendingToolRow {
    /// The file's name without its ending.
    pub name: String,
    pub file: String,
    /// Empty if the file cannot be read.
    pub source: String,
    /// Identifies the reviewed version: of the source, or of the file if that cannot be read.
    pub hash: String,
    /// What the file defines; none if there is a problem.
    pub definition: Option<ToolDefinitionView>,
    pub problem: Option<ToolFileProblem>,
    /// The tool file that promoting would replace.
    pub replaces: Option<ReplacedToolView>,
}

/// What a tool file declares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ToolDefinitionView {
    pub tool: String,
    pub description: String,
    pub input_schema: Value,
    pub effect: Effect,
    pub hosts: Vec<String>,
    /// Undeclared hosts in its source.
    pub proposed_hosts: Vec<String>,
    pub credentials: Vec<String>,
    /// What it may do with notes: `read`, or `write`, which reads too.
    #[serde(default)]
    pub vault: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ToolFileProblem {
    pub file: String,
    /// 1-based.
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ReplacedToolView {
    pub file: String,
    /// From its source to the waiting one.
    pub diff: NoteDiffView,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PendingToolRef {
    pub name: String,
    /// Of the reviewed source; any other is refused.
    pub hash: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct DryRunTool {
    pub name: String,
    pub hash: String,
    pub args: Value,
}

/// The requests and output of a tool in a dry run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct DryRunResult {
    pub requests: Vec<DryRunRequest>,
    /// Those it asked for, `service/key`.
    pub credentials: Vec<String>,
    pub logs: Vec<String>,
    pub value: Option<Value>,
    pub problem: Option<ToolFileProblem>,
}

/// A request that would have been sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DryRunRequest {
    pub method: String,
    pub url: String,
    /// Their names.
    pub headers: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PromotedTool {
    /// `skill.tool`
    pub tool: String,
    pub file: String,
    /// The path of the previous version.
    pub replaced: Option<String>,
}
