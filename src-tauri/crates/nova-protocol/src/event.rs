use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::parts::{
    ActivatedBy, AttachedFile, CompactedBy, ContextView, DeactivatedBy, Decision, DetailView, Effect,
    FigureView, ImageView, NoteChangeKind, NoteChangeView, PrincipalView, SandboxView, SourceView,
    VaultChangeAuthor, VaultChangeKind,
};
use crate::{
    ErrorCode,
    view::{ConflictSide, NoteDiffView},
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

/// One line that a tool logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LogLine {
    pub level: LogLevel,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    Debug,
    Info,
    Warn,
    Error,
}

/// A page of the window, as named by the tray's menu and notifications.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RequestedPage {
    Today {},
    Chat { session: String },
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
        /// The preceding turn; null restarts the conversation. Absent in logs from before there
        /// were branches: it comes after the last.
        #[serde(default, deserialize_with = "crate::present", skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "string | null")]
        after: Option<Option<String>>,
        /// No message: the model is told how background calls ended.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(as = "Option<bool>", optional)]
        by_nova: bool,
        /// Images of the message.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(as = "Option<Vec<ImageView>>", optional)]
        images: Vec<ImageView>,
        /// Attachments from MCP servers.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(as = "Option<Vec<AttachedFile>>", optional)]
        outside: Vec<AttachedFile>,
    },
    /// The user looks at another branch: the next message continues from its last turn. What the turns of
    /// the other branch did to notes stays done.
    BranchChosen {
        /// A turn; it and its successors become active.
        chosen: String,
    },
    /// A request goes to the provider.
    StepStarted {
        tools: Vec<String>,
        prefix_kept: bool,
        #[ts(type = "number")]
        bytes: u64,
        /// How much of the model's context it uses.
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
        /// The calling call; its writes are written with that one's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        within: Option<String>,
        /// Where its command runs; absent without a command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        sandbox: Option<SandboxView>,
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
        /// What the call would do, where its tool says more than the arguments do; shown in their place.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(as = "Option<Vec<DetailView>>", optional)]
        details: Vec<DetailView>,
        host: Option<String>,
        /// Credentials that allowing it grants for the first time: `service/key`, or `service` for all its keys.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(as = "Option<Vec<String>>", optional)]
        credentials: Vec<String>,
        /// Incremented when the diff is recomputed because a note changed.
        revision: u32,
        /// The call is running and waits for this answer: denied, it continues without the host.
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
    /// The call continues in the background; it may end after the turn.
    ToolCallDetached {
        call: String,
        /// Its partial result.
        so_far: Value,
    },
    ToolCallCompleted {
        call: String,
        ok: bool,
        /// The value, or `{code, message, hint}`.
        output: Value,
        sources: Vec<SourceView>,
        /// The figures of the output.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(as = "Option<Vec<FigureView>>", optional)]
        figures: Vec<FigureView>,
        #[ts(type = "number")]
        ms: u64,
        changes: Vec<NoteChangeView>,
        change_set: Option<String>,
        /// Outside changes during the call's write.
        merged: Vec<String>,
        /// Its partial result when it was stopped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        so_far: Option<Value>,
        /// The tool's log; not sent to the model.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(as = "Option<Vec<LogLine>>", optional)]
        log: Vec<LogLine>,
    },
    /// A sub-agent began to work for a running call, in a session of its own.
    SubagentStarted {
        call: String,
        /// Its session, which can be opened as a chat.
        subagent: String,
        name: String,
        /// `provider/model`
        model: String,
        /// Where its requests go; null where they stay on this machine.
        host: Option<String>,
        /// The tools it may use, `skill.tool`.
        tools: Vec<String>,
        /// Their effects, the least first. Its calls are approved like any others.
        effects: Vec<Effect>,
        /// Limits: requests to the model, tokens, and seconds of work.
        steps: u32,
        #[ts(type = "number")]
        tokens: u64,
        #[ts(type = "number")]
        seconds: u64,
    },
    /// The sub-agent of a running call made progress.
    SubagentWorked {
        call: String,
        /// Its requests to the model so far, and how many it may make.
        steps: u32,
        limit: u32,
        /// Of all its requests so far, those that the provider had cached not counted.
        #[ts(type = "number")]
        tokens: u64,
        /// Its current activity: "vault.search hosting". Absent while the model answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        now: Option<String>,
        /// Of a request just made, as in `step_started`.
        #[serde(default, deserialize_with = "crate::present", skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "string | null")]
        host: Option<Option<String>>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(as = "Option<Vec<String>>", optional)]
        notes: Vec<String>,
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
        /// What changed, by path, if known: "stage: lead → won".
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[ts(as = "Option<BTreeMap<String, String>>", optional)]
        summaries: BTreeMap<String, String>,
    },
    /// Two changes of a note conflict. An empty side is an empty text or a deleted note.
    ConflictFound {
        /// The note; where it was to be, when Nova was to move it. A file outside the vault by its absolute path.
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
    /// The program behind a running call asks the user. Answered like an approval: `once` sends `args`.
    ElicitationRequested {
        call: String,
        /// Of the values that are asked for; null if the user is to open `url`.
        schema: Value,
        /// The program that asks.
        #[serde(default)]
        from: String,
        /// In its own words.
        #[serde(default)]
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        url: Option<String>,
        /// Where `url` leads.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        host: Option<String>,
        #[serde(default)]
        decisions: Vec<Decision>,
        #[serde(default)]
        revision: u32,
    },
    /// Earlier messages are sent in a shorter form from now on; the log keeps them.
    HistoryCompacted {
        #[serde(default)]
        by: CompactedBy,
        /// How many messages are sent in the shorter form.
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
    /// The list of pending tools may have changed.
    PendingToolsChanged {},
    /// Rules or tool approvals changed and are in force.
    RulesChanged {},
    /// A routine began or ended, waits, or has another note.
    RoutinesChanged {},
    /// The user chose a page outside the window: in the tray's menu, or by a notification.
    PageRequested {
        page: RequestedPage,
    },
    /// Messages in the inbox of a watched mailbox were added, removed or marked.
    MailChanged {
        mailbox: String,
    },
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
    /// The result of the last request to a provider.
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
    /// Another vault was opened, or none if the configured one cannot be opened.
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
