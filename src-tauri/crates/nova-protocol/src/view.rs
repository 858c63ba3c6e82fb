//! Parameters and results of the commands.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::{Decision, Effect, Envelope, SourceView, event::NoteChangeKind, event::NoteChangeView};

/// For commands that need no parameters or answer nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Nothing {}

// ---- the program -------------------------------------------------------------------------------

/// What the window needs first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AppStatus {
    pub version: String,
    /// `linux`, `macos`, `windows`.
    pub platform: String,
    /// Nothing was chosen yet: show the first start.
    pub first_run: bool,
    pub vault: Option<VaultSummary>,
    /// Why the configured vault is not open.
    pub vault_problem: Option<crate::UserError>,
    pub config_problem: Option<ConfigProblemView>,
    /// `provider/model` new chats use.
    pub model: Option<String>,
    pub appearance: Appearance,
    /// Today's date in the user's zone, `YYYY-MM-DD`.
    pub today: String,
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
    /// Where the sample vault would be copied to, to be read by a person.
    pub sample_target: String,
    pub sample_notes: u32,
    /// A model server on this machine.
    pub local_model: Option<LocalModelServer>,
    /// Where a local server was looked for.
    pub looked_at: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FoundVault {
    pub path: String,
    pub name: String,
    pub notes: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LocalModelServer {
    /// `ollama`
    pub provider: String,
    pub host: String,
    pub models: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OpenVault {
    pub choice: VaultChoice,
    /// `provider/model`; none goes on without one.
    pub model: Option<String>,
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
    /// Markdown notes found in it.
    pub notes: Option<u32>,
}

// ---- sessions ----------------------------------------------------------------------------------

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
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SessionView {
    pub row: SessionRow,
    /// The events that make the conversation, oldest first; the same `reduce` reads them.
    pub events: Vec<Envelope>,
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
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TurnRef {
    pub turn: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct DecideApproval {
    /// The session, or the form run, that the call belongs to.
    pub session: String,
    pub call: String,
    pub decision: Decision,
    /// The revision that was looked at; an older one is refused.
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
    /// `openai` …
    pub kind: String,
    /// On this machine.
    pub local: bool,
    pub host: String,
    /// A remote provider that the user agreed to send notes to; always true for a local one.
    pub agreed: bool,
    pub models: Vec<String>,
    /// Why its models could not be listed.
    pub problem: Option<crate::UserError>,
    /// The credential of its key: the one that is configured, or one that a form would set.
    pub key: ProviderKey,
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
    /// It is kept and granted to this provider at its address.
    Granted,
    /// It comes from the environment.
    Environment,
    /// It is kept, and this provider may not have it for its address.
    NotGranted,
    /// It is configured and not kept.
    Missing,
    /// No key is configured; some servers want none.
    None,
    /// Where it is kept cannot be reached.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProviderRef {
    pub provider: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SetModel {
    /// The session, or none for new chats.
    pub session: Option<String>,
    /// `provider/model`
    pub model: String,
}

// ---- skills and tools --------------------------------------------------------------------------

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
    /// It came from elsewhere: from `~/.agents/skills`, or with a vault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub foreign: Option<bool>,
    /// Why, and what to do, where the state is not a good one.
    pub reason: Option<String>,
    pub description: String,
    /// `on_demand` or `always`
    pub mode: String,
    /// `session` or `turn`
    pub lifetime: String,
    pub pinned: bool,
    pub hidden: bool,
    /// `skill.tool` of each.
    pub tools: Vec<String>,
    pub tokens: SkillTokens,
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
    /// What its calls have given to the model, estimated at four bytes a token.
    pub tokens: u32,
    /// RFC 3339
    pub last_used: Option<String>,
    /// Calls by day, `YYYY-MM-DD` in UTC; days without a call are absent.
    pub days: BTreeMap<String, u32>,
}

/// The list of skills that every request begins with, in tokens of four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CatalogView {
    /// As it is sent.
    pub tokens: u32,
    /// As it would be without a limit.
    pub whole: u32,
    pub budget: u32,
    /// Descriptions had to be shortened: `whole` is more than `budget`.
    pub shortened: bool,
}

/// What settings show of one skill beside its row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SkillDetail {
    pub skill: String,
    /// Also those that are switched off.
    pub tools: Vec<ToolSwitch>,
    /// JSON Schema of its configuration, where it has one.
    pub config_schema: Option<Value>,
    /// In force: the skill's own defaults with what the user set.
    pub config: Value,
    /// What the user set; null for nothing.
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

/// What the user sets of a skill; what is absent stays as it is.
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
    /// The user's whole configuration of the skill; null takes it back to the defaults.
    #[serde(deserialize_with = "present")]
    #[ts(optional, type = "unknown")]
    pub config: Option<Value>,
}

/// Keeps `null` apart from what is absent.
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
    /// The hints whose lack is the reason, each as a sentence.
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

/// What a skill from elsewhere brings. Nothing of it is trusted, and nothing has run but the
/// reading of its tools, which reaches nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SkillReview {
    pub skill: String,
    pub description: String,
    pub instructions: String,
    pub folder: String,
    /// Of the names and contents of all its files: what the user agrees to.
    pub fingerprint: String,
    pub state: ReviewState,
    /// By path.
    pub files: Vec<ReviewedFile>,
    /// Files that the user agreed to and that are no more there.
    pub removed: Vec<String>,
    pub tools: Vec<ReviewedTool>,
    /// All hosts that its tools name, declared or not.
    pub hosts: Vec<String>,
    pub credentials: Vec<String>,
    /// Values that it wants: kept as its credentials, configured, or taken from Nova's environment.
    pub env: Vec<String>,
    /// Tools that it would like to use without being asked about; that grants nothing.
    pub allowed_tools: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ReviewState {
    /// The user never agreed to it.
    New,
    /// It is not what the user agreed to.
    Changed,
    Agreed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReviewedFile {
    pub path: String,
    #[ts(type = "number")]
    pub bytes: u64,
    /// What became of it since the user agreed, if they ever did.
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
    /// What the file declares. Its effect grants nothing: a call is asked about each time.
    pub definition: Option<ToolDefinitionView>,
    pub problem: Option<ToolFileProblem>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AcceptSkill {
    pub skill: String,
    /// Of what was looked at; another one is refused.
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
    pub changes: Vec<NoteChangeView>,
    pub change_set: Option<String>,
    #[ts(type = "number")]
    pub ms: u64,
}

/// A tool file that waits for the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PendingToolRow {
    /// The file's name without its ending.
    pub name: String,
    pub file: String,
    /// Empty where the file cannot be read.
    pub source: String,
    /// Names what was looked at: of the source, or of the file where that cannot be read.
    pub hash: String,
    /// What the file defines; none where there is a problem.
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
    /// Hosts that stand in its source and that it does not declare.
    pub proposed_hosts: Vec<String>,
    pub credentials: Vec<String>,
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
    /// Of the source that was looked at; another one is refused.
    pub hash: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct DryRunTool {
    pub name: String,
    pub hash: String,
    pub args: Value,
}

/// What a tool wanted and said in a run without any effect.
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
    /// Where the version before is kept.
    pub replaced: Option<String>,
}

// ---- notes and changes -------------------------------------------------------------------------

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NoteRef {
    pub path: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LinkRef {
    pub url: String,
}

/// A note as the window shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct NoteView {
    pub path: String,
    pub name: String,
    /// Property and its text, in the note's order.
    pub properties: Vec<(String, String)>,
    /// Sanitised.
    pub html: String,
    pub broken: Option<ProblemView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ListChanges {
    /// Only those of this session.
    #[serde(default)]
    #[ts(optional)]
    pub session: Option<String>,
    /// Only those in this state.
    #[serde(default)]
    #[ts(optional)]
    pub state: Option<ChangeSetState>,
    #[serde(default)]
    #[ts(optional)]
    pub limit: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ChangeSetKind {
    Turn,
    Form,
    Cli,
    Mcp,
    Undo,
    Import,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ChangeSetState {
    Open,
    Committed,
    Interrupted,
    Undone,
    PartlyUndone,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ChangeSetView {
    pub id: String,
    pub kind: ChangeSetKind,
    pub at: String,
    pub author: String,
    pub label: String,
    pub state: ChangeSetState,
    pub session: Option<String>,
    /// When it, or the latest part of it, was undone, RFC 3339.
    pub undone_at: Option<String>,
    pub notes: Vec<ChangedNoteView>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ChangedNoteView {
    pub path: String,
    pub kind: NoteChangeKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub from: Option<String>,
    pub call: Option<String>,
    pub undone: bool,
    /// Somebody changed the note after Nova did.
    pub edited_since: bool,
    pub diff: NoteDiffView,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UndoChanges {
    pub change_set: String,
    #[serde(default)]
    #[ts(optional)]
    pub note: Option<String>,
    #[serde(default)]
    #[ts(optional)]
    pub call: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct UndoResult {
    /// The change set that the undo itself is; none when nothing could be undone.
    pub change_set: Option<String>,
    pub undone: Vec<String>,
    /// Notes edited since, where both changes are kept.
    pub merged: Vec<String>,
    pub conflicts: Vec<ConflictView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FinishChanges {
    pub change_set: String,
}

/// What became of finishing an interrupted change set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FinishResult {
    /// The change set that the rest was written in; none when nothing was written.
    pub change_set: Option<String>,
    /// The notes that it wrote.
    pub finished: Vec<String>,
    /// Notes that were edited since at the same place. With one of them nothing was written, and
    /// the set stays interrupted.
    pub conflicts: Vec<ConflictView>,
}

/// What was forgotten of the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PruneResult {
    /// How many change sets went.
    pub forgotten: u32,
}

/// Which side of a conflict the user keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ResolveConflict {
    /// The session, or the form run, whose write met the edit.
    #[serde(default)]
    pub session: Option<String>,
    /// The change set whose undo or finish met the edit.
    #[serde(default)]
    #[ts(optional)]
    pub change_set: Option<String>,
    pub note: String,
    pub keep: ConflictSide,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ConflictSide {
    /// What Nova was to write.
    Mine,
    /// What is in the note.
    Theirs,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ResolvedConflict {
    /// The change set that wrote Nova's version; none when nothing was written.
    pub change_set: Option<String>,
    /// The note was edited once more at the same place: nothing was written, and these are its
    /// sides now.
    pub conflict: Option<ConflictView>,
}

/// Both sides of a note that was changed twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ConflictView {
    pub path: String,
    pub what: Vec<String>,
    pub mine: String,
    pub theirs: String,
}

/// What a change does to one note.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct NoteDiffView {
    pub path: String,
    pub kind: NoteChangeKind,
    /// Where the note is or was before, when it is moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub from: Option<String>,
    pub properties: Vec<PropertyChangeView>,
    pub hunks: Vec<HunkView>,
    /// Unchanged lines behind the last hunk.
    pub tail_skipped: u32,
    /// "1 property, nothing else in the note"
    pub summary: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PropertyChangeView {
    pub key: String,
    /// In the file after the change, 1-based.
    pub line: u32,
    pub before: Option<String>,
    pub after: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HunkView {
    /// Unchanged lines before it.
    pub skipped: u32,
    pub lines: Vec<DiffLineView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DiffLineView {
    pub kind: DiffLineKind,
    pub old: Option<u32>,
    pub new: Option<u32>,
    pub words: Vec<DiffWordView>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DiffLineKind {
    Context,
    Added,
    Removed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DiffWordView {
    pub text: String,
    pub changed: bool,
}

// ---- rules -------------------------------------------------------------------------------------

/// Everything that was decided for good, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PermissionsView {
    /// Where the rules are written.
    pub file: String,
    /// Why the rules in force are not those of the file.
    pub problem: Option<ConfigProblemView>,
    /// In the order in which they are asked: deny, ask, allow.
    pub rules: Vec<RuleRow>,
    pub policies: Vec<PolicyRow>,
    /// Tools that did not come with Nova and were allowed to run.
    pub tools: Vec<ApprovedToolRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RuleRow {
    pub answer: RuleAnswer,
    /// As it stands in the file.
    pub pattern: String,
    pub line: u32,
    /// What is not as its author may have meant it: it names no tool there is, or is not understood.
    pub note: Option<String>,
}

/// What a rule says to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RuleAnswer {
    Deny,
    /// `human_approval` in the file.
    Ask,
    Allow,
}

/// Rules for some principals. Written in the file only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PolicyRow {
    pub name: String,
    /// "relationship unknown"
    pub who: String,
    pub rules: Vec<RuleRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ApprovedToolRow {
    /// `skill.tool`
    pub tool: String,
    /// Every call was allowed, not only the first.
    pub always: bool,
    pub state: ApprovedToolState,
    /// Hosts that every call may contact, beside those that it declares.
    pub hosts: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ApprovedToolState {
    /// It is as it was approved.
    AsApproved,
    /// It changed, and asks again.
    Changed,
    /// There is no such tool now.
    Gone,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AddRule {
    pub answer: RuleAnswer,
    pub pattern: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RuleRef {
    pub pattern: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ApprovedToolRef {
    /// `skill.tool`
    pub tool: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ApprovedHostRef {
    /// `skill.tool`
    pub tool: String,
    pub host: String,
}

/// "What would happen if the assistant called this?" Nothing runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TryRule {
    /// `skill.tool` or the wire name.
    pub tool: String,
    pub args: Option<Value>,
    /// `owner`, `delegate`, `known` or `unknown`; `owner` where it is not said.
    pub relationship: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TriedRule {
    /// `skill.tool`
    pub tool: String,
    pub effect: Effect,
    pub verdict: TriedVerdict,
    /// What would be offered, where it asks.
    pub decisions: Vec<Decision>,
    /// The rule that decided; None where none speaks for or against the call.
    pub rule: Option<RuleRow>,
    /// The policy that the rule stands in.
    pub policy: Option<String>,
    /// One sentence: what decided.
    pub reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TriedVerdict {
    Run,
    Ask,
    Deny,
}
