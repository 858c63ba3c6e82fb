// Generated from the crate nova-protocol by `make generate`. Do not edit.

export type AcceptSkill = { skill: string, 
/**
 * Of the reviewed version; any other is refused.
 */
fingerprint: string, };

export type ActivatedBy = "model" | "user" | "router" | "pin";

export type AddRule = { answer: RuleAnswer, pattern: string, };

export type AddServers = { text: SecretText, 
/**
 * Those to add, of what the text names.
 */
names: Array<string>, 
/**
 * Whether they may start once the user agrees to them.
 */
enabled: boolean, };

export type AddWorkspace = { 
/**
 * An absolute path.
 */
path: string, access: WorkspaceAccess, };

export type AgreeToServer = { server: string, 
/**
 * Of the reviewed version; any other is refused.
 */
fingerprint: string, };

export type AppStatus = { version: string, 
/**
 * `linux`, `macos`, `windows`.
 */
platform: string, 
/**
 * Nothing is configured yet: show the first start.
 */
first_run: boolean, vault: VaultSummary | null, 
/**
 * Why the configured vault is not open, or can no longer be reached.
 */
vault_problem: UserError | null, 
/**
 * Extra roots that cannot be reached.
 */
gone_roots: Array<GoneRootView>, config_problem: ConfigProblemView | null, 
/**
 * `provider/model` new chats use.
 */
model: string | null, appearance: Appearance, reminders: Reminders, background: Background, 
/**
 * Today's date in the user's zone, `YYYY-MM-DD`.
 */
today: string, };

export type Appearance = { theme: Theme, 
/**
 * 12 to 18, px of the conversation text.
 */
text_size: number, 
/**
 * The line of catalog and token figures under the composer.
 */
activity_line: boolean, };

export type ApproveServerTool = { server: string, tool: string, 
/**
 * Of the reviewed change; any other is refused.
 */
fingerprint: string, };

export type ApprovedHostRef = { 
/**
 * `skill.tool`
 */
tool: string, host: string, };

export type ApprovedToolRef = { 
/**
 * `skill.tool`
 */
tool: string, };

export type ApprovedToolRow = { 
/**
 * `skill.tool`
 */
tool: string, 
/**
 * Every call was allowed, not only the first.
 */
always: boolean, state: ApprovedToolState, 
/**
 * Hosts that every call may contact, beside those that it declares.
 */
hosts: Array<string>, };

export type ApprovedToolState = "as_approved" | "changed" | "gone";

export type AskedHost = { host: string, reason: string, };

export type AttachedFile = { name: string, 
/**
 * Empty for a resource, which the turn reads.
 */
text: string, 
/**
 * `skill.prompt` or `skill.tool` of the server that it comes from; absent for the user's own.
 */
from?: string, 
/**
 * Of a resource.
 */
uri?: string, };

export type Background = { 
/**
 * The window is hidden, and routines and reminders continue; otherwise Nova quits.
 */
keep_running: boolean, };

export type BoardPart = { tool: string, args: { [key in string]: JsonValue }, place: PanelPlace, 
/**
 * Pointer to the columns in their order: objects with the field `column`, `count`, and the amount
 * `total`.
 */
columns: string, 
/**
 * Pointer to the cards.
 */
rows: string, 
/**
 * The field, of columns and cards, that says which column.
 */
column: string, 
/**
 * The words for one card and for several; default: "card" and "cards".
 */
one: string | null, many: string | null, 
/**
 * Columns that are folded until they are reached.
 */
folded: Array<string>, title: string, 
/**
 * Fields under the title, those with a value.
 */
detail: Array<string>, value: string | null, 
/**
 * Field of the value's currency.
 */
unit: string | null, date: string | null, 
/**
 * What dropping a card calls; `{column}` is where it was dropped.
 */
drop: PanelAction | null, actions: Array<PanelAction>, empty: PanelEmpty | null, };

export type BrokenServer = { id: string, 
/**
 * Why, and what to do.
 */
reason: string, };

export type CalendarPart = { 
/**
 * Lists the events of some days, as `calendar.list_events` does.
 */
tool: string, args: { [key in string]: JsonValue }, };

export type CallRef = { session: string, call: string, };

export type CallTool = { 
/**
 * `skill.tool` or its wire name.
 */
tool: string, args: JsonValue, 
/**
 * An id chosen by the caller; the call's events carry it as `session`, decisions name it.
 */
run: string, };

export type CatalogView = { 
/**
 * As sent.
 */
tokens: number, 
/**
 * Without a limit.
 */
whole: number, budget: number, 
/**
 * Descriptions had to be shortened: `whole` is more than `budget`.
 */
shortened: boolean, 
/**
 * The default model's context, in its own tokens, if known.
 */
context: number | null, };

export type ChangeSetKind = "turn" | "form" | "cli" | "mcp" | "undo" | "import";

export type ChangeSetState = "open" | "committed" | "interrupted" | "undone" | "partly_undone";

export type ChangeSetView = { id: string, kind: ChangeSetKind, at: string, author: string, label: string, state: ChangeSetState, session: string | null, 
/**
 * When it, or the latest part of it, was undone, RFC 3339.
 */
undone_at: string | null, notes: Array<ChangedNoteView>, };

export type ChangedNoteView = { path: string, kind: NoteChangeKind, from?: string, call: string | null, undone: boolean, 
/**
 * The note was changed after Nova changed it.
 */
edited_since: boolean, diff: NoteDiffView, };

export type ChartPart = { tool: string, args: { [key in string]: JsonValue }, place: PanelPlace, title: string, 
/**
 * Pointer to a few words beside the title.
 */
detail: string | null, shape: ChartShape, 
/**
 * Pointer to the points, in their order.
 */
rows: string, 
/**
 * Field of the date or label.
 */
x: string, series: Array<ChartSeries>, 
/**
 * Draws only the rows in which each of these fields has the value, or one of the list's; null means
 * a missing field.
 */
when: { [key in string]: JsonValue }, 
/**
 * The tab that it becomes if the window is narrow; default: its title; charts with the
 * same word share one, and a chart named after a declared tab is left to it.
 */
narrow: string | null, 
/**
 * An input of the tab: a click on a point sets it to the point's `x`.
 */
choose: string | null, 
/**
 * Pointer to the currency.
 */
unit: string | null, 
/**
 * Field that is true where a value is carried forward or old: drawn dashed.
 */
dashed: string | null, 
/**
 * Field of the mark on a bar, such as a limit.
 */
mark: string | null, 
/**
 * Pointer to a sentence about missing data, if any.
 */
note: string | null, empty: PanelEmpty | null, };

export type ChartSeries = { field: string, label: string, format: PanelFormat, };

export type ChartShape = "line" | "bars" | "columns" | "progress" | "strip";

export type CheckedProvider = { host: string, 
/**
 * On this machine.
 */
local: boolean, 
/**
 * Chat models, the one that answered first.
 */
models: Array<string>, 
/**
 * Models that cannot call tools, if the provider reports it.
 */
without_tools: Array<string>, 
/**
 * Models that it passes on to other machines.
 */
passed_on?: Array<PassedOn>, };

export type ChooseBranch = { session: string, 
/**
 * It and its successors become active.
 */
turn: string, };

export type ChooseFile = { 
/**
 * "Choose a bank file"
 */
title: string, 
/**
 * The name of these file types, such as "CSV".
 */
kind: string, 
/**
 * Without the dot.
 */
endings: Array<string>, };

export type ChosenFile = { 
/**
 * None if the dialog was closed.
 */
file: GivenFileView | null, };

export type CompactedBy = "summary" | "without_outputs";

export type CompletePrompt = { server: string, prompt: string, argument: string, text: string, 
/**
 * The other arguments, as far as they are filled in.
 */
args: { [key in string]: string }, };

export type Confidence = "sure" | "likely" | "unlikely";

export type ConfigProblemView = { file: string, line: number | null, message: string, };

export type ConflictSide = "mine" | "theirs";

export type ConflictView = { 
/**
 * The note; where it was to be, when it was to be moved.
 */
path: string, 
/**
 * Where it is then.
 */
from?: string, 
/**
 * What was to become of it.
 */
kind?: NoteChangeKind, what: Array<string>, mine: string, theirs: string, 
/**
 * It could not be read: `what` says why, there are no sides, and nothing is to be decided. It can be
 * undone once it can be read.
 */
unreadable?: boolean, };

export type ContextParts = { 
/**
 * The system prompt with the list of skills, and the tools that every request has.
 */
system: number, 
/**
 * Instructions and tools of active skills.
 */
skills: number, 
/**
 * Messages.
 */
history: number, 
/**
 * Tool results.
 */
outputs: number, };

export type ContextView = { used: number, 
/**
 * None if unknown.
 */
limit: number | null, 
/**
 * Tokens of the last request that the provider had cached.
 */
cached: number, parts: ContextParts, };

export type CreateSkill = { name: string, };

export type CreatedSkill = { 
/**
 * Its id.
 */
skill: string, 
/**
 * What was written.
 */
files: Array<string>, };

export type CredentialPlace = "keychain" | "file";

export type CredentialRef = { name: string, };

export type CredentialRow = { 
/**
 * `service/key`; only `service` if a tool requires one and no key exists.
 */
name: string, state: CredentialState, reason: string | null, 
/**
 * Obtained by signing in, not by typing it.
 */
sign_in: boolean, 
/**
 * Of a sign-in: the host where one signs in or, with `server`, that of the server, which gets the token.
 */
host: string | null, 
/**
 * The MCP server that a sign-in is for.
 */
server: string | null, 
/**
 * Who declares it: `skill:ID`, `tool:SKILL.TOOL`, `provider:ID`.
 */
wanted_by: Array<string>, grants: Array<GrantRow>, };

export type CredentialState = "kept" | "missing" | "needs_sign_in" | "unknown";

export type CredentialsView = { 
/**
 * None if no store is open.
 */
kept_in: CredentialPlace | null, 
/**
 * Why they cannot be reached; `passphrase_needed` or `no_credential_store` where
 * `unlock_credentials` would help.
 */
problem: UserError | null, credentials: Array<CredentialRow>, };

export type DeactivatedBy = "model" | "user" | "turn" | "unavailable";

export type DecideApproval = { 
/**
 * The session, or the form run, that the call belongs to.
 */
session: string, call: string, decision: Decision, 
/**
 * The revision reviewed; an older one is refused.
 */
revision: number, 
/**
 * Edited arguments, with an allowing decision.
 */
args?: JsonValue, 
/**
 * Why not, with a denial.
 */
reason?: string, };

export type Decision = "once" | "session" | "always" | "deny" | "cancel";

export type DetailView = { 
/**
 * "To"
 */
label: string, value: string, 
/**
 * A note on the value: "14 mails since March 2024".
 */
note?: string, 
/**
 * The note is a warning.
 */
caution?: boolean, };

export type DiffLineKind = "context" | "added" | "removed";

export type DiffLineView = { kind: DiffLineKind, old: number | null, new: number | null, words: Array<DiffWordView>, };

export type DiffWordView = { text: string, changed: boolean, };

export type DraftImage = { id: string, name: string, };

export type DraftImageRef = { session: string | null, id: string, };

export type DraftView = { 
/**
 * None for a new chat without messages.
 */
session: string | null, text: string, 
/**
 * `skill.tool` it points at.
 */
tool: string | null, skills: Array<string>, files: Array<AttachedFile>, 
/**
 * Kept by `keep_draft_image`; deleted when no message refers to it.
 */
images: Array<DraftImage>, 
/**
 * In sending order.
 */
queued: Array<QueuedMessage>, 
/**
 * Of one that is on its way, the id of its turn: as soon as that is in the log, the message is none
 * that waits any more.
 */
turn?: string, };

