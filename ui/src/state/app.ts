// The window outside the conversation as data: what is open, what is listed, what has changed.
// Pure: the store (store.ts) runs commands and feeds their answers and the events through here.

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
  /** `waiting` names a tool that waits for the user, `skill` a skill; opened when the page opens. `records` is a record type of the skill, whose settings are shown instead of it. */
  | { readonly kind: 'settings'; readonly page: SettingsPageName; readonly waiting?: string; readonly skill?: string; readonly records?: string }
  /** `tool` is `skill.tool`, marked when the page opens; `args` stand in its form then. */
  | { readonly kind: 'run-tool'; readonly tool: string | null; readonly args?: JsonValue }
  /** The deleted chats. */
  | { readonly kind: 'trash' };

/** Pages of the right panel; `skill:crm` is what a skill declares. */
export type PanelTab = 'changes' | 'activity' | 'problems' | 'note' | 'subagents' | `skill:${string}`;

/** A record to add, or with a path one to change, in its form. */
export interface RecordForm {
  readonly skill: string;
  /** Name of the record type in the skill's manifest. */
  readonly type: string;
  /** Of the note; none for a new one. */
  readonly path: string | null;
  /** The field that has the focus at first. */
  readonly field?: string;
  /** What a new one begins with, by field. */
  readonly values?: { [field: string]: JsonValue };
}

export interface AppState {
  /** None until the backend answered for the first time. */
  readonly status: AppStatus | null;
  /** Why there is no status. */
  readonly startProblem: UserError | null;
  readonly sessions: readonly SessionRow[];
  /** The session of a sub-agent that was opened as a chat: no list has it. */
  readonly unlisted: SessionRow | null;
  /** The open session; none is a new chat that exists from its first message on. */
  readonly open: string | null;
  /** By session, '' for the chat that is none yet: what stands in the composer. */
  readonly drafts: Readonly<Record<string, Draft>>;
  /** By session, as above: the message that was sent and that nobody has taken yet. */
  readonly sending: Readonly<Record<string, OnItsWay>>;
  /** By session, as above: why its last message could not be sent. */
  readonly notSent: Readonly<Record<string, UserError>>;
  /** By session, as above: names of the images that its draft had when Nova was closed, and that can no longer be read. */
  readonly lostImages: Readonly<Record<string, readonly string[]>>;
  /** By session: messages that wait for the end of a turn. */
  readonly queues: Queues;
  /** What was kept last time, as it was last read: anything else is still to be kept. */
  readonly restored: { readonly drafts: Readonly<Record<string, Draft>>; readonly queues: Queues };
  /** By session: the questions that wait for the user's answer. */
  readonly asking: Asking;
  /** Its stored events are being read. */
  readonly opening: boolean;
  /** The message that is to be brought into view. */
  readonly sought: { readonly session: string; readonly turn: string } | null;
  /** The deleted chats that can still be taken back, newest first. */
  readonly trash: readonly SessionRow[];
  /** The chat that was deleted last, as long as the list offers to take that back. */
  readonly deleted: SessionRow | null;
  /** What the last command of the shell failed with. */
  readonly problem: UserError | null;
  readonly view: View;
  readonly panel: Panel;
  readonly list: List;
  readonly revisions: Revisions;
  /** By path: the last change of each note seen since the window opened. */
  readonly noteChanges: Readonly<Record<string, NoteChange>>;
  /** By skill id: how people call it. */
  readonly skillNames: Readonly<Record<string, string>>;
  /** What skills show in the panel, in the order of the list. */
  readonly skillPanels: readonly PanelView[];
  /** What skills say without being asked; none before they were read. */
  readonly glances: readonly GlanceView[] | null;
  /** When they were read last, in ms. */
  readonly glancesReadAt: number | null;
  readonly problems: Problems;
  /** Change sets that the end of a Nova cut off, of all chats, newest first. */
  readonly interrupted: readonly ChangeSetView[];
  /** What was done about them since the window opened, newest first. */
  readonly settlements: readonly Settlement[];
  /** What undoing or finishing met since the window opened. */
  readonly conflicts: readonly SetConflict[];
  /** The form of a record that lies over the window. */
  readonly recordForm: RecordForm | null;
  /** By skill: the names of a vault that were proposed for its records, and hidden until others are. */
  readonly hiddenProposals: Readonly<Record<string, string>>;
  /** A vault was chosen since the window opened: a new chat offers to read its notes as records. */
  readonly offersRecords: boolean;
  /** By provider: how its last request went, where that was told since the window opened. */
  readonly health: Readonly<Record<string, ProviderHealth>>;
  /** How large everything is drawn, in percent. */
  readonly zoom: number;
  /** Keys that the user chose, by the name of what they do. */
  readonly keys: Readonly<Record<string, string>>;
  /** What lies over the window: the palette of commands, the sheet of keys, the notes by name. */
  readonly over: 'palette' | 'keys' | 'notes' | null;
  /** Folder of the vault that is to be opened once the running chats may be stopped. */
  readonly vaultAsked: string | null;
  /** What was chosen in the palette since the window opened, newest first. */
  readonly recentlyChosen: readonly string[];
  /** The conversation is searched for it; none while it is not. */
  readonly find: string | null;
}

