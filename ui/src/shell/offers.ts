// The palette's results for a query. Pure.
import type { NoteSuggestion, PanelView, RecordTypeRow, SessionRow, SkillRow, ToolRow } from '../ipc';
import { noteName, skillIcon, type IconName } from '../shared';
import { matchName, type Kind, type Range } from '../shared/letters';
import type { SettingsPageName } from '../state/app';
import { type KeyActionId, keyActions } from '../state/keys';

export type Line =
  | { readonly kind: 'key'; readonly id: KeyActionId }
  | { readonly kind: 'page'; readonly page: SettingsPageName }
  | { readonly kind: 'run-tool'; readonly tool: string | null }
  | { readonly kind: 'panel'; readonly skill: string }
  /** A note, by path. */
  | { readonly kind: 'note'; readonly path: string }
  /** Mentions of notes in a folder, to become links. */
  | { readonly kind: 'suggest-links'; readonly folder: string }
  | { readonly kind: 'open-vault' }
  | { readonly kind: 'activity' }
  | { readonly kind: 'keys' }
  | { readonly kind: 'trash' }
  | { readonly kind: 'chat'; readonly session: string }
  /** A new record of a type. */
  | { readonly kind: 'record'; readonly skill: string; readonly type: string }
  | { readonly kind: 'skill'; readonly skill: string; readonly able: boolean };

export interface Offer {
  readonly line: Line;
  readonly label: string;
  readonly icon: IconName;
  /** In grey, on the right. */
  readonly note: string;
  readonly ranges: readonly Range[];
}

export interface OfferGroup {
  readonly label: string;
  readonly offers: readonly Offer[];
}

/** Maximum rows per group. */
const MOST = 8;

const icons: Partial<Record<KeyActionId, IconName>> = { 'new-chat': 'plus', find: 'search', settings: 'sliders', list: 'sidebar', panel: 'panel' };

const pages: readonly [SettingsPageName, string][] = [
  ['skills', 'Skills'],
  ['models', 'Models'],
  ['permissions', 'Permissions'],
  ['credentials', 'Credentials'],
  ['servers', 'MCP servers'],
  ['routines', 'Routines'],
  ['vault', 'Vault'],
  ['notifications', 'Notifications'],
  ['keyboard', 'Keyboard'],
  ['appearance', 'Appearance'],
];

export interface Offered {
  readonly sessions: readonly SessionRow[];
  readonly skills: readonly SkillRow[];
  readonly records: readonly RecordTypeRow[];
  readonly panels: readonly PanelView[];
  readonly tools: readonly ToolRow[];
  /** Notes with similar names; records among them have a type. */
  readonly notes: readonly NoteSuggestion[];
  /** Folders in which links can be suggested. */
  readonly folders: readonly string[];
  /** `keyOf` of earlier choices, newest first. */
  readonly recent: readonly string[];
  /** Whether a key action is currently available. */
  readonly can: (id: KeyActionId) => boolean;
}

export function offersFor(query: string, offered: Offered): OfferGroup[] {
  const { sessions, skills, records, panels, tools, notes, folders, recent, can } = offered;
  const chats = sessions.toSorted((a, b) => b.updated_at.localeCompare(a.updated_at)).map(
    ({ id, title }): Candidate => ({ line: { kind: 'chat', session: id }, label: title, icon: 'note', note: '' }),
  );
  const groups: [string, Candidate[]][] = [
    ['Commands', [...commands.filter(({ line }) => line.kind !== 'key' || can(line.id)), ...folders.map(linksLine)]],
    ['Chats', chats],
    ['Skills', skills.filter(({ hidden }) => !hidden).map(skillLine)],
    ['Panels', panels.map(({ skill, name, icon }): Candidate => ({ line: { kind: 'panel', skill }, label: name, icon: skillIcon(skill, '', icon), note: 'panel' }))],
    ['Notes', notes.map(noteLine)],
    // Listing all tools without a query is useless.
    ['Tools', query.trim() === '' ? [] : tools.map(toolLine)],
    ['New', records.map((row) => recordLine(row, skills))],
  ];
  const rankOf = ({ line }: Candidate) => {
    const at = recent.indexOf(keyOf(line));
    return at < 0 ? recent.length : at;
  };
  const found = groups.map(([label, all]) => ({ label, ...best(query, all, rankOf) })).filter(({ offers }) => offers.length > 0);
  if (query.trim() === '') {
    // Notes and tools are only listed by name, except earlier choices.
    const known = [...groups.flatMap(([, rows]) => rows), ...tools.map(toolLine), ...recent.flatMap(chosenNote)];
    const offers = known
      .filter((row) => rankOf(row) < recent.length)
      .toSorted((a, b) => rankOf(a) - rankOf(b))
      .slice(0, MOST)
      .map((one) => ({ ...one, ranges: [] }));
    return offers.length === 0 ? found : [{ label: 'Recent', offers }, ...found.map(({ label, offers: rest }) => ({ label, offers: rest }))];
  }
  // The group with the best match comes first, because Enter chooses it.
  return found.toSorted((a, b) => a.rank - b.rank).map(({ label, offers }) => ({ label, offers }));
}

