// State of the window outside the conversation: what is open, listed and changed. Pure: the store (store.ts)
// runs commands and applies their results and the events here.

import type {
  AppStatus,
  AttachedFile,
  ChangeSetView,
  ConflictSide,
  ConflictView,
  Envelope,
  GlanceView,
  JsonValue,
  NewImage,
  PanelView,
  ProblemView,
  ProviderHealth,
  SessionRow,
  UserError,
  VaultChangeAuthor,
} from '../ipc';
import { type Asking, askingAfter } from './asking';
import { afterEvent, type Queues } from './queue';

export type SettingsPageName = 'skills' | 'models' | 'permissions' | 'credentials' | 'servers' | 'routines' | 'vault' | 'notifications' | 'appearance' | 'keyboard';

export type View =
  | { readonly kind: 'chat' }
  /**
   * `waiting` names a pending tool, `skill` a skill to open with the page. `records` is a record type of the
   * skill whose settings are shown instead.
   */
  | { readonly kind: 'settings'; readonly page: SettingsPageName; readonly waiting?: string; readonly skill?: string; readonly records?: string }
  /** `tool` is `skill.tool`, selected when the page opens; `args` prefill its form. */
  | { readonly kind: 'run-tool'; readonly tool: string | null; readonly args?: JsonValue }
  /** The deleted chats. */
  | { readonly kind: 'trash' };

/** Pages of the right panel; `skill:crm` is a skill's declared panel. */
export type PanelTab = 'changes' | 'activity' | 'problems' | 'note' | 'subagents' | `skill:${string}`;

/** A record to add or, with a path, to edit in its form. */
export interface RecordForm {
  readonly skill: string;
  /** Name of the record type in the skill's manifest. */
  readonly type: string;
  /** The note's path; null for a new one. */
  readonly path: string | null;
  /** The initially focused field. */
  readonly field?: string;
  /** Initial values of a new record, by field. */
  readonly values?: { [field: string]: JsonValue };
}

export interface AppState {
  /** Null until the backend's first response. */
  readonly status: AppStatus | null;
  /** The error that prevents a status. */
  readonly startProblem: UserError | null;
  readonly sessions: readonly SessionRow[];
  /** A sub-agent's session opened as a chat, which is in no list. */
  readonly unlisted: SessionRow | null;
  /** The open session; null for a new chat, which is created with its first message. */
  readonly open: string | null;
  /** The composer's content by session; '' for a new chat. */
  readonly drafts: Readonly<Record<string, Draft>>;
  /** The message being sent and not confirmed, by session as above. */
  readonly sending: Readonly<Record<string, PendingMessage>>;
  /** The error of the last unsent message, by session as above. */
  readonly notSent: Readonly<Record<string, UserError>>;
  /** Names of images of restored drafts that can no longer be read, by session as above. */
  readonly lostImages: Readonly<Record<string, readonly string[]>>;
  /** Messages queued until the end of a turn, by session. */
  readonly queues: Queues;
  /** The saved state as last loaded: any difference has to be saved. */
  readonly restored: { readonly drafts: Readonly<Record<string, Draft>>; readonly queues: Queues };
  /** Questions that wait for the user, by session. */
  readonly asking: Asking;
  /** Whether its stored events are loading. */
  readonly opening: boolean;
  /** The message to scroll to. */
  readonly scrollTarget: { readonly session: string; readonly turn: string } | null;
  /** Deleted chats that can be restored, newest first. */
  readonly trash: readonly SessionRow[];
  /** The last deleted chat, while the list offers Undo. */
  readonly deleted: SessionRow | null;
  /** The error of the shell's last command. */
  readonly problem: UserError | null;
  readonly view: View;
  readonly panel: Panel;
  readonly list: List;
  readonly revisions: Revisions;
  /** The last change of each note observed since the window opened, by path. */
  readonly noteChanges: Readonly<Record<string, NoteChange>>;
  /** Display names by skill id. */
  readonly skillNames: Readonly<Record<string, string>>;
  /** Declared panels of skills, in display order. */
  readonly skillPanels: readonly PanelView[];
  /** Due items reported by skills; null until loaded. */
  readonly glances: readonly GlanceView[] | null;
  /** Time of their last load, ms. */
  readonly glancesReadAt: number | null;
  readonly problems: Problems;
  /** Change sets interrupted by the end of a process, of all chats, newest first. */
  readonly interrupted: readonly ChangeSetView[];
  /** Results of settling them since the window opened, newest first. */
  readonly settlements: readonly Settlement[];
  /** Conflicts of undoing or finishing since the window opened. */
  readonly conflicts: readonly SetConflict[];
  /** The record form shown over the window. */
  readonly recordForm: RecordForm | null;
  /** Dismissed field proposals, by skill; other proposals are shown again. */
  readonly hiddenProposals: Readonly<Record<string, string>>;
  /** A vault was chosen since the window opened: a new chat offers to map its notes to records. */
  readonly offersRecords: boolean;
  /** Health by provider, as reported since the window opened. */
  readonly health: Readonly<Record<string, ProviderHealth>>;
  /** Zoom in percent. */
  readonly zoom: number;
  /** Custom keys by action id. */
  readonly keys: Readonly<Record<string, string>>;
  /** The overlay: command palette, list of keys, or note finder. */
  readonly over: 'palette' | 'keys' | 'notes' | null;
  /** Folder of the vault to open once the user agrees to stop running chats. */
  readonly vaultAsked: string | null;
  /** Choices in the palette since the window opened, newest first. */
  readonly recentlyChosen: readonly string[];
  /** The search text in the conversation; null without a search. */
  readonly find: string | null;
}

