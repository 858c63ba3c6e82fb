// Order, filters, texts and token sums of the skills page.

import type { SkillRow, SkillState } from '../ipc';
import { counted, skillStates } from '../shared';
import { byName } from '../shared/natural';

export interface SkillFilter {
  readonly search: string;
  /** `native`, `folder`, `dynamic`, `mcp`, or all. */
  readonly source: string;
  readonly attention: boolean;
}

/** Filtered; pinned first, then by last use, then by name. */
export function shownSkills(rows: readonly SkillRow[], filter: SkillFilter): SkillRow[] {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  return rows
    .filter((row) => filter.source === 'all' || row.source === filter.source)
    .filter((row) => !filter.attention || needsAttention(row))
    .filter((row) => {
      const text =
        `${row.id} ${row.name} ${row.description} ${row.tags.join(' ')} ${row.tools.join(' ')}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .toSorted(
      (a, b) =>
        Number(b.pinned) - Number(a.pinned) ||
        (b.usage.last_used ?? '').localeCompare(a.usage.last_used ?? '') ||
        byName(a.name, b.name),
    );
}

/** Includes skills that work partly: with a broken tool, or a broken new version. */
export function needsAttention(row: Pick<SkillRow, 'state' | 'reason'>): boolean {
  return skillStates[row.state].attention || worksInPart(row);
}

export function worksInPart({ state, reason }: Pick<SkillRow, 'state' | 'reason'>): boolean {
  return (state === 'available' || state === 'active') && reason !== null && reason !== '';
}

/** "Unavailable: set FINNHUB_API_KEY", "Available, active in 1 chat" */
export function stateLine(row: SkillRow): string {
  const word = skillStates[row.state].word;
  const state = word.charAt(0).toUpperCase() + word.slice(1);
  if (row.state === 'disabled') return state;
  const reason = row.reason === null ? '' : withoutCommands(row.reason).replace(/\.$/, '');
  // "Sign-in expired 3 days ago" already includes its state.
  if (row.state === 'needs_sign_in' && reason.startsWith('Sign-in')) return reason;
  if (worksInPart(row)) return `${state}, but: ${reason}`;
  if (reason !== '') return `${state}: ${inSentence(reason)}`;
  const notes = [
    row.tools.length === 0 && isOn(row) ? 'no tools' : '',
    row.hidden && isOn(row) ? 'hidden from the model' : '',
    row.active_in > 0 && isOn(row) ? `active in ${counted(row.active_in, 'chat')}` : '',
  ];
  return [state, ...notes.filter((note) => note !== '')].join(', ');
}

/**
 * Its id belongs to another skill: it is listed to say so, and settings by that id apply to the other one.
 */
export function isShadowed(row: SkillRow, rows: readonly SkillRow[]): boolean {
  return row.state === 'broken' && rows.some((other) => other.id === row.id && other.state !== 'broken');
}

/** A third-party skill is on once the user has approved it. */
export function isOn({ state }: { state: SkillState }): boolean {
  return state !== 'disabled' && state !== 'needs_review';
}

/** The remedy for a state: the label of a link, and its target. */
export interface Remedy {
  readonly label: string;
  readonly to: 'switch_on' | 'credentials' | 'file' | 'server' | 'detail';
}

export function remedyOf(row: Pick<SkillRow, 'state' | 'reason' | 'source'>): Remedy | null {
  const reason = row.reason ?? '';
  if (row.source === 'mcp' && (row.state === 'needs_review' || row.state === 'failed'))
    return { label: row.state === 'failed' ? 'See why' : 'Review', to: 'server' };
  switch (row.state) {
    case 'disabled':
      return { label: 'Switch on', to: 'switch_on' };
    case 'needs_review':
      return { label: 'Review', to: 'detail' };
    case 'needs_sign_in':
      return { label: 'Sign in', to: 'credentials' };
    case 'unavailable':
      if (/\.config\b/.test(reason)) return { label: 'Correct it', to: 'detail' };
      return KEY.test(reason) || VARIABLE.test(reason) ? { label: 'Add key', to: 'credentials' } : { label: 'See why', to: 'detail' };
    case 'failed':
      return { label: 'See why', to: 'detail' };
    case 'broken':
      return isOfFiles(row) ? { label: 'Show file', to: 'file' } : { label: 'See why', to: 'detail' };
    default:
      if (!worksInPart(row)) return null;
      return isOfFiles(row) ? { label: 'Show file', to: 'file' } : { label: 'See why', to: 'detail' };
  }
}

/** Whether the user can fix it in a file. */
export function isOfFiles({ source }: Pick<SkillRow, 'source'>): boolean {
  return source === 'folder' || source === 'dynamic';
}

const KEY = /\bneeds a value\b|\bcredentials?\b|\bapi key\b/i;
/** `set FINNHUB_API_KEY` */
const VARIABLE = /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/;

export interface Day {
  /** `YYYY-MM-DD` in UTC, as in the backend. */
  readonly day: string;
  readonly calls: number;
}

/** The last 14 days, oldest first, ending with today. */
export function lastDays(days: SkillRow['usage']['days'], now: number): readonly Day[] {
  return Array.from({ length: 14 }, (_, at) => {
    const day = new Date(now - (13 - at) * 86_400_000).toISOString().slice(0, 10);
    return { day, calls: days[day] ?? 0 };
  });
}

/** `Pull up UBER -> pull_up_symbol`: the request, and its target tool if given. */
export function exampleOf(written: string): { text: string; tool: string | null } {
  const at = written.lastIndexOf(' -> ');
  return at < 0
    ? { text: written.trim(), tool: null }
    : { text: written.slice(0, at).trim(), tool: written.slice(at + 4).trim() };
}

/** Candidates for hiding: never or longest unused first, then the most expensive in the catalog. */
export function hideable(rows: readonly SkillRow[]): readonly SkillRow[] {
  return rows
    .filter(({ hidden, pinned, state, tokens }) => !hidden && !pinned && state === 'available' && tokens.catalog > 0)
    .toSorted(
      (a, b) =>
        (a.usage.last_used ?? '').localeCompare(b.usage.last_used ?? '') ||
        b.tokens.catalog - a.tokens.catalog ||
        byName(a.name, b.name),
    );
}

export const sourceNames: Record<string, string> = {
  native: 'Native',
  folder: 'Folder',
  dynamic: 'Dynamic',
  mcp: 'MCP',
};

export function sourceName(source: string): string {
  return sourceNames[source] ?? source;
}

export function loadsText({ mode }: { mode: string }): string {
  return mode === 'always' ? 'Always' : 'On demand';
}

export function lifetimeText({ mode, lifetime }: { mode: string; lifetime: string }): string {
  if (mode === 'always') return '';
  return lifetime === 'turn' ? 'this turn' : 'this chat';
}

export function allTokens({ tokens }: SkillRow): number {
  return tokens.catalog + tokens.instructions + tokens.schemas;
}

export interface Carried {
  readonly catalog: number;
  readonly instructions: number;
  readonly schemas: number;
  readonly all: number;
}

/**
 * Tokens that working skills add to every request: their catalog lines, and all of those that are always
 * loaded. `sent` is the actual size of the catalog, if known.
 */
export function carried(rows: readonly SkillRow[], sent?: number): Carried {
  const working = rows.filter(({ state }) => state === 'available' || state === 'active');
  const always = working.filter(({ mode }) => mode === 'always');
  const sum = (of: readonly SkillRow[], part: keyof SkillRow['tokens']) =>
    of.reduce((total, { tokens }) => total + tokens[part], 0);
  const listed = sum(
    working.filter(({ hidden }) => !hidden),
    'catalog',
  );
  const catalog = sent ?? listed;
  const instructions = sum(always, 'instructions');
  const schemas = sum(always, 'schemas');
  return { catalog, instructions, schemas, all: catalog + instructions + schemas };
}

/** Splits in the middle, so that the remedy at the end stays visible when truncated. */
export function halves(text: string): [start: string, end: string] {
  if (text.length <= 48) return [text, ''];
  const at = text.indexOf(' ', text.length - 22);
  return at < 0 || at === text.length - 1 ? [text.slice(0, -16), text.slice(-16)] : [text.slice(0, at), text.slice(at)];
}

/** Drops terminal commands, and directions to the page that is linked here. */
export function withoutCommands(reason: string): string {
  return reason
    .replace(/^It needs a (value|credential): /, '')
    .replace(/,? (with|or run) `nova [^`]*`/g, '')
    .replace(/,?( or)? in Settings, Credentials\b/g, '')
    .replace(/ ?\b(Review|See) (it|them)?:? ?`?nova [\w -]+`?\.?/g, '')
    .trim();
}

function inSentence(text: string): string {
  // Names keep their capital: only words that are certainly not names are lowered.
  return /^(Set|Sign|Add|Install|Choose|Switch|Start|Write|The|A|An|No|Not|It|Its|This) /.test(text)
    ? text.charAt(0).toLowerCase() + text.slice(1)
    : text;
}