/** What could not be read in full in the vault. */
export interface Problems {
  /** By path, then line; none until they were read. */
  readonly rows: readonly ProblemView[] | null;
  /** Why the last reading failed; the rows are then of an earlier one. */
  readonly error: UserError | null;
}

/** What became of an interrupted change set. */
export interface Settlement {
  /** As it was when it was settled. */
  readonly set: ChangeSetView;
  readonly way: SettlementWay;
  readonly busy: boolean;
  readonly problem: UserError | null;
  /** Paths of the notes that were finished or undone. */
  readonly notes: readonly string[];
}

/** `finish`: write what was planned and not written. `undo`: take back what was written. */
export type SettlementWay = 'finish' | 'undo';

/** A note of a change set that was edited since, where finishing or undoing it would change the same. */
export interface SetConflict {
  /** Id of the change set. */
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

/** A message that is being written. */
export interface Message {
  readonly text: string;
  /** `skill.tool` it points at. */
  readonly tool: string | null;
  /** Skills it activates. */
  readonly skills: readonly string[];
  /** Text files that go with it. */
  readonly files: readonly AttachedFile[];
  /** Images that go with it. */
  readonly images: readonly NewImage[];
}

/** A message that is not known to be in the log yet. */
export interface OnItsWay extends Message {
  /** The id of its turn. */
  readonly turn: string;
}

export interface Draft extends Message {
  /** Grows each time the text is put there from elsewhere, for the field to take over. */
  readonly given: number;
}

/** What a composer holds after its message was taken. */
export const nothingWritten: Message = { text: '', tool: null, skills: [], files: [], images: [] };

export interface Panel {
  readonly open: boolean;
  readonly tab: PanelTab;
  /** px */
  readonly width: number;
  /** Path or name of the note that the preview shows. */
  readonly note: string | null;
  /** The call whose sub-agent is shown; the newest where it is of another conversation. */
  readonly task: string | null;
  /** A skill's panel takes the conversation's place. */
  readonly wide: boolean;
  /** The note lies over a panel that is wide. */
  readonly peek: boolean;
}

export interface List {
  /** Only the rail is shown. */
  readonly folded: boolean;
  /** px */
  readonly width: number;
  /** The list lies over the conversation, in a window too narrow for both. */
  readonly sheet: boolean;
}

/** Each grows when what it counts may differ from what was read before. */
export interface Revisions {
  /** Skills and tools. */
  readonly registry: number;
  /** Tools that the assistant wrote and that wait for the user. */
  readonly pendingTools: number;
  /** Rules, and what was approved of tools. */
  readonly rules: number;
  /** Routines and how they ran. */
  readonly routines: number;
  /** Change sets. */
  readonly changes: number;
  /** Providers, their consent and their models. */
  readonly providers: number;
  /** Credentials and who may have them. */
  readonly credentials: number;
}

export interface NoteChange {
  /** RFC 3339 */
  readonly at: string;
  readonly by: VaultChangeAuthor;
  /** "stage: lead → won" */
  readonly summary: string | null;
  /** Grows with each change of the note. */
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
  sought: null,
  trash: [],
  deleted: null,
  problem: null,
  view: { kind: 'chat' },
  panel: { open: false, tab: 'changes', width: widths.panel.first, note: null, task: null, wide: false, peek: false },
  list: { folded: false, width: widths.list.first, sheet: false },
  revisions: { registry: 0, pendingTools: 0, rules: 0, routines: 0, changes: 0, providers: 0, credentials: 0 },
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

/** The state after an event of any session or of the app. The conversation is `state/session.ts`. */
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
    // A tool or a provider may work now that did not, or the other way round.
    case 'credential_state':
      return bump(bump(bump(state, 'credentials'), 'registry'), 'providers');
    case 'provider_health': {
      const answersAgain = event.health.state === 'answered' && state.health[event.provider]?.state !== 'answered';
      const told = { ...state, health: { ...state.health, [event.provider]: event.health } };
      // What its list did not say while it was silent, such as where a model runs, it says now.
      return answersAgain ? bump(told, 'providers') : told;
    }
    case 'pending_tools_changed':
      return bump(state, 'pendingTools');
    case 'rules_changed':
      return bump(rulesMended(state), 'rules');
    case 'routines_changed':
      return bump(state, 'routines');
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

/** The rules in force are those of the file again. */
function rulesMended(state: AppState): AppState {
  const mended = state.status?.config_problem?.file.endsWith('permissions.yaml') ?? false;
  return mended ? withStatus(state, { config_problem: null }) : state;
}

/** The session that is open, as a row. */
export function openRow(state: AppState): SessionRow | null {
  const { sessions, unlisted, open } = state;
  return sessions.find((row) => row.id === open) ?? (unlisted?.id === open ? unlisted : null);
}

/** The skill's panel that the right panel shows, where it shows one. */
export function shownSkillPanel({ panel, skillPanels }: AppState): PanelView | null {
  return panel.open ? (skillPanels.find(({ skill }) => panel.tab === `skill:${skill}`) ?? null) : null;
}

/** px of the right panel; days of a calendar have more until the user has chosen a width. */
export function panelWidth(state: AppState): number {
  const { width } = state.panel;
  const calendar = shownSkillPanel(state)?.panel.tabs[0]?.parts[0]?.kind === 'calendar';
  return calendar && width === widths.panel.first ? widths.panel.calendar : width;
}

/** The skill's panel that takes the conversation's place. */
export function widePanel(state: AppState): PanelView | null {
  return state.panel.wide && state.view.kind === 'chat' ? shownSkillPanel(state) : null;
}

/** `provider/model` the open chat, or a new one, uses. */
export function modelInUse(state: AppState): string | null {
  return openRow(state)?.model ?? state.status?.model ?? null;
}

/** What stands in the composer of the open chat. */
export function draftOf(state: AppState): Draft {
  return state.drafts[state.open ?? ''] ?? emptyDraft;
}

/** The state with a part of a chat's draft changed; `null` is the chat that is no session yet. */
export function withDraft(state: AppState, session: string | null, part: Partial<Message>, give = false): AppState {
  const key = session ?? '';
  const { [key]: old = emptyDraft, ...others } = state.drafts;
  const next = { ...old, ...part, given: old.given + (give ? 1 : 0) };
  // The number outlives the rest, so that the next given arguments differ from the last.
  const empty = isEmpty(next) && next.given === 0;
  return { ...state, drafts: empty ? others : { ...others, [key]: next } };
}

/** Two messages as one. */
export function joined(first: Message, second: Message): Message {
  return {
    text: [first.text, second.text].filter((one) => one !== '').join('\n\n'),
    tool: first.tool ?? second.tool,
    skills: [...new Set([...first.skills, ...second.skills])],
    files: [...first.files, ...second.files],
    images: [...first.images, ...second.images],
  };
}

/** The state with a chat's message on its way, or with none any more. */
export function withSending(state: AppState, session: string | null, message: OnItsWay | null): AppState {
  const { [session ?? '']: _before, ...others } = state.sending;
  return { ...state, sending: message === null ? others : { ...others, [session ?? '']: message } };
}

/** Why the last message of the open chat could not be sent. */
export function notSentOf({ open, notSent }: AppState): UserError | null {
  return notSent[open ?? ''] ?? null;
}

/** The state with why a chat's last message could not be sent, or without. */
export function withNotSent(state: AppState, session: string | null, problem: UserError | null): AppState {
  const { [session ?? '']: told, ...others } = state.notSent;
  if (problem === null) return told === undefined ? state : { ...state, notSent: others };
  return { ...state, notSent: { ...others, [session ?? '']: problem } };
}

/** The id of the turn that the message on its way is to begin, a waiting one included; none where none is. */
export function turnOnItsWay({ open, sending, queues }: AppState): string | null {
  const waiting = queues[open ?? '']?.messages.find(({ turn }) => turn !== undefined);
  return sending[open ?? '']?.turn ?? waiting?.turn ?? null;
}

/** The state without word of the images that a chat's draft has lost. */
export function withoutLost(state: AppState, session: string | null): AppState {
  const { [session ?? '']: told, ...others } = state.lostImages;
  return told === undefined ? state : { ...state, lostImages: others };
}

/** Nothing of it could be lost. */
export function isEmpty({ text, tool, skills, files, images }: Message): boolean {
  return text === '' && tool === null && skills.length === 0 && files.length === 0 && images.length === 0;
}

/** "CRM" for `crm`; the id with a capital while the name is not known. */
export function skillName(state: AppState, skill: string): string {
  return state.skillNames[skill] ?? skill.charAt(0).toUpperCase() + skill.slice(1);
}

/** The conflicts after a set was undone or finished: what it did again replaces what it met before. */
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

/** The folder of the configured vault cannot be reached. */
export const isVaultGone = ({ status }: AppState): boolean => status?.vault_problem?.code === 'vault_unavailable';

/** How the vault is watched: `state` "watching", or what it is instead, with the reason where it is known. */
export function watchingOf(watching: string): { state: string; reason: string | null } {
  const parts = /^([^(]*?) *\((.*)\)$/s.exec(watching);
  return { state: parts?.[1] ?? watching, reason: parts?.[2] ?? null };
}

export interface SessionGroup {
  readonly label: string;
  readonly rows: readonly SessionRow[];
}

/** What a chat is called: before its first message is kept it has no title. */
export function titleOf(row: SessionRow | null | undefined): string {
  return row?.title || 'New chat';
}

/** Rows newest first under "Pinned", "Today", "Yesterday", "Last 7 days" and "Earlier", whichever are not empty. */
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

/** Rows that are put away, newest first. */
export function archivedSessions(rows: readonly SessionRow[]): SessionRow[] {
  return rows.filter((row) => row.archived).toSorted((a, b) => b.updated_at.localeCompare(a.updated_at));
}

export function clampWidth(kind: 'list' | 'panel', width: number): number {
  const { least, most } = widths[kind];
  return Math.min(most, Math.max(least, Math.round(width)));
}

/** Percent. */
const zooms = [50, 67, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300];

/** The next larger or smaller of the sizes that everything can be drawn in. */
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