export type DropSkill = { session: string, skill: string, };

export type DryRunRequest = { method: string, url: string, 
/**
 * Their names.
 */
headers: Array<string>, };

export type DryRunResult = { requests: Array<DryRunRequest>, 
/**
 * Those it asked for, `service/key`.
 */
credentials: Array<string>, logs: Array<string>, value: JsonValue | null, problem: ToolFileProblem | null, };

export type DryRunTool = { name: string, hash: string, args: JsonValue, };

export type EditRoutine = { 
/**
 * Of its note, which keeps its name.
 */
path: string, before: NewRoutine, after: NewRoutine, };

export type EditServer = { server: string, text: SecretText, };

export type Effect = "read" | "write" | "external" | "destructive" | "send" | "undeclared";

export type EnableSkill = { skill: string, enabled: boolean, };

export type Envelope = { 
/**
 * [`crate::PROTOCOL_VERSION`].
 */
v: number, 
/**
 * Grows by one or more from event to event of one stream.
 */
seq: number, 
/**
 * RFC 3339, UTC.
 */
at: string, 
/**
 * The session of a session event; absent on app events.
 */
session?: string, 
/**
 * The turn the event belongs to.
 */
turn?: string, } & ({ "type": "turn_started", text: string, model: string, skills: Array<string>, tool: string | null, 
/**
 * The preceding turn; null restarts the conversation. Absent in logs from before there
 * were branches: it comes after the last.
 */
after?: string | null, 
/**
 * No message: the model is told how background calls ended.
 */
by_nova?: boolean, 
/**
 * Images of the message.
 */
images?: Array<ImageView>, 
/**
 * Attachments from MCP servers.
 */
outside?: Array<AttachedFile>, } | { "type": "branch_chosen", 
/**
 * A turn; it and its successors become active.
 */
chosen: string, } | { "type": "step_started", tools: Array<string>, prefix_kept: boolean, bytes: number, 
/**
 * How much of the model's context it uses.
 */
context?: ContextView, 
/**
 * The host that it goes to; null where it stays on this machine. Absent in logs from before it
 * was noted.
 */
host?: string | null, 
/**
 * The notes that the model learns something of by it, without those that an earlier request of the
 * turn names: what tools read for this turn, and of what they read for those before what no
 * request to this host names yet.
 */
notes?: Array<string>, 
/**
 * How many more go along that requests of earlier turns to this host name; in the first request of
 * a turn only, absent where there are none.
 */
notes_before?: number, } | { "type": "text_delta", text: string, } | { "type": "reasoning_delta", text: string, } | { "type": "message_block", message: string, index: number, html: string, done: boolean, } | { "type": "message_completed", message: string, text: string, 
/**
 * The model had read private notes and may quote them: it is not found by a search.
 */
private?: boolean, } | { "type": "tool_call_started", call: string, 
/**
 * `skill.tool`
 */
tool: string, args: JsonValue, effect: Effect, principal: PrincipalView, 
/**
 * The calling call; its writes are written with that one's.
 */
within?: string, 
/**
 * Where its command runs; absent without a command.
 */
sandbox?: SandboxView, } | { "type": "approval_requested", call: string, 
/**
 * What would run: the arguments of the call, or as they were edited.
 */
args: JsonValue, 
/**
 * What may be answered, in the order to offer it.
 */
decisions: Array<Decision>, 
/**
 * The consequence as a question: "Change 1 note?"
 */
question: string, 
/**
 * Whether `args` may accompany an allowing decision.
 */
editable: boolean, diff: Array<NoteDiffView> | null, 
/**
 * What the call would do, where its tool says more than the arguments do; shown in their place.
 */
details?: Array<DetailView>, host: string | null, 
/**
 * Credentials that allowing it grants for the first time: `service/key`, or `service` for all its keys.
 */
credentials?: Array<string>, 
/**
 * Incremented when the diff is recomputed because a note changed.
 */
revision: number, 
/**
 * The call is running and waits for this answer: denied, it continues without the host.
 */
mid_run: boolean, } | { "type": "approval_decided", call: string, decision: Decision, by: string, reason: string | null, } | { "type": "tool_call_progress", call: string, fraction: number | null, message: string | null, partial: JsonValue | null, } | { "type": "tool_call_detached", call: string, 
/**
 * Its partial result.
 */
so_far: JsonValue, } | { "type": "tool_call_completed", call: string, ok: boolean, 
/**
 * The value, or `{code, message, hint}`.
 */
output: JsonValue, sources: Array<SourceView>, 
/**
 * The figures of the output.
 */
figures?: Array<FigureView>, ms: number, changes: Array<NoteChangeView>, change_set: string | null, 
/**
 * Outside changes during the call's write.
 */
merged: Array<string>, 
/**
 * Its partial result when it was stopped.
 */
so_far?: JsonValue, 
/**
 * The tool's log; not sent to the model.
 */
log?: Array<LogLine>, } | { "type": "subagent_started", call: string, 
/**
 * Its session, which can be opened as a chat.
 */
subagent: string, name: string, 
/**
 * `provider/model`
 */
model: string, 
/**
 * Where its requests go; null where they stay on this machine.
 */
host: string | null, 
/**
 * The tools it may use, `skill.tool`.
 */
tools: Array<string>, 
/**
 * Their effects, the least first. Its calls are approved like any others.
 */
effects: Array<Effect>, 
/**
 * Limits: requests to the model, tokens, and seconds of work.
 */
steps: number, tokens: number, seconds: number, } | { "type": "subagent_worked", call: string, 
/**
 * Its requests to the model so far, and how many it may make.
 */
steps: number, limit: number, 
/**
 * Of all its requests so far, those that the provider had cached not counted.
 */
tokens: number, 
/**
 * Its current activity: "vault.search hosting". Absent while the model answers.
 */
now?: string, 
/**
 * Of a request just made, as in `step_started`.
 */
host?: string | null, notes?: Array<string>, } | { "type": "skill_activated", skill: string, by: ActivatedBy, lifetime: string, } | { "type": "skill_deactivated", skill: string, by: DeactivatedBy, } | { "type": "notes_changed_outside", paths: Array<string>, 
/**
 * What changed, by path, if known: "stage: lead → won".
 */
summaries?: { [key in string]: string }, } | { "type": "conflict_found", 
/**
 * The note; where it was to be, when Nova was to move it. A file outside the vault by its absolute path.
 */
note: string, 
/**
 * Where it is then.
 */
from?: string, 
/**
 * What Nova was to do with it.
 */
kind?: NoteChangeKind, 
/**
 * What differs: "stage", "body", "deleted outside".
 */
what?: Array<string>, mine: string, theirs: string, } | { "type": "conflict_resolved", note: string, keep: ConflictSide, } | { "type": "credential_needed", credential: string, consumer: string, } | { "type": "elicitation_requested", call: string, 
/**
 * Of the values that are asked for; null if the user is to open `url`.
 */
schema: JsonValue, 
/**
 * The program that asks.
 */
from: string, 
/**
 * In its own words.
 */
message: string, url?: string, 
/**
 * Where `url` leads.
 */
host?: string, decisions: Array<Decision>, revision: number, } | { "type": "history_compacted", by: CompactedBy, 
/**
 * How many messages are sent in the shorter form.
 */
messages: number, 
/**
 * Tokens of the next request, without and with it.
 */
before: number, after: number, 
/**
 * Why there is no summary.
 */
why?: string, } | { "type": "usage", input: number, cached: number, output: number, } | { "type": "turn_completed", text: string, } | { "type": "turn_cancelled", unknown: Array<string>, } | { "type": "turn_failed", code: ErrorCode, message: string, hint: string, 
/**
 * The host that the user has not agreed to; with `provider_not_agreed` only.
 */
host?: string, } | { "type": "registry_changed", added: Array<string>, removed: Array<string>, changed: Array<string>, } | { "type": "pending_tools_changed", } | { "type": "rules_changed", } | { "type": "routines_changed", } | { "type": "page_requested", page: RequestedPage, } | { "type": "mail_changed", mailbox: string, } | { "type": "vault_changed", kind: VaultChangeKind, path: string, from: string | null, by: VaultChangeAuthor, 
/**
 * "stage: lead → won"
 */
summary: string | null, } | { "type": "config_problem", file: string, line: number | null, message: string, } | { "type": "server_state", server: string, state: string, reason: string | null, } | { "type": "provider_health", provider: string, health: ProviderHealth, } | { "type": "credential_state", credential: string, state: string, } | { "type": "change_set", id: string, state: string, } | { "type": "vault_opened", name: string | null, } | { "type": "vault_gone", 
/**
 * The extra root, by the name of its link in the vault; null: the vault itself.
 */
root: string | null, message: string, hint: string, } | { "type": "vault_back", 
/**
 * As in `vault_gone`.
 */
root: string | null, 
/**
 * "The vault folder is back. 3 notes changed meanwhile."
 */
message: string, } | { "type": "session_changed", id: string, });

export type ErrorCode = "bad_request" | "internal" | "no_vault" | "vault_unavailable" | "note_not_found" | "ambiguous" | "note_exists" | "note_broken" | "path_refused" | "private" | "conflict" | "edit_refused" | "io" | "unknown_skill" | "skill_disabled" | "skill_unavailable" | "skill_needs_review" | "unknown_tool" | "unknown_symbol" | "invalid_arguments" | "tool_failed" | "tool_timed_out" | "tool_file_broken" | "unknown_pending_tool" | "pending_tool_changed" | "denied_by_rule" | "denied_by_user" | "approval_unanswered" | "credential_needed" | "credential_not_granted" | "needs_sign_in" | "sign_in_failed" | "sign_in_refused" | "credential_invalid" | "credential_store" | "no_credential_store" | "passphrase_needed" | "cancelled" | "interrupted" | "unknown_approval" | "no_model" | "unknown_model" | "provider_not_agreed" | "provider_unreachable" | "provider_refused_key" | "provider_rate_limited" | "provider_timeout" | "provider_truncated" | "provider_filtered" | "provider_empty" | "provider_bad_response" | "model_without_tools" | "model_without_images" | "context_too_small" | "provider_failed" | "step_limit" | "token_limit" | "unknown_session" | "session_busy" | "unknown_change_set" | "config_broken" | "literal_secret";

export type ExportSession = { session: string, 
/**
 * Including inactive branches.
 */
all?: boolean, };

export type ExportedSession = { 
/**
 * Where it was saved, for display; none if the user closed the dialog.
 */
saved: string | null, };

export type ExtraRoot = { path: string, 
/**
 * With `~` for the user's home.
 */
shown: string, 
/**
 * The links at the vault's top that lead to it.
 */
links: Array<string>, 
/**
 * The folder exists.
 */
found: boolean, };

export type FieldErrorView = { field: string, 
/**
 * Sentences: what is wrong, then what to do.
 */
message: string, 
/**
 * The note was changed while the form was open: what it holds now, null for nothing.
 */
theirs?: unknown, };