type Candidate = Omit<Offer, 'ranges'>;

/** Identifies a row among the earlier choices. */
export function keyOf(line: Line): string {
  return JSON.stringify(line);
}

/** An earlier chosen note, by path. */
function chosenNote(key: string): Candidate[] {
  if (!key.startsWith('{"kind":"note"')) return [];
  const { path } = JSON.parse(key) as { path: string };
  return [noteLine({ ...noteName(path), path, record_type: null })];
}

/** Actions on the focus or selection, both of which the palette takes. */
const onlyKeys: ReadonlySet<KeyActionId> = new Set(['palette', 'quote', 'next-region', 'previous-region']);

const commands: Candidate[] = [
  ...keyActions
    .filter(({ id }) => !onlyKeys.has(id))
    .map(({ id, label }): Candidate => ({ line: { kind: 'key', id }, label, icon: icons[id] ?? 'bolt', note: '' })),
  { line: { kind: 'open-vault' }, label: 'Open another vault', icon: 'book', note: '' },
  { line: { kind: 'run-tool', tool: null }, label: 'Run a tool', icon: 'play', note: '' },
  { line: { kind: 'activity' }, label: 'Show activity', icon: 'clock', note: '' },
  { line: { kind: 'keys' }, label: 'Keyboard shortcuts', icon: 'list', note: '?' },
  { line: { kind: 'trash' }, label: 'Show deleted chats', icon: 'trash', note: '' },
  ...pages.map(([page, label]): Candidate => ({ line: { kind: 'page', page }, label: `Settings: ${label}`, icon: 'sliders', note: '' })),
];

function linksLine(folder: string): Candidate {
  return { line: { kind: 'suggest-links', folder }, label: `Suggest links in ${folder}`, icon: 'brackets', note: '' };
}

/** Folders that a person may mean: that of the open note, those of the notes found, those of records. */
export function foldersOf(open: string | null, notes: readonly NoteSuggestion[], records: readonly RecordTypeRow[]): string[] {
  const ofNotes = [...(open === null ? [] : [open]), ...notes.map(({ path }) => path)].map((path) => noteName(path).folder);
  return [...new Set([...ofNotes, ...records.map(({ folder }) => folder)])].filter((folder) => folder !== '');
}

function recordLine({ skill, record_type, label }: RecordTypeRow, skills: readonly SkillRow[]): Candidate {
  const of = skills.find(({ id }) => id === skill)?.name ?? skill;
  return { line: { kind: 'record', skill, type: record_type }, label: `New ${label.toLowerCase()}`, icon: 'plus', note: of };
}

function noteLine({ name, path, record_type }: NoteSuggestion): Candidate {
  return { line: { kind: 'note', path }, label: name, icon: 'note', note: record_type ?? noteName(path).folder };
}

function toolLine({ name, description }: ToolRow): Candidate {
  return { line: { kind: 'run-tool', tool: name }, label: name, icon: 'play', note: description };
}

function skillLine({ id, name, state, reason }: SkillRow): Candidate {
  const able = state === 'active' || state === 'available';
  return { line: { kind: 'skill', skill: id, able }, label: name, icon: 'cube', note: able ? 'for the next message' : (reason ?? state.replaceAll('_', ' ')) };
}

const order: readonly Kind[] = ['prefix', 'word', 'inside', 'apart'];

/** `rank`: quality of the best match; lower is better. */
function best(query: string, all: readonly Candidate[], rankOf: (one: Candidate) => number): { offers: Offer[]; rank: number } {
  if (query.trim() === '') return { offers: all.slice(0, MOST).map((one) => ({ ...one, ranges: [] })), rank: 0 };
  const found = all.flatMap((one) => {
    const match = matchName(query.trim(), one.label);
    return match ? [{ one, match }] : [];
  });
  const ranked = found.toSorted((a, b) => order.indexOf(a.match.kind) - order.indexOf(b.match.kind) || a.match.gaps - b.match.gaps || rankOf(a.one) - rankOf(b.one));
  const rank = ranked[0] ? order.indexOf(ranked[0].match.kind) : order.length;
  return { offers: ranked.slice(0, MOST).map(({ one, match }) => ({ ...one, ranges: match.ranges })), rank };
}
