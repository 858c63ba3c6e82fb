use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::{
    ErrorCode, SharedText,
    view::{ConflictSide, ContextView, ImageView, NoteDiffView},
};

/// One event as it goes to the window, to `--json` and into a session's log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Envelope {
    /// [`crate::PROTOCOL_VERSION`].
    pub v: u32,
    /// Grows by one or more from event to event of one stream.
    #[ts(type = "number")]
    pub seq: u64,
    /// RFC 3339, UTC.
    pub at: String,
    /// The session of a session event; absent on app events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session: Option<String>,
    /// The turn the event belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub turn: Option<String>,
    #[serde(flatten)]
    pub event: Event,
}

/// What happened. The first group belongs to a session, the second to the whole program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A turn began with this user message.
    TurnStarted {
        text: String,
        model: String,
        skills: Vec<String>,
        tool: Option<String>,
        /// The turn it comes after; null begins the conversation anew. Absent in logs from before there
        /// were branches: it comes after the last.
        #[serde(default, deserialize_with = "crate::present", skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "string | null")]
        after: Option<Option<String>>,
        /// Nobody wrote a message: the model hears how calls ended that ran on by themselves.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(as = "Option<bool>", optional)]
        by_nova: bool,
        /// What the message shows beside its text.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(as = "Option<Vec<ImageView>>", optional)]
        images: Vec<ImageView>,
    },
    /// The user looks at another branch: the next message goes on from its last turn. What the turns of
    /// the other branch did to notes stays done.
    BranchChosen {
        /// A turn; it and what came after it are in force.
        chosen: String,
    },
    /// A request goes to the provider.
    StepStarted {
        tools: Vec<String>,
        prefix_kept: bool,
        #[ts(type = "number")]
        bytes: u64,
        /// How much of the model's context it takes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        context: Option<ContextView>,
        /// The host that it goes to; null where it stays on this machine. Absent in logs from before it
        /// was noted.
        #[serde(default, deserialize_with = "crate::present", skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "string | null")]
        host: Option<Option<String>>,
        /// The notes that the model learns something of by it, without those that an earlier request of the
        /// turn names: what tools read for this turn, and of what they read for those before what no
        /// request to this host names yet.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(as = "Option<Vec<String>>", optional)]
        notes: Vec<String>,
        /// How many more go along that requests of earlier turns to this host name; in the first request of
        /// a turn only, absent where there are none.
        #[serde(default, skip_serializing_if = "crate::is_zero")]
        #[ts(as = "Option<u32>", optional)]
        notes_before: u32,
    },
    TextDelta {
        text: String,
    },
    ReasoningDelta {
        text: String,
    },
    /// One rendered and sanitised block of an assistant message; replaces the block of that index.
    MessageBlock {
        message: String,
        index: u32,
        html: String,
        done: bool,
    },
    /// The assistant's whole text of one step, as Markdown.
    MessageCompleted {
        message: String,
        text: String,
        /// The model had read private notes and may quote them: it is not found by a search.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(as = "Option<bool>", optional)]
        private: bool,
    },
    ToolCallStarted {
        call: String,
        /// `skill.tool`
        tool: String,
        args: Value,
        effect: Effect,
        principal: PrincipalView,
    },
    ApprovalRequested {
        call: String,
        /// What would run: the arguments of the call, or as they were edited.
        args: Value,
        /// What may be answered, in the order to offer it.
        decisions: Vec<Decision>,
        /// The consequence as a question: "Change 1 note?"
        question: String,
        /// Whether `args` may accompany an allowing decision.
        editable: bool,
        diff: Option<Vec<NoteDiffView>>,
        host: Option<String>,
        /// What allowing it hands out for the first time: `service/key`, or `service` for all its keys.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(as = "Option<Vec<String>>", optional)]
        credentials: Vec<String>,
        /// Grows each time the diff was made anew because a note changed meanwhile.
        revision: u32,
        /// The call runs already and waits for this answer: denied, it goes on without the host.
        #[serde(default)]
        mid_run: bool,
    },
    ApprovalDecided {
        call: String,
        decision: Decision,
        by: String,
        reason: Option<String>,
    },
    ToolCallProgress {
        call: String,
        fraction: Option<f64>,
        message: Option<String>,
        partial: Option<Value>,
    },
    /// The call runs on by itself; its end comes later, also after the turn.
    ToolCallDetached {
        call: String,
        /// What it had found by then.
        so_far: Value,
    },
    ToolCallCompleted {
        call: String,
        ok: bool,
        /// The value, or `{code, message, hint}`.
        output: Value,
        sources: Vec<SourceView>,
        /// The numbers of the output that a person would quote.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(as = "Option<Vec<FigureView>>", optional)]
        figures: Vec<FigureView>,
        #[ts(type = "number")]
        ms: u64,
        changes: Vec<NoteChangeView>,
        change_set: Option<String>,
        /// What came from outside while the call wrote.
        merged: Vec<String>,
        /// What it had found when it was stopped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        so_far: Option<Value>,
    },
    SkillActivated {
        skill: String,
        by: ActivatedBy,
        lifetime: String,
    },
    SkillDeactivated {
        skill: String,
        by: DeactivatedBy,
    },
    /// Notes seen in this session that were changed outside since.
    NotesChangedOutside {
        paths: Vec<String>,
        /// What changed, by path, where it is known: "stage: lead → won".
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[ts(as = "Option<BTreeMap<String, String>>", optional)]
        summaries: BTreeMap<String, String>,
    },
    /// Two changes of a note meet at one place. An empty side is an empty text or a note that is gone.
    ConflictFound {
        /// The note; where it was to be, when Nova was to move it.
        note: String,
        /// Where it is then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        from: Option<String>,
        /// What Nova was to do with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        kind: Option<NoteChangeKind>,
        /// What differs: "stage", "body", "deleted outside".
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(as = "Option<Vec<String>>", optional)]
        what: Vec<String>,
        mine: String,
        theirs: String,
    },
    /// The user chose a side of a conflict.
    ConflictResolved {
        note: String,
        keep: ConflictSide,
    },
    CredentialNeeded {
        credential: String,
        consumer: String,
    },
    ElicitationRequested {
        call: String,
        schema: Value,
    },
    /// What was said before is sent in a shorter form from now on, to make room; the log keeps it.
    HistoryCompacted {
        #[serde(default)]
        by: CompactedBy,
        /// So many messages are sent in the shorter form.
        #[serde(default)]
        messages: u32,
        /// Tokens of the next request, without and with it.
        #[serde(default)]
        #[ts(type = "number")]
        before: u64,
        #[serde(default)]
        #[ts(type = "number")]
        after: u64,
        /// Why there is no summary.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        why: Option<String>,
    },
    Usage {
        #[ts(type = "number")]
        input: u64,
        #[ts(type = "number")]
        cached: u64,
        #[ts(type = "number")]
        output: u64,
    },
    TurnCompleted {
        text: String,
    },
    TurnCancelled {
        unknown: Vec<String>,
    },
    TurnFailed {
        code: ErrorCode,
        message: String,
        hint: String,
        /// The host that the user has not agreed to; with `provider_not_agreed` only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        host: Option<String>,
    },

    /// Skills by id and tools as `skill.tool`.
    RegistryChanged {
        added: Vec<String>,
        removed: Vec<String>,
        changed: Vec<String>,
    },
    /// What the assistant wrote and nobody has approved may be other tools than before.
    PendingToolsChanged {},
    /// Rules, or what was approved of tools, are others than before, and in force.
    RulesChanged {},
    VaultChanged {
        kind: VaultChangeKind,
        path: String,
        from: Option<String>,
        by: VaultChangeAuthor,
        /// "stage: lead → won"
        summary: Option<String>,
    },
    ConfigProblem {
        file: String,
        line: Option<u32>,
        message: String,
    },
    ServerState {
        server: String,
        state: String,
        reason: Option<String>,
    },
    /// How the last request to a provider went.
    ProviderHealth {
        provider: String,
        health: crate::view::ProviderHealth,
    },
    CredentialState {
        credential: String,
        state: String,
    },
    ChangeSet {
        id: String,
        state: String,
    },
    /// Another vault is open now, or none where the configured one cannot be opened.
    VaultOpened {
        name: Option<String>,
    },
    /// The folder of the vault, or of one of its extra roots, cannot be reached: nothing is written there
    /// until it is back.
    VaultGone {
        /// The extra root, by the name of its link in the vault; null: the vault itself.
        root: Option<String>,
        message: String,
        hint: String,
    },
    /// The folder is back.
    VaultBack {
        /// As in `vault_gone`.
        root: Option<String>,
        /// "The vault folder is back. 3 notes changed meanwhile."
        message: String,
    },
    /// A session was created, renamed, deleted, or its turn began or ended.
    SessionChanged {
        id: String,
    },
}

/// What a tool does to the world; the worst that it may do.
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

/// How room was made for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CompactedBy {
    /// The model summed up what was said before; the user's own words stay.
    #[default]
    Summary,
    /// What tools answered was taken out.
    WithoutOutputs,
}

/// Why a skill is not active any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DeactivatedBy {
    Model,
    User,
    /// It was active for one turn only.
    #[serde(alias = "router", alias = "pin")]
    Turn,
    /// It was switched off or removed, or cannot run any more.
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
    },
}

/// A number that a tool computed, and what is behind it.
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
    /// What it came from, as places in the list of the output's sources.
    pub sources: Vec<u32>,
    /// What to know before it is trusted: "2 old quotes".
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

/// Who changed the note: somebody outside of Nova, or one of Nova's change sets.
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