export type FieldPreview = { field: string, label: string, 
/**
 * `$file` for the name of the note.
 */
property: string, 
/**
 * Whether the name of the note may be its value.
 */
may_be_file_name: boolean, 
/**
 * Another property that would fit better.
 */
suggested: string | null, 
/**
 * Records that have a value.
 */
notes: number, examples: Array<string>, 
/**
 * Of these, how many the field cannot hold.
 */
odd: number, 
/**
 * "a date"
 */
needs: string, confidence: Confidence, 
/**
 * Allowed values; empty if any of its kind.
 */
choices: Array<string>, 
/**
 * Values of the vault that are no choice, with those that stand for one.
 */
values: Array<ValuePreview>, };

export type FieldProposal = { skill: string, 
/**
 * Types with a proposal.
 */
types: Array<TypeProposal>, 
/**
 * The user's whole configuration of the skill with the proposal in it; null if nothing is
 * proposed.
 */
config: JsonValue, };

export type FieldsOfRecords = { skill: string, fields: Array<string>, };

export type FigurePartView = { label: string, value: string, unit: string, caution: string | null, };

export type FigureView = { 
/**
 * JSON Pointer to the number in the output.
 */
at: string, label: string, 
/**
 * A decimal.
 */
value: string, 
/**
 * A currency code, `%`, or empty.
 */
unit: string, 
/**
 * How it was computed, in a few words.
 */
formula: string | null, parts: Array<FigurePartView>, 
/**
 * Its sources, as indices into the output's list.
 */
sources: Array<number>, 
/**
 * A caution: "2 old quotes".
 */
caution: string | null, };

export type FileChange = "added" | "changed";

export type FillPrompt = { server: string, prompt: string, args: { [key in string]: string }, };

export type FinishChanges = { change_set: string, };

export type FinishResult = { 
/**
 * The change set that the rest was written in; none when nothing was written.
 */
change_set: string | null, 
/**
 * The notes that it wrote.
 */
finished: Array<string>, 
/**
 * Notes that were edited since at the same place. With one of them nothing was written, and
 * the set stays interrupted.
 */
conflicts: Array<ConflictView>, };

export type FirstRunOptions = { 
/**
 * Obsidian vaults found on this machine.
 */
found: Array<FoundVault>, 
/**
 * Where the sample vault would be copied to, for display.
 */
sample_target: string, sample_notes: number, 
/**
 * The model servers found on this machine.
 */
local_models: Array<LocalModelServer>, 
/**
 * Where they were looked for, as hosts with ports.
 */
looked_at: Array<string>, };

export type FormPart = { tool: string, args: { [key in string]: JsonValue }, place: PanelPlace, title: string, };

export type FoundMailServers = { address: string, domain: string, found: ProposedMailServers | null, 
/**
 * Sources asked before that named no usable server.
 */
without: Array<AskedHost>, };

export type FoundSession = { row: SessionRow, 
/**
 * The title, if it matches.
 */
title: Array<TextPart> | null, 
/**
 * Matching messages, newest first; only a few.
 */
said: Array<FoundText>, };

export type FoundText = { turn: string, by: Speaker, 
/**
 * RFC 3339.
 */
at: string, 
/**
 * Some words around the first hit.
 */
snippet: Array<TextPart>, };

export type FoundVault = { path: string, 
/**
 * The path for display: with `~` for the user's home.
 */
shown: string, name: string, notes: number, };

export type GiveFile = { name: string, 
/**
 * Its bytes in base64.
 */
data: string, };

export type GivenFileView = { 
/**
 * Its name in a tool's arguments.
 */
path: string, 
/**
 * Without its folder.
 */
name: string, 
/**
 * For display; none for a dropped file.
 */
folder: string | null, 
/**
 * In bytes.
 */
size: number, };

export type GlanceValue = { value: JsonValue, format: PanelFormat, 
/**
 * Currency of a bare amount, else empty.
 */
unit: string, 
/**
 * The words after it, for this value.
 */
words: string, };

export type GlanceView = { skill: string, name: string, icon: string | null, 
/**
 * The tool took too long: the entry keeps its last text.
 */
late: boolean, ask: string | null, 
/**
 * May be empty.
 */
says: Array<GlanceValue>, badge: Array<GlanceValue>, today: TodayView | null, };

export type GoneRootView = { 
/**
 * The name of its link in the vault.
 */
root: string, message: string, hint: string, };

export type GrantCredential = { name: string, 
/**
 * `provider:ID`, `skill:ID`, `tool:SKILL.TOOL`.
 */
to: string, };

export type GrantRow = { 
/**
 * `provider:ID`, `skill:ID`, `tool:SKILL.TOOL`.
 */
consumer: string, 
/**
 * An address, or hosts.
 */
destination: string, 
/**
 * False if the consumer changed since this was granted.
 */
in_force: boolean, };

export type HealthState = "answered" | "rate_limited" | "unreachable" | "refused_key" | "failed";

export type HistoryUse = { changes: number, bytes: number, oldest: string | null, 
/**
 * Older changes are deleted automatically.
 */
days: number, 
/**
 * The oldest changes are deleted if the history is larger.
 */
most_bytes: number, 
/**
 * Number of the newest changes that are always kept.
 */
at_least: number, 
/**
 * What pruning to fewer days would delete.
 */
older: Array<OlderChanges>, };

export type HunkView = { 
/**
 * Unchanged lines before it.
 */
skipped: number, lines: Array<DiffLineView>, };

export type ImageData = { media_type: string, 
/**
 * Its bytes in base64.
 */
data: string, };

export type ImageRef = { session: string, id: string, };

export type ImageView = { 
/**
 * Within its session; equal for equal bytes.
 */
id: string, name: string, 
/**
 * `image/png`, `image/jpeg`, `image/webp` or `image/gif`.
 */
media_type: string, 
/**
 * In pixels.
 */
width: number, 
/**
 * In pixels.
 */
height: number, };

export type ImportServers = { file: string, names: Array<string>, };

export type JsonValue = number | string | boolean | Array<JsonValue> | { [key in string]: JsonValue } | null;

export type KeepDraftImage = { 
/**
 * None for a new chat without messages.
 */
session: string | null, image: NewImage, };

export type KeepHistory = { 
/**
 * Older changes are deleted, 1 to 3650.
 */
days: number, 
/**
 * The oldest changes are deleted if the history is larger.
 */
bytes: number, };

export type LeftOut = { 
/**
 * The rule.
 */
what: string, notes: number, };

export type LinkRef = { url: string, };

export type ListChanges = { 
/**
 * Only those of this session.
 */
session?: string, 
/**
 * Only those in this state.
 */
state?: ChangeSetState, limit?: number, };

export type ListPart = { tool: string, args: { [key in string]: JsonValue }, place: PanelPlace, heading: string, rows: string, title: string, detail: Array<string>, date: string | null, 
/**
 * The field that says which group, and the groups in their order.
 */
group: string | null, groups: Array<PanelGroup>, 
/**
 * Orders to choose from, the first until then; default: as the rows come.
 */
sorts: Array<PanelSort>, 
/**
 * A last line about what is not in the list.
 */
rest: PanelRest | null, actions: Array<PanelAction>, empty: PanelEmpty | null, };

export type ListProviders = { 
/**
 * Ask every provider for its models, even if they were just asked.
 */
again?: boolean, };

export type LocalModelServer = { 
/**
 * The id it has as a provider: `ollama`, `lm-studio`, `llama-cpp`.
 */
provider: string, host: string, models: Array<string>, 
/**
 * Models that cannot call tools, if the server reports it.
 */
without_tools: Array<string>, 
/**
 * Models that it passes on to other machines.
 */
passed_on?: Array<PassedOn>, };

export type LogLevel = "debug" | "info" | "warn" | "error";

export type LogLine = { level: LogLevel, message: string, };

export type MailAddress = { address: string, };

export type MailPart = { 
/**
 * Lists the newest messages of a folder, as `mail.list` does.
 */
tool: string, args: { [key in string]: JsonValue }, };

export type MailProvider = "google" | "microsoft";

export type MailboxEntry = { name: string, 
/**
 * `host`, or `host:port`.
 */
imap: string, 
/**
 * The same; empty if no mail is sent.
 */
smtp: string, user: string, 
/**
 * Where the user signs in; null if there is a password.
 */
sign_in: MailProvider | null, 
/**
 * Of the sender; empty if it is the user.
 */
address: string, 
/**
 * The first word of the server's `Authentication-Results`; empty if unknown.
 */
checked_by: string, 
/**
 * Each mail asks before it is sent; otherwise none is sent.
 */
sending: boolean, read_only: boolean, };

export type MailboxPassword = "kept" | "missing" | "needs_sign_in" | "not_granted" | "unknown";

export type MailboxProblem = { message: string, hint: string, 
/**
 * The server rejects the user and the password, or the sign-in.
 */
refused: boolean, };

export type MailboxRow = { mailbox: MailboxEntry, 
/**
 * `mail/KEY`, where its password is.
 */
credential: string, password: MailboxPassword, 
/**
 * Why it is unknown whether there is a password, or why a sign-in is needed.
 */
reason: string | null, 
/**
 * The host at which the user signs in, where that takes the place of a password.
 */
sign_in_host: string | null, 
/**
 * `host:port` of IMAP, then of SMTP if any: the destinations of the password.
 */
servers: Array<string>, 
/**
 * The newest test of these servers with this user.
 */
tested: MailboxTest | null, };

export type MailboxStep = { step: MailboxStepKind, 
/**
 * `host:port`
 */
server: string, problem: MailboxProblem | null, };

export type MailboxStepKind = "connect" | "sign_in" | "folders" | "connect_to_send" | "sign_in_to_send";

export type MailboxTest = { 
/**
 * RFC 3339.
 */
at: string, 
/**
 * Up to the first of IMAP and the first of SMTP that failed. SMTP is left out after a refused sign-in.
 */
steps: Array<MailboxStep>, 
/**
 * Messages of the inbox; none if it could not be read.
 */
unread: number | null, };

export type MailboxesView = { mailboxes: Array<MailboxRow>, };

export type MarkRecord = { skill: string, record_type: string, path: string, 
/**
 * An id chosen by the caller; the events of the change carry it as `session`.
 */
run: string, };

export type ModelPrice = { model: string, 
/**
 * Three letters of ISO 4217.
 */
currency: string, input: string, 
/**
 * Of input that the provider had cached; default: as other input.
 */
cached: string | null, output: string, };

export type NewImage = { 
/**
 * The name of its file.
 */
name: string, 
/**
 * As the sender declares it; the bytes decide.
 */
media_type?: string, 
/**
 * Its bytes in base64.
 */
data: string, };

export type NewNotes = { folder: string, 
/**
 * What makes them records: "categories: [[People]]".
 */
mark: string | null, 
/**
 * Their template note.
 */
template: string | null, };

export type NewProvider = { 
/**
 * Letters, digits, `-`, `_` and `.`; the part before `/` in `provider/model`.
 */
id: string, kind: ProviderKind, 
/**
 * None for the kind's own address.
 */
base_url?: string, 
/**
 * None for a server that requires no key.
 */
key?: SecretText, };

export type NewRoutine = { name: string, when: Array<string>, zone: string, 
/**
 * The message to the assistant.
 */
message: string, 
/**
 * A tool that runs instead, `skill.tool`, and its arguments as a JSON object.
 */
tool: string, args: string, allow: Array<string>, skills: Array<string>, 
/**
 * `provider/model`
 */
model: string, };

export type NotUnderstood = { field: string, property: string, 
/**
 * Number of these notes.
 */
notes: number, 
/**
 * "a date"
 */
needs: string, 
/**
 * Examples of values.
 */
examples: Array<string>, };

export type NoteAsRead = { 
/**
 * Among the records, from 0.
 */
at: number, path: string, values: Array<ValueAsRead>, };