/** Content of the vault that could not be fully read. */
export interface Problems {
  /** Sorted by path, then line; null until loaded. */
  readonly rows: readonly ProblemView[] | null;
  /** The error of the last load; the rows are then outdated. */
  readonly error: UserError | null;
}

/** The result of settling an interrupted change set. */
export interface Settlement {
  /** As before it was settled. */
  readonly set: ChangeSetView;
  readonly way: SettlementWay;
  readonly busy: boolean;
  readonly problem: UserError | null;
  /** Paths of the finished or undone notes. */
  readonly notes: readonly string[];
}

/** `finish`: write the rest of the plan. `undo`: revert what was written. */
export type SettlementWay = 'finish' | 'undo';

/** A note of a change set that was edited since, in conflict with finishing or undoing it. */
export interface SetConflict {
  /** The change set's id. */
  readonly set: string;
  readonly way: SettlementWay;
  readonly conflict: ConflictView;
  readonly decided: ConflictDecision | null;
}

export interface ConflictDecision {
  readonly keep: ConflictSide;
  /** RFC 3339 */
  readonly at: string;
}

/** A message being written. */
export interface Message {
  readonly text: string;
  /** The chosen `skill.tool`. */
  readonly tool: string | null;
  /** Skills that it activates. */
  readonly skills: readonly string[];
  /** Attached text files. */
  readonly files: readonly AttachedFile[];
  /** Attached images. */
  readonly images: readonly NewImage[];
}

/** A message not yet confirmed to be in the log. */
export interface PendingMessage extends Message {
  /** The id of its turn. */
  readonly turn: string;
}

export interface Draft extends Message {
  /** Increases each time the text is set from outside the field, which then copies it. */
  readonly given: number;
}

/** The composer's content after its message was accepted. */
export const nothingWritten: Message = { text: '', tool: null, skills: [], files: [], images: [] };

/** What a calendar is asked to show. */
export interface CalendarRequest {
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** The key of an event of that day, to open. */
  readonly event?: string;
  /** A new event, to be filled in. */
  readonly add?: NewEvent;
}

/** The first entries of the form of a new event. */
export interface NewEvent {
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** `HH:MM`; empty for all-day. */
  readonly from: string;
  readonly to: string;
  /** How many days after the first the last one is. */
  readonly days?: number;
  readonly title?: string;
  readonly place?: string;
  /** A recurrence rule in calendar notation: `FREQ=WEEKLY`. */
  readonly rule?: string;
  /** Whether its source has instances that differ from the rule. */
  readonly exceptions?: boolean;
  /** The zone of its times; the user's by default. */
  readonly zone?: string;
}

export interface Panel {
  readonly open: boolean;
  readonly tab: PanelTab;
  /** px */
  readonly width: number;
  /** Path or name of the note in the preview. */
  readonly note: string | null;
  /** The call whose sub-agent is shown; the newest one if it belongs to another conversation. */
  readonly task: string | null;
  /** What a calendar is to show, until it does. */
  readonly calendar: CalendarRequest | null;
  /** A skill panel replaces the conversation. */
  readonly wide: boolean;
  /** The note covers a wide panel. */
  readonly peek: boolean;
}

export interface List {
  /** Collapsed to the rail. */
  readonly folded: boolean;
  /** px */
  readonly width: number;
  /** The list covers the conversation, in a window too narrow for both. */
  readonly sheet: boolean;
}