export type NoteChangeKind = "created" | "modified" | "deleted" | "renamed";

export type NoteChangeView = { path: string, kind: NoteChangeKind, from?: string, };

export type NoteDiffView = { path: string, kind: NoteChangeKind, 
/**
 * Where the note is or was before, when it is moved.
 */
from?: string, properties: Array<PropertyChangeView>, hunks: Array<HunkView>, 
/**
 * Unchanged lines behind the last hunk.
 */
tail_skipped: number, 
/**
 * "1 property, nothing else in the note"
 */
summary: string, };

export type NoteGroup = { 
/**
 * "`last` is not a date", "with tag #person"
 */
what: string, 
/**
 * The field it is about.
 */
field: string | null, 
/**
 * Examples of values.
 */
values: Array<string>, notes: number, 
/**
 * Their paths, 50 at most.
 */
paths: Array<string>, };

export type NotePrivacy = { path: string, private: boolean, 
/**
 * The first entry of the list that covers it.
 */
entry: string | null, 
/**
 * Its properties cannot be read, so it counts as private.
 */
unreadable: boolean, 
/**
 * The line of its properties that says so, if any.
 */
line: number | null, };

export type NoteRef = { path: string, };

export type NoteSuggestion = { 
/**
 * As a link writes it.
 */
name: string, path: string, 
/**
 * Its `type:`.
 */
record_type: string | null, };

export type NoteView = { path: string, name: string, 
/**
 * Property and its text, in the note's order.
 */
properties: Array<[string, string]>, 
/**
 * Sanitised.
 */
html: string, broken: ProblemView | null, 
/**
 * Its record type, which has a form; none if no skill declares it.
 */
record?: RecordOf, };

export type Nothing = Record<symbol, never>;

export type OfferedSecret = { 
/**
 * Of the variable or header.
 */
variable: string, 
/**
 * `service/key`
 */
credential: string, 
/**
 * The text has its value; otherwise it is asked for later.
 */
has_value: boolean, };

export type OfferedServer = { name: string, 
/**
 * The command or the address; empty if there is a problem.
 */
runs: string, 
/**
 * Where its program is.
 */
program: string | null, host: string | null, secrets: Array<OfferedSecret>, 
/**
 * A server of that name or of the same skill exists.
 */
taken: boolean, 
/**
 * Why it cannot be added, and what to do.
 */
problem: string | null, };

export type OlderChanges = { days: number, changes: number, bytes: number, };

export type OpenVault = { choice: VaultChoice, 
/**
 * `provider/model`; none to continue without a model.
 */
model: string | null, 
/**
 * Added before the vault is opened.
 */
provider?: NewProvider, };

export type OpenedVault = { path: string, 
/**
 * The path for display: with `~` for the user's home.
 */
shown: string, 
/**
 * Number of notes of each `type:`, most first.
 */
records: Array<TypeCount>, 
/**
 * Whether a note is replaced in one step; null before the first write tells.
 */
one_step: boolean | null, history: HistoryUse, };

export type OutsideTag = "outside";

export type OwnFieldPreview = { property: string, 
/**
 * A kind of a field, such as `date`: as set, else as the values are.
 */
kind: string, used: boolean, notes: number, examples: Array<string>, 
/**
 * Values that are not of the kind.
 */
odd: number, 
/**
 * What the notes say, the most common first, where these are few enough to be choices.
 */
values: Array<string>, };

export type OwnPrivate = { path: string, 
/**
 * Its properties cannot be read, so it counts as private.
 */
unreadable: boolean, };

export type Panel = { tabs: Array<PanelTab>, };

export type PanelAction = { label: string, icon: string | null, 
/**
 * The tool it calls.
 */
tool: string | null, args: { [key in string]: JsonValue }, 
/**
 * Opens the tool's form with `args` filled in, instead of calling at once.
 */
ask: boolean, 
/**
 * Opens the import of a file: `tool` is asked to review the file and then to import it, and files that are
 * dropped on the panel go to it.
 */
import: boolean, 
/**
 * Opens the form of a record of this type; on a row, of the row's record, and where the row has none, of
 * a new one that begins with `args`.
 */
record: string | null, 
/**
 * On a row: opens the form of its note, whatever record that is.
 */
edit: boolean, 
/**
 * With `edit`: the field of the form that has the focus.
 */
field: string | null, 
/**
 * On a row: deletes its note, once the user has allowed it.
 */
delete: boolean, 
/**
 * On a row: offered only if each of these fields has the value, or one of the list's.
 */
when: { [key in string]: JsonValue }, 
/**
 * On a row of a table: the letter, or `Del`, that does it while the row has the focus.
 */
key: string | null, 
/**
 * In the panel's head: the menu of the arrow beside its button.
 */
more: Array<PanelAction>, };

export type PanelChoice = { value: string, label: string, };

export type PanelColumn = { field: string, label: string, format: PanelFormat, 
/**
 * Field of the currency.
 */
unit: string | null, 
/**
 * Field of a few grey words behind the value.
 */
detail: string | null, 
/**
 * Omitted if the window is narrow or the panel is beside the chat.
 */
roomy: boolean, };

export type PanelCount = { tool: string, args: { [key in string]: JsonValue }, at: string, };

export type PanelEmpty = { text: string, action: PanelAction | null, };

export type PanelFormat = "text" | "number" | "money" | "percent" | "gain" | "signed" | "change" | "date" | "age" | "note" | "tags" | "bar";

export type PanelGroup = { value: string, label: string, 
/**
 * Its heading and dates are red.
 */
late: boolean, };

export type PanelInput = { 
/**
 * Its name in `args`.
 */
name: string, label: string, kind: PanelInputKind, 
/**
 * The values of a choice.
 */
choices: Array<PanelChoice>, 
/**
 * `today` for this day, month or year; else the value. Empty: not given to the tool.
 */
default: string, 
/**
 * Of a currency: pointers into the answers of the tab to those to choose from; a step that is a star
 * stands for each entry on the way.
 */
among: Array<string>, };

export type PanelInputKind = "month" | "year" | "date" | "choice" | "text" | "currency";

export type PanelPart = { "kind": "summary" } & SummaryPart | { "kind": "table" } & TablePart | { "kind": "board" } & BoardPart | { "kind": "list" } & ListPart | { "kind": "chart" } & ChartPart | { "kind": "form" } & FormPart | { "kind": "calendar" } & CalendarPart | { "kind": "mail" } & MailPart | { "kind": "symbol" } & SymbolPart | { "kind": "screener" } & ScreenerPart;

export type PanelPlace = "below" | "beside" | "side";

export type PanelRest = { 
/**
 * Pointer to the number; no line if it is 0.
 */
at: string, 
/**
 * The words for one and for several.
 */
one: string, many: string, 
/**
 * Title of the tab that a click opens.
 */
tab: string | null, };

export type PanelSort = { 
/**
 * "Due first"
 */
label: string, 
/**
 * A field, `-` before it for the largest first.
 */
by: string, };

export type PanelTab = { 
/**
 * Empty if there is only one.
 */
title: string, 
/**
 * The number beside the title.
 */
count: PanelCount | null, 
/**
 * What the user may choose for the whole tab, such as a month.
 */
inputs: Array<PanelInput>, 
/**
 * Buttons in the panel's head.
 */
actions: Array<PanelAction>, parts: Array<PanelPart>, };

export type PanelView = { skill: string, name: string, icon: string | null, 
/**
 * Without tabs if there is a problem.
 */
panel: Panel, 
/**
 * The problem of the declaration.
 */
problem: string | null, };

export type PassedOn = { 
/**
 * Without the provider's id.
 */
model: string, 
/**
 * Where it runs, if the server reports it, with any unusual port.
 */
host: string, 
/**
 * The user agreed to send notes there.
 */
agreed: boolean, };

export type PendingToolRef = { name: string, 
/**
 * Of the reviewed source; any other is refused.
 */
hash: string, };

export type PendingToolRow = { 
/**
 * The file's name without its ending.
 */
name: string, file: string, 
/**
 * Empty if the file cannot be read.
 */
source: string, 
/**
 * Identifies the reviewed version: of the source, or of the file if that cannot be read.
 */
hash: string, 
/**
 * What the file defines; none if there is a problem.
 */
definition: ToolDefinitionView | null, problem: ToolFileProblem | null, 
/**
 * The tool file that promoting would replace.
 */
replaces: ReplacedToolView | null, };

export type PermissionsView = { 
/**
 * The file of the rules, for display.
 */
file: string, 
/**
 * Why the rules in force are not those of the file.
 */
problem: ConfigProblemView | null, 
/**
 * In the order in which they are asked: deny, ask, allow.
 */
rules: Array<RuleRow>, policies: Array<PolicyRow>, 
/**
 * Approved tools that are not built in.
 */
tools: Array<ApprovedToolRow>, };

export type PickedFolder = { path: string | null, 
/**
 * The path for display: with `~` for the user's home.
 */
shown: string | null, 
/**
 * Markdown notes found in it.
 */
notes: number | null, };

export type PolicyRow = { name: string, 
/**
 * "relationship unknown"
 */
who: string, rules: Array<RuleRow>, };

export type PreviewRecords = { skill: string, record_type: string, 
/**
 * What `skills.<id>.config.records.<type>` would be. Without it what is in force, or what the notes suggest
 * where the user has set nothing.
 */
own?: JsonValue, 
/**
 * Rules to count, as entries of `match`, those that are not used included. Without it those in force and
 * those that the notes suggest.
 */
rules?: Array<JsonValue>, 
/**
 * Which of the records to read as one note, from 0.
 */
note?: number, };

export type PrincipalKind = "user" | "subagent" | "mcp_client";

export type PrincipalView = { kind: PrincipalKind, name: string, };

export type PrivateEntry = { 
/**
 * As in the settings.
 */
entry: string, 
/**
 * It names one note and no folder.
 */
is_note: boolean, 
/**
 * Notes of the open vault that it covers.
 */
notes: number, };

export type ProblemView = { path: string, line: number, problem: string, remedy: string, 
/**
 * The note is in a folder of records but not a record: `mark_record` makes it one.
 */
mark?: RecordMark, };

export type PromotedTool = { 
/**
 * `skill.tool`
 */
tool: string, file: string, 
/**
 * The path of the previous version.
 */
replaced: string | null, };

export type PropertyChangeView = { key: string, 
/**
 * In the file after the change, 1-based.
 */
line: number, before: string | null, after: string | null, };

export type PropertyProposal = { field: string, 
/**
 * For a person.
 */
label: string, 
/**
 * Its name in the notes.
 */
property: string, 
/**
 * Number of the notes that have it.
 */
notes: number, 
/**
 * Values of a few notes.
 */
examples: Array<string>, 
/**
 * "is another name for email", "holds e-mail addresses"
 */
because: string, };

export type PropertyUse = { property: string, notes: number, };

export type ProposedMailServers = { 
/**
 * The provider's own name.
 */
provider: string | null, 
/**
 * Their source: a host, or the DNS of the domain.
 */
from: string, 
/**
 * It is Thunderbird's database of providers, and not the domain of the address.
 */
from_database: boolean, 
/**
 * As an entry has it.
 */
imap: string, 
/**
 * The connection to the IMAP server becomes encrypted by STARTTLS, not from its first byte.
 */
imap_starttls: boolean, 
/**
 * The same; empty if none is usable.
 */
smtp: string, 
/**
 * The same of the SMTP server.
 */
smtp_starttls: boolean, user: string, 
/**
 * The provider of these servers, if it uses a browser sign-in.
 */
sign_in: MailProvider | null, 
/**
 * Hosts outside the domain of the address.
 */
elsewhere: Array<string>, 
/**
 * Servers that were named and are not proposed, each with the reason.
 */
left_out: Array<string>, };

export type ProviderHealth = { state: HealthState, at: string, 
/**
 * What went wrong.
 */
message: string | null, };

export type ProviderKey = { 
/**
 * `service/key`
 */
credential: string, state: ProviderKeyState, };

export type ProviderKeyState = "granted" | "environment" | "not_granted" | "missing" | "none" | "unknown";

export type ProviderKind = "openai" | "openai_responses" | "anthropic" | "gemini" | "ollama";

export type ProviderRef = { provider: string, 
/**
 * The host, as shown to the user. None for the provider's own and every one that it passes
 * models on to.
 */
host?: string, };

export type ProviderRow = { id: string, kind: ProviderKind, 
/**
 * On this machine; of its models, those in `passed_on` are not.
 */
local: boolean, host: string, 
/**
 * A remote provider that the user agreed to send notes to; always true for a local one.
 */
agreed: boolean, models: Array<string>, 
/**
 * Those of the models that cannot call tools, where the provider says so: no chat can be had with
 * them.
 */
without_tools: Array<string>, 
/**
 * Those that cannot read images, where that is configured or the provider says so: a message
 * with images is not sent to them.
 */
without_images?: Array<string>, 
/**
 * Maximum tokens of a request, if set by the user.
 */
context?: number, 
/**
 * Models that it passes on to other machines.
 */
passed_on?: Array<PassedOn>, 
/**
 * Why its models could not be listed; of one whose models are configured, why it cannot be used or, of
 * one on this machine, that it says nothing.
 */
problem: UserError | null, 
/**
 * The credential of its key: the one that is configured, or one that a form would set.
 */
key: ProviderKey, 
/**
 * The user's favourite models.
 */
favourites: Array<string>, 
/**
 * Prices entered by the user; none is guessed.
 */
prices: Array<ModelPrice>, 
/**
 * The result of its last request; none before the first since the start.
 */
health: ProviderHealth | null, };

export type PruneChanges = { 
/**
 * Deletes what is older than this many days; default: the usual limits.
 */
days?: number, };

export type PruneResult = { 
/**
 * Number of deleted change sets.
 */
forgotten: number, };

export type PurgeSessions = { session?: string, };

export type PurgedSessions = { purged: number, };

export type QueuedMessage = { text: string, tool: string | null, skills: Array<string>, files: Array<AttachedFile>, images: Array<DraftImage>, 
/**
 * Of one that is on its way, the id of its turn: as soon as that is in the log, the message is none
 * that waits any more.
 */
turn?: string, };

export type ReadServers = { 
/**
 * It may hold secrets.
 */
text: SecretText, };

export type RecentVault = { path: string, 
/**
 * With `~` for the user's home.
 */
shown: string, name: string, 
/**
 * Null if the folder does not exist.
 */
notes: number | null, 
/**
 * When it was last opened, if known.
 */
opened: string | null, 
/**
 * When the page first found the folder missing; null if it exists.
 */
missing_since: string | null, };

export type RecordFormRef = { skill: string, record_type: string, 
/**
 * Of the note, or its name; a new record without.
 */
path?: string, };

export type RecordFormView = { skill: string, record_type: string, label: string, 
/**
 * Of the note; none for a new record.
 */
path: string | null, 
/**
 * The record's name; none for a new one.
 */
name: string | null, 
/**
 * JSON Schema of the fields, by their declared names and in their order.
 */
schema: JsonValue, 
/**
 * Hints beside it, as react-jsonschema-form has them: `ui:title`, `ui:widget`, `ui:placeholder`.
 */
ui_schema: JsonValue, 
/**
 * An object: what the fields show. To be handed back when it is saved.
 */
values: JsonValue, 
/**
 * The note's problems, by line.
 */
problems: Array<ProblemView>, 
/**
 * The note cannot be read as a record: nothing can be saved until that is fixed.
 */
broken: ProblemView | null, 
/**
 * Of the note's bytes.
 */
hash: string | null, };

export type RecordMark = { skill: string, record_type: string, 
/**
 * "type: contact"
 */
mark: string, };

export type RecordOf = { skill: string, 
/**
 * Its name in the manifest.
 */
record_type: string, 
/**
 * For a person: "Contact".
 */
label: string, };

export type RecordTypeRow = { skill: string, 
/**
 * Its name in the manifest.
 */
record_type: string, 
/**
 * For a person: "Contact".
 */
label: string, 
/**
 * Where new notes go.
 */
folder: string, 
/**
 * The field that names the note, if any.
 */
title: string | null, };

export type RecordsFault = { 
/**
 * Below `records.<type>`, such as `match[0]`.
 */
key: string, 
/**
 * A sentence.
 */
reason: string, };

export type RecordsPreview = { skill: string, record_type: string, 
/**
 * For a person: "Contact".
 */
label: string, 
/**
 * Whether the user declared the type.
 */
is_own: boolean, 
/**
 * All types of the skill, in its order.
 */
types: Array<TypeTab>, 
/**
 * Notes that were read.
 */
read: number, 
/**
 * What `records.<type>` would be: as asked for, in force, or suggested.
 */
own: JsonValue, 
/**
 * What it is now; null if the user has set nothing.
 */
in_force: JsonValue, 
/**
 * The user's whole configuration of the skill with `own` in it.
 */
config: JsonValue, 
/**
 * The problems of `own`. The rest is then read with the settings in force.
 */
faults: Array<RecordsFault>, rules: Array<RulePreview>, fields: Array<FieldPreview>, 
/**
 * Properties of the records, the most common first.
 */
properties: Array<PropertyUse>, 
/**
 * Properties that are no field of the skill, with those the user made one.
 */
own_fields: Array<OwnFieldPreview>, 
/**
 * Records there would be.
 */
taken: number, left_out: Array<NoteGroup>, 
/**
 * Values that no field can hold: the notes are records, the field stays empty.
 */
not_understood: Array<NoteGroup>, 
/**
 * Notes that are records of another type, too.
 */
shared: Array<SharedNotes>, 
/**
 * Notes that seem to be records and cannot be read.
 */
broken: Array<ProblemView>, 
/**
 * Records that no remote model reads.
 */
private: Array<NoteGroup>, note: NoteAsRead | null, new_notes: NewNotes, 
/**
 * "By in Notes/, 29 of 30 notes are records of contact", if the rules match nearly every note.
 */
takes_nearly_all: string | null, };

export type Reminders = { 
/**
 * Minutes before an event; `null`: never.
 */
events: number | null, 
/**
 * Time of the morning notification, `HH:MM`; `null`: never.
 */
morning: string | null, };

export type RemoveMailbox = { name: string, 
/**
 * Removes its password too, unless another mailbox uses it.
 */
password: boolean, };

export type RenameSession = { session: string, title: string, };

export type ReplacedToolView = { file: string, 
/**
 * From its source to the waiting one.
 */
diff: NoteDiffView, };

export type RequestedPage = { "kind": "today", } | { "kind": "chat", session: string, };

export type ResolveConflict = { 
/**
 * The session, or the form run, whose write met the edit.
 */
session: string | null, 
/**
 * The change set whose undo or finish met the edit.
 */
change_set?: string, note: string, keep: ConflictSide, };

export type ResolvedConflict = { 
/**
 * The change set that wrote Nova's version; none when nothing was written.
 */
change_set: string | null, 
/**
 * The note was edited again at the same place: nothing was written, and these are its
 * sides now.
 */
conflict: ConflictView | null, };

export type ResourceSuggestion = { server: string, 
/**
 * `skill.tool` that reads it.
 */
tool: string, uri: string, name: string, description: string, media_type: string | null, };

export type ReviewState = "new" | "changed" | "agreed";

export type ReviewedFile = { path: string, bytes: number, 
/**
 * Its change since the user's consent, if any.
 */
change: FileChange | null, };

export type ReviewedTool = { file: string, 
/**
 * What the file declares. Its effect grants nothing: each call asks.
 */
definition: ToolDefinitionView | null, problem: ToolFileProblem | null, };

export type ReviseApproval = { session: string, call: string, args: JsonValue, };

export type RouterView = { on: boolean, };

export type RoutineEnd = "running" | "waiting" | "completed" | "failed" | "stopped" | "cut_off";

export type RoutineRef = { 
/**
 * The note's path, or the routine's name.
 */
path: string, };

export type RoutineRow = { 
/**
 * Of its note.
 */
path: string, name: string, 
/**
 * As the note has it.
 */
when: Array<string>, 
/**
 * Empty for the zone of this machine.
 */
zone: string, enabled: boolean, 
/**
 * What it may run without asking, besides reading.
 */
allow: Array<string>, 
/**
 * The text below the properties: sent to the assistant if no tool is named.
 */
message: string, 
/**
 * The tool that runs instead, `skill.tool`, and its arguments as the note has them; empty if
 * none.
 */
tool: string, args: string, skills: Array<string>, 
/**
 * `provider/model`; empty for the default one.
 */
model: string, 
/**
 * The problem of its note and the remedy, in one line.
 */
problem: string | null, 
/**
 * The next due time, RFC 3339; none if it is off or not timed.
 */
next: string | null, last: RoutineRun | null, };

export type RoutineRun = { 
/**
 * Its chat; empty if it failed before one was created.
 */
session: string, 
/**
 * RFC 3339.
 */
due: string, started: string, ended: string | null, 
/**
 * Delay of its start in minutes; 0 if on time.
 */
late: number, end: RoutineEnd, 
/**
 * The question it stopped at, the reason it failed, or the beginning of the answer; one line.
 */
said: string, 
/**
 * The user has seen how it ended.
 */
seen: boolean, };

export type RuleAnswer = "deny" | "ask" | "allow";

export type RulePreview = { 
/**
 * An entry of `match`.
 */
entry: JsonValue, 
/**
 * "in People/", "#person"
 */
words: string, used: boolean, notes: number, 
/**
 * Notes not matched by an earlier rule.
 */
more: number, 
/**
 * Paths of a few of the notes.
 */
examples: Array<string>, confidence: Confidence, 
/**
 * "158 have e-mail"
 */
reason: string, 
/**
 * Why it cannot be read; then nothing is counted.
 */
fault: string | null, };

export type RuleProposal = { 
/**
 * "in People/", "#person", "categories contains [[People]]"
 */
rule: string, notes: number, 
/**
 * Notes not matched by an earlier rule.
 */
more: number, 
/**
 * Paths of a few of the notes.
 */
examples: Array<string>, confidence: Confidence, 
/**
 * "158 have e-mail"
 */
reason: string, 
/**
 * Whether it is part of the proposed configuration.
 */
used: boolean, };

export type RuleRef = { pattern: string, };

export type RuleRow = { answer: RuleAnswer, 
/**
 * As in the file.
 */
pattern: string, line: number, 
/**
 * A problem of the rule: it names no existing tool, or cannot be parsed.
 */
note: string | null, };

export type RunRef = { run: string, };

export type SameRecord = { path: string, 
/**
 * A sentence about the existing one.
 */
message: string, 
/**
 * It is a record of the same type, which has a form.
 */
is_record: boolean, 
/**
 * The name that another note would get.
 */
free_name: string, };