/** Counters that increase when loaded data may be stale. */
export interface Revisions {
  /** Skills and tools. */
  readonly registry: number;
  /** Pending tools written by the assistant. */
  readonly pendingTools: number;
  /** Rules, and approvals of tools. */
  readonly rules: number;
  /** Routines and their runs. */
  readonly routines: number;
  /** Inboxes of watched mailboxes. */
  readonly mail: number;
  /** Change sets. */
  readonly changes: number;
  /** Providers, their approvals and models. */
  readonly providers: number;
  /** Credentials and grants. */
  readonly credentials: number;
}

export interface NoteChange {
  /** RFC 3339 */
  readonly at: string;
  readonly by: VaultChangeAuthor;
  /** "stage: lead → won" */
  readonly summary: string | null;
  /** Increases with each change of the note. */
  readonly count: number;
}

export const widths = { list: { least: 200, first: 248, most: 360 }, panel: { least: 320, first: 360, most: 560, calendar: 440 } };

export const emptyDraft: Draft = { text: '', tool: null, skills: [], files: [], images: [], given: 0 };

export const firstState: AppState = {
  status: null,
  startProblem: null,
  sessions: [],
  unlisted: null,
  open: null,
  drafts: {},
  sending: {},
  notSent: {},
  lostImages: {},
  queues: {},
  restored: { drafts: {}, queues: {} },
  asking: {},
  opening: false,
  scrollTarget: null,
  trash: [],
  deleted: null,
  problem: null,
  view: { kind: 'chat' },
  panel: { open: false, tab: 'changes', width: widths.panel.first, note: null, task: null, calendar: null, wide: false, peek: false },
  list: { folded: false, width: widths.list.first, sheet: false },
  revisions: { registry: 0, pendingTools: 0, rules: 0, routines: 0, mail: 0, changes: 0, providers: 0, credentials: 0 },
  noteChanges: {},
  skillNames: {},
  skillPanels: [],
  glances: null,
  glancesReadAt: null,
  problems: { rows: null, error: null },
  interrupted: [],
  settlements: [],
  conflicts: [],
  recordForm: null,
  hiddenProposals: {},
  offersRecords: false,
  health: {},
  zoom: 100,
  keys: {},
  over: null,
  vaultAsked: null,
  recentlyChosen: [],
  find: null,
};

/** The state after an event of the app or any session. The conversation is in `state/session.ts`. */
export function reduceApp(before: AppState, event: Envelope): AppState {
  const queues = afterEvent(before.queues, event);
  const asking = askingAfter(before.asking, event);
  const state = queues === before.queues && asking === before.asking ? before : { ...before, queues, asking };
  switch (event.type) {
    case 'turn_started':
      return touchRow(state, event, true);
    case 'turn_completed':
    case 'turn_cancelled':
    case 'turn_failed':
      return touchRow(state, event, false);
    case 'registry_changed':
    case 'server_state':
      return bump(state, 'registry');
    // The availability of tools and providers may have changed.
    case 'credential_state':
      return bump(bump(bump(state, 'credentials'), 'registry'), 'providers');
    case 'provider_health': {
      const answersAgain = event.health.state === 'answered' && state.health[event.provider]?.state !== 'answered';
      const next = { ...state, health: { ...state.health, [event.provider]: event.health } };
      // Data that the list lacked while it did not respond, such as where a model runs, is available now.
      return answersAgain ? bump(next, 'providers') : next;
    }
    case 'pending_tools_changed':
      return bump(state, 'pendingTools');
    case 'rules_changed':
      return bump(rulesRecovered(state), 'rules');
    case 'routines_changed':
      return bump(state, 'routines');
    case 'mail_changed':
      return bump(state, 'mail');
    case 'skill_activated':
    case 'skill_deactivated':
      return event.session === state.open ? bump(state, 'registry') : state;
    case 'change_set':
      return bump(state, 'changes');
    case 'config_problem':
      return withStatus(state, {
        config_problem: { file: event.file, line: event.line, message: event.message },
      });
    case 'vault_changed':
      return noteChanged(state, event);
    case 'vault_gone':
      return withGone(state, event);
    case 'vault_back':
      return withBack(state, event.root);
    default:
      return state;
  }
}

/** The rules of the file are in force again. */
function rulesRecovered(state: AppState): AppState {
  const recovered = state.status?.config_problem?.file.endsWith('permissions.yaml') ?? false;
  return recovered ? withStatus(state, { config_problem: null }) : state;
}

/** The row of the open session. */
export function openRow(state: AppState): SessionRow | null {
  const { sessions, unlisted, open } = state;
  return sessions.find((row) => row.id === open) ?? (unlisted?.id === open ? unlisted : null);
}