export type SandboxView = { 
/**
 * Where it runs, in words.
 */
folder: string, 
/**
 * Open folders that it may read, by name.
 */
reads: Array<string>, 
/**
 * Open folders that it may write, by name.
 */
writes: Array<string>, 
/**
 * Whether it sees a copy of the vault without private notes.
 */
vault: boolean, 
/**
 * Hosts that it may contact; none is no network at all.
 */
hosts: Array<string>, 
/**
 * Its time limit, unless the call sets another.
 */
seconds: number, 
/**
 * Bytes of memory of all its processes together.
 */
memory: number, };

export type SaveMailbox = { 
/**
 * The name of the one that is changed.
 */
before?: string, mailbox: MailboxEntry, 
/**
 * Needed for a new one, and where servers or user change, unless the user signs in with the browser.
 */
password?: SecretText, 
/**
 * Stores it without a test.
 */
untested: boolean, };

export type SaveRecord = { skill: string, record_type: string, 
/**
 * The note as the form named it; a new one without.
 */
path?: string, 
/**
 * The values that the form was opened with: what differs now was changed by the user, and
 * nothing else is written.
 */
before?: JsonValue, 
/**
 * All values of the form. Absent, null and empty values are removed from the note.
 */
values: JsonValue, 
/**
 * The user confirmed adding another record beside the existing one, under a free name.
 */
another?: boolean, 
/**
 * An id chosen by the caller; the events of the save carry it as `session`.
 */
run: string, };

export type SavedMailbox = { saved: boolean, 
/**
 * None if nothing was tested.
 */
test: MailboxTest | null, };

export type SavedRecord = { 
/**
 * By field, in their order.
 */
errors: Array<FieldErrorView>, 
/**
 * The existing record that a new one duplicates.
 */
same?: SameRecord, 
/**
 * None if there are errors, or if it already exists.
 */
result: ToolResult | null, };

export type ScreenerPart = { 
/**
 * Lists the screens, as `screener.list_screens` does.
 */
tool: string, args: { [key in string]: JsonValue }, };

export type SearchSessions = { 
/**
 * Every word of it has to be there, parts of words count; no sign has a meaning.
 */
query: string, 
/**
 * Maximum number of sessions; default: 20.
 */
limit?: number, };

export type SecretText = string;

export type SendMessage = { session: string, text: string, 
/**
 * `provider/model`, else the session's, else the config's.
 */
model?: string, 
/**
 * Skills the user activates with this message.
 */
skills: Array<string>, 
/**
 * `skill.tool` the user points at.
 */
tool?: string, 
/**
 * The turn that this one comes after, where that is not the last in force: an edited message or
 * another answer to it begins a branch. Null begins the conversation anew.
 */
after?: string | null, 
/**
 * Images, at most 10.
 */
images?: Array<NewImage>, 
/**
 * Attachments from MCP servers, at most 8.
 */
outside?: Array<AttachedFile>, 
/**
 * The id that its turn is to have, never used before: a message whose turn is in the log already is
 * not sent again.
 */
turn?: string, };

export type ServerDetail = { server: string, review: ServerReviewView, 
/**
 * None if unknown.
 */
tools: Array<ServerToolView> | null, 
/**
 * The end of its standard error, at most 64 KB.
 */
last_lines: Array<string>, calls: number, errors: number, mean_ms: number | null, };

export type ServerEntry = { command: string | null, args: Array<string>, cwd: string | null, url: string | null, 
/**
 * `env` of a command, `headers` of an address.
 */
values: { [key in string]: string }, };

export type ServerFile = { 
/**
 * "Claude Desktop"
 */
program: string, file: string, 
/**
 * For display: `~` for the home folder.
 */
shown: string, servers: Array<OfferedServer>, 
/**
 * Why it cannot be read.
 */
problem: string | null, };

export type ServerMediaRef = { id: string, };

export type ServerPrompt = { server: string, 
/**
 * Of the server's skill.
 */
skill: string, name: string, title: string | null, description: string, 
/**
 * JSON Schema of its arguments, all of them texts.
 */
input_schema: JsonValue, 
/**
 * The server suggests values for them.
 */
completes: boolean, };

export type ServerRef = { server: string, };

export type ServerReviewView = { fingerprint: string, agreed: boolean, 
/**
 * When the user agreed to it, RFC 3339; none if unknown.
 */
agreed_at: string | null, 
/**
 * The user agreed to a different command or address before.
 */
changed: boolean, 
/**
 * The path of its program; none for an address, or if not found.
 */
program: string | null, 
/**
 * The command as it is written, or the address.
 */
runs: string, host: string | null, folder: string | null, 
/**
 * Names of its variables or headers.
 */
variables: Array<string>, 
/**
 * `service/key` of the secrets that it receives.
 */
credentials: Array<string>, changes: Array<ServerToolChange>, };

export type ServerRow = { name: string, 
/**
 * Of its skill.
 */
id: string, state: ServerStateView, 
/**
 * The user agreed to a different command or address before.
 */
changed: boolean, 
/**
 * The reason and the remedy, if there is a problem.
 */
reason: string | null, 
/**
 * As the server reports it.
 */
version: string | null, 
/**
 * The last negotiated protocol version.
 */
protocol: string | null, 
/**
 * The command as it is written, or the address.
 */
runs: string, 
/**
 * Of a server at an address.
 */
host: string | null, 
/**
 * None if its tools are unknown.
 */
tools: ServerToolCounts | null, 
/**
 * Number of chats in which its skill is active.
 */
active_in: number, 
/**
 * Its command names the vault, or a folder around or in it.
 */
reaches_vault: boolean, 
/**
 * While it starts.
 */
start: ServerStart | null, 
/**
 * Consecutive failures.
 */
failures: number, 
/**
 * In ms, until it is restarted automatically.
 */
next_try: number | null, 
/**
 * After a failure: the end of its standard error.
 */
last_lines: Array<string>, };

export type ServerSignIn = { host: string, };

export type ServerStart = { elapsed: number, limit: number, };

export type ServerStateView = "off" | "needs_review" | "asleep" | "starting" | "ready" | "needs_sign_in" | "failed";

export type ServerToolChange = { tool: string, 
/**
 * It was added since the user agreed to the server.
 */
is_new: boolean, 
/**
 * When it was first listed like this, RFC 3339; none if unknown.
 */
changed_at: string | null, 
/**
 * A sentence about instructions in the change, if any were detected.
 */
warning: string | null, 
/**
 * Of both definitions: what is approved.
 */
fingerprint: string, diff: NoteDiffView, };

export type ServerToolCounts = { listed: number, 
/**
 * The user wants them, and they can be called.
 */
on: number, 
/**
 * Blocked because their definition changed.
 */
changed: number, 
/**
 * Of these, tools added since the user agreed to the server.
 */
new: number, 
/**
 * When the first of those changes was seen, RFC 3339; null if unknown.
 */
changed_since: string | null, 
/**
 * Of the enabled tools, in a request with the skill active; estimated at four bytes a token.
 */
tokens: number, };

export type ServerToolView = { 
/**
 * As the server names it.
 */
tool: string, 
/**
 * In the server's words.
 */
description: string, 
/**
 * As set by the user; none: every call asks.
 */
effect: Effect | null, 
/**
 * The effects that the server states, as text. Not trusted.
 */
hints: Array<string>, tokens: number, on: boolean, 
/**
 * Its definition changed: it cannot be called.
 */
blocked: boolean, 
/**
 * Why it cannot be called.
 */
reason: string | null, };

export type ServersView = { servers: Array<ServerRow>, 
/**
 * Entries that cannot be used.
 */
broken: Array<BrokenServer>, };

export type SessionRef = { session: string, };

export type SessionRow = { id: string, title: string, 
/**
 * RFC 3339 of the last event.
 */
updated_at: string, created_at: string, running: boolean, 
/**
 * `provider/model` of this session.
 */
model: string | null, 
/**
 * Pinned.
 */
pinned: boolean, 
/**
 * Archived; a search finds it.
 */
archived: boolean, 
/**
 * When it was moved to the trash; RFC 3339.
 */
deleted_at?: string, 
/**
 * The session whose sub-agent worked in this one; it is in no list by itself.
 */
parent?: string, };

export type SessionView = { row: SessionRow, 
/**
 * The events that make the conversation, oldest first; the same `reduce` reads them.
 */
events: Array<Envelope>, 
/**
 * Calls running in the background.
 */
running_calls: Array<string>, };

export type SetContext = { 
/**
 * Id of a provider of `nova.config.json`.
 */
provider: string, 
/**
 * Tokens that a request may take.
 */
context: number, };

export type SetCredential = { 
/**
 * `service/key`
 */
name: string, value: SecretText, 
/**
 * Its first consumer, as for `grant_credential`. A provider without a key is given the
 * reference to it in `nova.config.json`, too.
 */
grant_to?: string, };

export type SetFavourite = { 
/**
 * `provider/model`
 */
model: string, favourite: boolean, };

export type SetMailbox = { name: string, sending?: boolean, read_only?: boolean, };

export type SetModel = { 
/**
 * The session, or none for new chats.
 */
session: string | null, 
/**
 * `provider/model`
 */
model: string, };

export type SetPrivate = { 
/**
 * A note or folder of the vault, or by its path on the disk.
 */
entry: string, private: boolean, };

export type SetRoot = { 
/**
 * An absolute path.
 */
path: string, listed: boolean, };

export type SetServer = { server: string, enabled?: boolean, tool?: SetServerTool, };

export type SetServerTool = { tool: string, on?: boolean, 
/**
 * The tool's effect as set by the user; null: not declared.
 */
effect?: Effect | null, };

export type SetSession = { session: string, pinned?: boolean, archived?: boolean, };

export type SetSkill = { skill: string, mode?: SkillMode, lifetime?: SkillLifetime, 
/**
 * Active from the first message of a new chat.
 */
pinned?: boolean, 
/**
 * Absent from the catalog; the user can still choose it.
 */
hidden?: boolean, tool?: SetTool, 
/**
 * The user's whole configuration of the skill; null restores the defaults.
 */
config?: unknown, 
/**
 * The user confirmed record rules that match nearly every note.
 */
nearly_all?: boolean, };

export type SetTool = { tool: string, on: boolean, };

export type SharedNotes = { 
/**
 * `what` names the other type: "company", "task of Projects".
 */
group: NoteGroup, 
/**
 * The skill of the other type.
 */
skill: string, record_type: string, 
/**
 * Entries of `except` that would leave the notes to the other type.
 */
except: Array<JsonValue>, };

export type SignIn = { 
/**
 * `service/key`
 */
name: string, 
/**
 * The host shown to the user; the browser opens no other.
 */
host?: string, };

export type SkillDetail = { skill: string, 
/**
 * Including disabled ones.
 */
tools: Array<ToolSwitch>, 
/**
 * JSON Schema of its configuration, if any.
 */
config_schema: JsonValue | null, 
/**
 * Effective: the skill's defaults with the user's values.
 */
config: JsonValue, 
/**
 * The user's values; null for none.
 */
own_config: JsonValue, config_problem: string | null, last_error: SkillErrorView | null, };

export type SkillErrorView = { 
/**
 * RFC 3339
 */
at: string, tool: string, message: string, };

export type SkillLifetime = "session" | "turn";

export type SkillManual = { 
/**
 * Rendered and sanitised.
 */
html: string, };

export type SkillMode = "on_demand" | "always";

export type SkillRef = { skill: string, };

export type SkillReview = { skill: string, description: string, instructions: string, folder: string, 
/**
 * Of the names and contents of all its files, for consent.
 */
fingerprint: string, state: ReviewState, 
/**
 * By path.
 */
files: Array<ReviewedFile>, 
/**
 * Accepted files that no longer exist.
 */
removed: Array<string>, tools: Array<ReviewedTool>, 
/**
 * All hosts that its tools name, declared or not.
 */
hosts: Array<string>, credentials: Array<string>, 
/**
 * Values that it wants: kept as its credentials, configured, or taken from Nova's environment.
 */
env: Array<string>, 
/**
 * Tools that it asks to use without approval; grants nothing.
 */
allowed_tools: string | null, };

export type SkillRow = { id: string, name: string, version: string, 
/**
 * `native`, `folder`, `dynamic`, `mcp`
 */
source: string, state: SkillState, 
/**
 * A third-party skill: from `~/.agents/skills`, or from a vault.
 */
foreign?: boolean, 
/**
 * The reason and the remedy, if there is a problem.
 */
reason: string | null, 
/**
 * For a model: its purpose and when to use it.
 */
description: string, 
/**
 * For people: its purpose in a few words. Absent if its manifest has none.
 */
summary?: string, 
/**
 * `on_demand` or `always`
 */
mode: string, 
/**
 * `session` or `turn`
 */
lifetime: string, pinned: boolean, hidden: boolean, 
/**
 * `skill.tool` of each.
 */
tools: Array<string>, tokens: SkillTokens, 
/**
 * Number of chats in which it is active.
 */
active_in: number, usage: SkillUsage, tags: Array<string>, hints: Array<string>, examples: Array<string>, };

export type SkillState = "active" | "available" | "disabled" | "unavailable" | "needs_sign_in" | "needs_review" | "starting" | "failed" | "broken";

export type SkillTokens = { catalog: number, instructions: number, schemas: number, };

export type SkillUsage = { activations: number, calls: number, errors: number, mean_ms: number | null, 
/**
 * Output of its calls to the model, estimated at four bytes a token.
 */
tokens: number, 
/**
 * RFC 3339
 */
last_used: string | null, 
/**
 * Calls by day, `YYYY-MM-DD` in UTC; days without a call are absent.
 */
days: { [key in string]: number }, };

export type SourceView = { "kind": "note", path: string, } | { "kind": "web", url: string, at: string, 
/**
 * The page's own title, for a page that was read.
 */
title?: string, 
/**
 * The page's stated date, `YYYY-MM-DD`.
 */
date?: string, };

export type Speaker = "user" | "nova";

export type SuggestNotes = { text: string, 
/**
 * The skill whose records come first; may be empty.
 */
skill: string, 
/**
 * The field it is typed into: records of that type come before all.
 */
field?: string, 
/**
 * The field names a record of this type, found by its title or its note's name: nothing else is
 * suggested.
 */
record_type?: string, };

export type SuggestResources = { text: string, };

export type SuggestTools = { text: string, 
/**
 * 8 where absent.
 */
limit?: number, 
/**
 * It is an example of a skill that is tested: it does not count as one, or it would always find itself.
 */
example?: boolean, };

export type SummaryItem = { label: string, 
/**
 * Pointer to the amount.
 */
at: string, format: PanelFormat, 
/**
 * Pointer to the currency where the amount is one text.
 */
unit: string | null, 
/**
 * Pointer to a few words behind it, such as "2 overdue".
 */
detail: string | null, 
/**
 * Omitted instead of "unknown" if there is no value.
 */
optional: boolean, 
/**
 * On a line of its own below the others, small.
 */
line: boolean, 
/**
 * On such a line: stands in place of the label, which is still read out.
 */
icon: string | null, };

export type SummaryPart = { tool: string, args: { [key in string]: JsonValue }, items: Array<SummaryItem>, };

export type SwitchRoutine = { path: string, enabled: boolean, };

export type SymbolPart = { 
/**
 * Gives price and closes of a symbol, as `lookup.pull_up_symbol` does.
 */
tool: string, args: { [key in string]: JsonValue }, };

export type TablePart = { tool: string, args: { [key in string]: JsonValue }, place: PanelPlace, title: string, 
/**
 * Pointer to the list of rows.
 */
rows: string, 
/**
 * Pointer to further lists of rows; a step that is a star stands for each entry on the way.
 */
more: string | null, columns: Array<PanelColumn>, 
/**
 * The field of the column it is sorted by until the user chooses another, `-` before it for the
 * largest first; default: as the rows come.
 */
sort: string | null, 
/**
 * Pointer to one more row, below the others.
 */
total: string | null, 
/**
 * Field that is true where a row is grey because it is not due yet.
 */
quiet: string | null, 
/**
 * What can be done with a row.
 */
actions: Array<PanelAction>, empty: PanelEmpty | null, };

export type TakenExample = { 
/**
 * Whose example it is.
 */
skill: string, text: string, 
/**
 * The missing hints that cause it, each as a sentence.
 */
missing: Array<string>, };

export type TestMailbox = { name: string, 
/**
 * Lets the skill have the password for the servers of the mailbox, as the user was just shown them.
 */
grant: boolean, };

export type TextPart = { text: string, 
/**
 * It matches the query.
 */
hit: boolean, };

export type Theme = "system" | "light" | "dark";

export type TodayFetched = { name: string, at: string, };

export type TodayRow = { text: string, 
/**
 * May be empty.
 */
detail: string, 
/**
 * Of its note.
 */
path: string | null, 
/**
 * `2026-11-23`, or `2026-11-23T15:30` in the user's zone; empty if it has none.
 */
at: string, until: string, overdue: boolean, 
/**
 * A decimal; empty if it has none.
 */
value: string, format: PanelFormat, unit: string, mark: string, tick: TodayTick | null, };

export type TodaySide = "left" | "right";

export type TodayTick = { 
/**
 * Its id in a manifest, `skill.tool` in a row.
 */
tool: string, args: Record<string, unknown>, };

export type TodayTotal = { value: string, unit: string, };

export type TodayView = { title: string, 
/**
 * The skill's id.
 */
skill: string, icon: string | null, side: TodaySide, order: number, rows: Array<TodayRow>, overdue: number, 
/**
 * The sums of the rows' figures by currency, if they are added up.
 */
total: Array<TodayTotal>, 
/**
 * When external sources were fetched, RFC 3339.
 */
fetched: Array<TodayFetched>, panel: boolean, 
/**
 * The problem and the remedy, in one line.
 */
problem: string | null, };

export type ToolDefinitionView = { tool: string, description: string, input_schema: JsonValue, effect: Effect, hosts: Array<string>, 
/**
 * Undeclared hosts in its source.
 */
proposed_hosts: Array<string>, credentials: Array<string>, 
/**
 * What it may do with notes: `read`, or `write`, which reads too.
 */
vault: string | null, };

export type ToolFileProblem = { file: string, 
/**
 * 1-based.
 */
line: number | null, column: number | null, message: string, };

export type ToolResult = { ok: boolean, value: JsonValue | null, error: UserError | null, sources: Array<SourceView>, 
/**
 * The figures of the value.
 */
figures: Array<FigureView>, changes: Array<NoteChangeView>, change_set: string | null, 
/**
 * Its partial result when it was stopped.
 */
so_far?: JsonValue, 
/**
 * The tool's log; not sent to the model.
 */
log?: Array<LogLine>, ms: number, };

export type ToolRow = { wire_name: string, 
/**
 * `skill.tool`
 */
name: string, skill: string, effect: Effect, description: string, input_schema: JsonValue, state: SkillState, reason: string | null, };

export type ToolSuggestion = { 
/**
 * `skill.tool`; None for a skill without tools.
 */
tool: string | null, skill: string, 
/**
 * Greater than 0, about 1 at most.
 */
score: number, };

export type ToolSwitch = { 
/**
 * `skill.tool`
 */
name: string, 
/**
 * Its id within the skill.
 */
tool: string, on: boolean, calls: number, errors: number, mean_ms: number | null, };

export type TriedRule = { 
/**
 * `skill.tool`
 */
tool: string, effect: Effect, verdict: TriedVerdict, 
/**
 * The decisions offered if it asks.
 */
decisions: Array<Decision>, 
/**
 * The rule that decided; None if none applies.
 */
rule: RuleRow | null, 
/**
 * The policy of the rule.
 */
policy: string | null, 
/**
 * One sentence: what decided.
 */
reason: string, };

export type TriedVerdict = "run" | "ask" | "deny";

export type TryRule = { 
/**
 * `skill.tool` or the wire name.
 */
tool: string, args: JsonValue | null, 
/**
 * `owner`, `delegate`, `known` or `unknown`; default: `owner`.
 */
relationship: string | null, };

export type TurnRef = { turn: string, };

export type TypeCount = { record_type: string, notes: number, };

export type TypeProposal = { record_type: string, 
/**
 * "12 notes look like contacts (type: person)"
 */
summary: string, 
/**
 * Notes that would become records, or whose properties would be found.
 */
notes: number, 
/**
 * Values of `type:` that would count from now on.
 */
type_values: Array<string>, 
/**
 * Paths of a few of the notes.
 */
examples: Array<string>, fields: Array<PropertyProposal>, 
/**
 * Rules other than the type that match the notes, the surest first.
 */
rules: Array<RuleProposal>, 
/**
 * Similar notes that would not be records.
 */
left_out: Array<LeftOut>, 
/**
 * Values that no field can hold: the notes would be records, the field stays empty.
 */
not_understood: Array<NotUnderstood>, 
/**
 * Required fields that some of the notes lack: they would be reported as unreadable.
 */
unreadable: Array<UnreadableField>, };

export type TypeTab = { record_type: string, label: string, 
/**
 * In force, else as the notes suggest.
 */
notes: number, };

export type UndoChanges = { change_set: string, note?: string, call?: string, };

export type UndoResult = { 
/**
 * The change set that the undo itself is; none when nothing could be undone.
 */
change_set: string | null, undone: Array<string>, 
/**
 * Notes edited since, where both changes are kept.
 */
merged: Array<string>, 
/**
 * Notes that were left as they are, because they were edited since at the same place or could not be
 * read.
 */
conflicts: Array<ConflictView>, };

export type UnlockCredentials = { 
/**
 * Of the encrypted file; without a keychain and a file, one is created with it.
 */
passphrase: SecretText, };

export type UnreadableField = { field: string, 
/**
 * For a person.
 */
label: string, 
/**
 * Number of these notes.
 */
notes: number, 
/**
 * The required form: "a date"
 */
needs: string, 
/**
 * An example of the value instead; none if it is missing.
 */
example: string | null, };

export type UserError = { code: ErrorCode, 
/**
 * One sentence: what happened.
 */
message: string, 
/**
 * One sentence: what to do about it. Empty where nothing can be done.
 */
hint: string, 
/**
 * The host that the user has not agreed to; with `provider_not_agreed` only.
 */
host?: string, 
/**
 * The id of the draft that holds a mail of which it is unknown whether it was sent.
 */
draft?: string, };

export type UsualCurrency = { 
/**
 * None if nothing is set and no currency is the most common.
 */
currency: string | null, };

export type ValueAsRead = { field: string, 
/**
 * The parsed value; empty if it is not understood.
 */
value: string, 
/**
 * "org, line 4", "file name", "status: active, line 6"
 */
from: string, understood: boolean, };

export type ValueMeaning = { "kind": "open" } | { "kind": "nothing" } | { "kind": "choice", choice: string, };

export type ValuePreview = { value: string, notes: number, meaning: ValueMeaning, };