/** The skill panel shown in the right panel, if any. */
export function shownSkillPanel({ panel, skillPanels }: AppState): PanelView | null {
  return panel.open ? (skillPanels.find(({ skill }) => panel.tab === `skill:${skill}`) ?? null) : null;
}

/** Width of the right panel, px; wider for a calendar until the user has chosen a width. */
export function panelWidth(state: AppState): number {
  const { width } = state.panel;
  const calendar = shownSkillPanel(state)?.panel.tabs[0]?.parts[0]?.kind === 'calendar';
  return calendar && width === widths.panel.first ? widths.panel.calendar : width;
}

/** The skill panel that replaces the conversation. */
export function widePanel(state: AppState): PanelView | null {
  return state.panel.wide && state.view.kind === 'chat' ? shownSkillPanel(state) : null;
}

/** The `provider/model` of the open or new chat. */
export function modelInUse(state: AppState): string | null {
  return openRow(state)?.model ?? state.status?.model ?? null;
}

/** The open chat's draft. */
export function draftOf(state: AppState): Draft {
  return state.drafts[state.open ?? ''] ?? emptyDraft;
}

/** Changes a part of a chat's draft; `null` is the new chat. */
export function withDraft(state: AppState, session: string | null, part: Partial<Message>, give = false): AppState {
  const key = session ?? '';
  const { [key]: old = emptyDraft, ...others } = state.drafts;
  const next = { ...old, ...part, given: old.given + (give ? 1 : 0) };
  // The number is kept, so that the next text from outside has a different one.
  const empty = isEmpty(next) && next.given === 0;
  return { ...state, drafts: empty ? others : { ...others, [key]: next } };
}

/** Merges two messages. */
export function joined(first: Message, second: Message): Message {
  return {
    text: [first.text, second.text].filter((one) => one !== '').join('\n\n'),
    tool: first.tool ?? second.tool,
    skills: [...new Set([...first.skills, ...second.skills])],
    files: [...first.files, ...second.files],
    images: [...first.images, ...second.images],
  };
}

/** Sets or clears a chat's message being sent. */
export function withSending(state: AppState, session: string | null, message: PendingMessage | null): AppState {
  const { [session ?? '']: _before, ...others } = state.sending;
  return { ...state, sending: message === null ? others : { ...others, [session ?? '']: message } };
}

/** The error of the open chat's last unsent message. */
export function notSentOf({ open, notSent }: AppState): UserError | null {
  return notSent[open ?? ''] ?? null;
}

/** Sets or clears the error of a chat's last unsent message. */
export function withNotSent(state: AppState, session: string | null, problem: UserError | null): AppState {
  const { [session ?? '']: removed, ...others } = state.notSent;
  if (problem === null) return removed === undefined ? state : { ...state, notSent: others };
  return { ...state, notSent: { ...others, [session ?? '']: problem } };
}

/** The turn id of the message being sent, including a queued one; null if there is none. */
export function pendingTurn({ open, sending, queues }: AppState): string | null {
  const waiting = queues[open ?? '']?.messages.find(({ turn }) => turn !== undefined);
  return sending[open ?? '']?.turn ?? waiting?.turn ?? null;
}

/** Clears the lost images of a chat's draft. */
export function withoutLostImages(state: AppState, session: string | null): AppState {
  const { [session ?? '']: removed, ...others } = state.lostImages;
  return removed === undefined ? state : { ...state, lostImages: others };
}

/** Whether nothing of it could be lost. */
export function isEmpty({ text, tool, skills, files, images }: Message): boolean {
  return text === '' && tool === null && skills.length === 0 && files.length === 0 && images.length === 0;
}

/** "CRM" for `crm`; the capitalised id while the name is unknown. */
export function skillName(state: AppState, skill: string): string {
  return state.skillNames[skill] ?? skill.charAt(0).toUpperCase() + skill.slice(1);
}

/** The conflicts after a set was undone or finished: new results replace earlier ones of the same notes. */
export function withConflicts(
  before: readonly SetConflict[],
  set: string,
  way: SettlementWay,
  result: { readonly done: readonly string[]; readonly conflicts: readonly ConflictView[] },
): readonly SetConflict[] {
  const again = new Set([...result.done, ...result.conflicts.map(({ path }) => path)]);
  return [
    ...before.filter((old) => old.set !== set || !again.has(old.conflict.path)),
    ...result.conflicts.map((conflict) => ({ set, way, conflict, decided: null })),
  ];
}

/** The configured vault's folder is inaccessible. */
export const isVaultGone = ({ status }: AppState): boolean => status?.vault_problem?.code === 'vault_unavailable';

/** How the vault is watched: `state` is "watching" or an alternative, with the reason if known. */
export function watchingOf(watching: string): { state: string; reason: string | null } {
  const parts = /^([^(]*?) *\((.*)\)$/s.exec(watching);
  return { state: parts?.[1] ?? watching, reason: parts?.[2] ?? null };
}

export interface SessionGroup {
  readonly label: string;
  readonly rows: readonly SessionRow[];
}

/** A chat's title, or a placeholder before its first message is stored. */
export function titleOf(row: SessionRow | null | undefined): string {
  return row?.title || 'New chat';
}

/** Non-empty groups "Pinned", "Today", "Yesterday", "Last 7 days" and "Earlier", newest first. */
export function groupSessions(rows: readonly SessionRow[], now: Date): SessionGroup[] {
  const labels = ['Pinned', 'Today', 'Yesterday', 'Last 7 days', 'Earlier'];
  const groups: SessionRow[][] = labels.map(() => []);
  const today = startOfDay(now);
  const shown = rows.filter((row) => !row.archived).toSorted((a, b) => b.updated_at.localeCompare(a.updated_at));
  for (const row of shown) {
    const days = Math.round((today - startOfDay(new Date(row.updated_at))) / 86_400_000);
    groups[row.pinned ? 0 : days <= 0 ? 1 : days === 1 ? 2 : days < 7 ? 3 : 4]?.push(row);
  }
  return labels.flatMap((label, at) => (groups[at]?.length ? [{ label, rows: groups[at] }] : []));
}

/** Archived rows, newest first. */
export function archivedSessions(rows: readonly SessionRow[]): SessionRow[] {
  return rows.filter((row) => row.archived).toSorted((a, b) => b.updated_at.localeCompare(a.updated_at));
}

export function clampWidth(kind: 'list' | 'panel', width: number): number {
  const { least, most } = widths[kind];
  return Math.min(most, Math.max(least, Math.round(width)));
}

/** Percent. */
const zooms = [50, 67, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300];

/** The next larger or smaller zoom level. */
export function zoomStep(zoom: number, by: -1 | 1): number {
  const next = by > 0 ? zooms.find((step) => step > zoom) : zooms.findLast((step) => step < zoom);
  return next ?? zoom;
}

function touchRow(state: AppState, event: Envelope, running: boolean): AppState {
  const touched = (row: SessionRow) => (row.id === event.session ? { ...row, running, updated_at: event.at } : row);
  return {
    ...state,
    sessions: state.sessions.map(touched),
    unlisted: state.unlisted && touched(state.unlisted),
  };
}

function noteChanged(state: AppState, event: Extract<Envelope, { type: 'vault_changed' }>): AppState {
  const { [event.from ?? '']: before, ...others } = state.noteChanges;
  const count = (state.noteChanges[event.path]?.count ?? before?.count ?? 0) + 1;
  const vault = state.status?.vault;
  const notes = (vault?.notes ?? 0) + (event.kind === 'created' ? 1 : event.kind === 'removed' ? -1 : 0);
  const next = {
    ...state,
    noteChanges: { ...others, [event.path]: { at: event.at, by: event.by, summary: event.summary, count } },
    // The open preview follows a renamed note.
    panel:
      event.from !== null && state.panel.note === event.from ? { ...state.panel, note: event.path } : state.panel,
  };
  return bump(vault ? withStatus(next, { vault: { ...vault, notes } }) : next, 'changes');
}

function withGone(state: AppState, { root, message, hint }: Extract<Envelope, { type: 'vault_gone' }>): AppState {
  if (root === null) return withStatus(state, { vault_problem: { code: 'vault_unavailable', message, hint } });
  const others = (state.status?.gone_roots ?? []).filter((other) => other.root !== root);
  return withStatus(state, { gone_roots: [...others, { root, message, hint }] });
}

function withBack(state: AppState, root: string | null): AppState {
  if (root === null) return withStatus(state, { vault_problem: null });
  return withStatus(state, { gone_roots: (state.status?.gone_roots ?? []).filter((other) => other.root !== root) });
}

function withStatus(state: AppState, part: Partial<AppStatus>): AppState {
  return state.status ? { ...state, status: { ...state.status, ...part } } : state;
}

function bump(state: AppState, which: keyof Revisions): AppState {
  return { ...state, revisions: { ...state.revisions, [which]: state.revisions[which] + 1 } };
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