export type ValuesInUse = { 
/**
 * `type.field`
 */
field: string, 
/**
 * Declared choices in their order, then values of records, the most common first.
 */
values: Array<string>, };

export type VaultChangeAuthor = OutsideTag | { change_set: string, principal: string, skill: string | null, };

export type VaultChangeKind = "created" | "modified" | "removed" | "renamed";

export type VaultChoice = { "kind": "sample" } | { "kind": "folder", path: string, };

export type VaultPage = { 
/**
 * The open vault; null if none is open.
 */
open: OpenedVault | null, 
/**
 * Other vaults that were open, newest first, at most eight.
 */
recent: Array<RecentVault>, 
/**
 * The entries of the user's list of private notes and folders, in its order.
 */
private: Array<PrivateEntry>, 
/**
 * The notes that no entry covers and that hide themselves, at most fifty.
 */
own_private: Array<OwnPrivate>, 
/**
 * All private notes of the open vault, by an entry or by themselves.
 */
private_notes: number, 
/**
 * Folders outside the vault that a link at its top may lead to.
 */
roots: Array<ExtraRoot>, };

export type VaultRef = { path: string, };

export type VaultSummary = { name: string, path: string, notes: number, 
/**
 * "watching", or why not.
 */
watching: string, 
/**
 * Notes that could not be read in full.
 */
problems: Array<ProblemView>, };

export type WatchMail = { open: boolean, };

export type WindowLayout = { 
/**
 * Only the rail of the list is shown.
 */
list_folded: boolean, 
/**
 * px; 0 until changed.
 */
list_width: number, panel_open: boolean, 
/**
 * px; 0 until changed.
 */
panel_width: number, 
/**
 * Percent; 0 until changed.
 */
zoom: number, 
/**
 * The user's key bindings, by action.
 */
keys: { [key in string]: string }, 
/**
 * Entries chosen in the palette, newest first.
 */
chosen: Array<string>, };

export type WorkspaceAccess = "read" | "write";

export type WorkspaceRef = { path: string, };

export type WorkspaceView = { path: string, 
/**
 * With `~` for the user's home.
 */
shown: string, 
/**
 * The prefix of the assistant's paths: `code` in `code/src/main.rs`.
 */
name: string, access: WorkspaceAccess, 
/**
 * Why it is not open to the assistant.
 */
problem: string | null, };

export type Workspaces = { folders: Array<WorkspaceView>, };

export type Commands = {
  app_status: { params: Nothing; result: AppStatus };
  set_appearance: { params: Appearance; result: Nothing };
  set_reminders: { params: Reminders; result: Nothing };
  set_background: { params: Background; result: Nothing };
  window_layout: { params: Nothing; result: WindowLayout };
  keep_layout: { params: WindowLayout; result: Nothing };
  list_drafts: { params: Nothing; result: Array<DraftView> };
  keep_draft: { params: DraftView; result: Nothing };
  keep_draft_image: { params: KeepDraftImage; result: DraftImage };
  read_draft_image: { params: DraftImageRef; result: NewImage };
  show_config_file: { params: Nothing; result: Nothing };
  first_run_options: { params: Nothing; result: FirstRunOptions };
  pick_folder: { params: Nothing; result: PickedFolder };
  choose_file: { params: ChooseFile; result: ChosenFile };
  give_file: { params: GiveFile; result: GivenFileView };
  open_vault: { params: OpenVault; result: VaultSummary };
  vault_page: { params: Nothing; result: VaultPage };
  show_vault_folder: { params: Nothing; result: Nothing };
  forget_vault: { params: VaultRef; result: VaultPage };
  set_private: { params: SetPrivate; result: VaultPage };
  check_private: { params: NoteRef; result: NotePrivacy };
  set_root: { params: SetRoot; result: VaultPage };
  keep_history: { params: KeepHistory; result: VaultPage };
  list_workspaces: { params: Nothing; result: Workspaces };
  add_workspace: { params: AddWorkspace; result: Workspaces };
  remove_workspace: { params: WorkspaceRef; result: Workspaces };
  list_sessions: { params: Nothing; result: Array<SessionRow> };
  create_session: { params: Nothing; result: SessionRow };
  open_session: { params: SessionRef; result: SessionView };
  rename_session: { params: RenameSession; result: SessionRow };
  set_session: { params: SetSession; result: SessionRow };
  delete_session: { params: SessionRef; result: Nothing };
  restore_session: { params: SessionRef; result: SessionRow };
  list_deleted_sessions: { params: Nothing; result: Array<SessionRow> };
  purge_sessions: { params: PurgeSessions; result: PurgedSessions };
  search_sessions: { params: SearchSessions; result: Array<FoundSession> };
  export_session: { params: ExportSession; result: ExportedSession };
  choose_branch: { params: ChooseBranch; result: Nothing };
  send_message: { params: SendMessage; result: TurnRef };
  read_image: { params: ImageRef; result: ImageData };
  stop_turn: { params: SessionRef; result: Nothing };
  stop_call: { params: CallRef; result: Nothing };
  context: { params: SessionRef; result: ContextView };
  drop_skill: { params: DropSkill; result: Nothing };
  decide_approval: { params: DecideApproval; result: Nothing };
  revise_approval: { params: ReviseApproval; result: Nothing };
  list_providers: { params: ListProviders; result: Array<ProviderRow> };
  check_provider: { params: NewProvider; result: CheckedProvider };
  add_provider: { params: NewProvider; result: CheckedProvider };
  agree_provider: { params: ProviderRef; result: Nothing };
  revoke_provider: { params: ProviderRef; result: Nothing };
  set_model: { params: SetModel; result: Nothing };
  set_favourite: { params: SetFavourite; result: Nothing };
  set_context: { params: SetContext; result: Nothing };
  list_skills: { params: Nothing; result: Array<SkillRow> };
  enable_skill: { params: EnableSkill; result: Array<SkillRow> };
  skill_detail: { params: SkillRef; result: SkillDetail };
  skill_catalog: { params: Nothing; result: CatalogView };
  router: { params: Nothing; result: RouterView };
  set_router: { params: RouterView; result: RouterView };
  set_skill: { params: SetSkill; result: Array<SkillRow> };
  show_skill_files: { params: SkillRef; result: Nothing };
  create_skill: { params: CreateSkill; result: CreatedSkill };
  show_skills_folder: { params: Nothing; result: Nothing };
  skill_manual: { params: Nothing; result: SkillManual };
  taken_by_skill: { params: SkillRef; result: Array<TakenExample> };
  suggest_tools: { params: SuggestTools; result: Array<ToolSuggestion> };
  review_skill: { params: SkillRef; result: SkillReview };
  accept_skill: { params: AcceptSkill; result: Array<SkillRow> };
  list_panels: { params: Nothing; result: Array<PanelView> };
  list_glances: { params: Nothing; result: Array<GlanceView> };
  list_routines: { params: Nothing; result: Array<RoutineRow> };
  add_routine: { params: NewRoutine; result: RoutineRow };
  edit_routine: { params: EditRoutine; result: RoutineRow };
  switch_routine: { params: SwitchRoutine; result: RoutineRow };
  run_routine: { params: RoutineRef; result: RoutineRow };
  see_routine: { params: RoutineRef; result: Nothing };
  list_record_types: { params: Nothing; result: Array<RecordTypeRow> };
  record_form: { params: RecordFormRef; result: RecordFormView };
  save_record: { params: SaveRecord; result: SavedRecord };
  usual_currency: { params: SkillRef; result: UsualCurrency };
  suggest_notes: { params: SuggestNotes; result: Array<NoteSuggestion> };
  values_in_use: { params: FieldsOfRecords; result: Array<ValuesInUse> };
  propose_fields: { params: SkillRef; result: FieldProposal };
  preview_records: { params: PreviewRecords; result: RecordsPreview };
  mark_record: { params: MarkRecord; result: ToolResult };
  list_tools: { params: Nothing; result: Array<ToolRow> };
  call_tool: { params: CallTool; result: ToolResult };
  stop_tool: { params: RunRef; result: Nothing };
  list_pending_tools: { params: Nothing; result: Array<PendingToolRow> };
  dry_run_tool: { params: DryRunTool; result: DryRunResult };
  promote_tool: { params: PendingToolRef; result: PromotedTool };
  discard_tool: { params: PendingToolRef; result: Nothing };
  list_servers: { params: Nothing; result: ServersView };
  server_detail: { params: ServerRef; result: ServerDetail };
  set_server: { params: SetServer; result: ServersView };
  agree_to_server: { params: AgreeToServer; result: ServersView };
  approve_server_tool: { params: ApproveServerTool; result: ServersView };
  server_sign_in: { params: ServerRef; result: ServerSignIn };
  server_entry: { params: ServerRef; result: ServerEntry };
  edit_server: { params: EditServer; result: ServersView };
  restart_server: { params: ServerRef; result: Nothing };
  stop_server: { params: ServerRef; result: Nothing };
  remove_server: { params: ServerRef; result: ServersView };
  read_servers: { params: ReadServers; result: Array<OfferedServer> };
  add_servers: { params: AddServers; result: ServersView };
  list_server_files: { params: Nothing; result: Array<ServerFile> };
  import_servers: { params: ImportServers; result: ServersView };
  list_server_prompts: { params: Nothing; result: Array<ServerPrompt> };
  fill_server_prompt: { params: FillPrompt; result: AttachedFile };
  complete_server_prompt: { params: CompletePrompt; result: Array<string> };
  read_server_media: { params: ServerMediaRef; result: ImageData };
  show_server_media: { params: ServerMediaRef; result: Nothing };
  suggest_resources: { params: SuggestResources; result: Array<ResourceSuggestion> };
  list_mailboxes: { params: Nothing; result: MailboxesView };
  find_mail_servers: { params: MailAddress; result: FoundMailServers };
  save_mailbox: { params: SaveMailbox; result: SavedMailbox };
  set_mailbox: { params: SetMailbox; result: MailboxesView };
  test_mailbox: { params: TestMailbox; result: MailboxesView };
  remove_mailbox: { params: RemoveMailbox; result: MailboxesView };
  watch_mail: { params: WatchMail; result: Nothing };
  list_credentials: { params: Nothing; result: CredentialsView };
  set_credential: { params: SetCredential; result: CredentialsView };
  remove_credential: { params: CredentialRef; result: CredentialsView };
  grant_credential: { params: GrantCredential; result: CredentialsView };
  revoke_credential: { params: GrantCredential; result: CredentialsView };
  unlock_credentials: { params: UnlockCredentials; result: CredentialsView };
  sign_in: { params: SignIn; result: CredentialsView };
  list_rules: { params: Nothing; result: PermissionsView };
  add_rule: { params: AddRule; result: PermissionsView };
  remove_rule: { params: RuleRef; result: PermissionsView };
  revoke_tool: { params: ApprovedToolRef; result: PermissionsView };
  revoke_host: { params: ApprovedHostRef; result: PermissionsView };
  try_rule: { params: TryRule; result: TriedRule };
  read_note: { params: NoteRef; result: NoteView };
  open_note: { params: NoteRef; result: Nothing };
  open_link: { params: LinkRef; result: Nothing };
  list_changes: { params: ListChanges; result: Array<ChangeSetView> };
  undo_changes: { params: UndoChanges; result: UndoResult };
  finish_changes: { params: FinishChanges; result: FinishResult };
  prune_changes: { params: PruneChanges; result: PruneResult };
  resolve_conflict: { params: ResolveConflict; result: ResolvedConflict };
  list_problems: { params: Nothing; result: Array<ProblemView> };
};
