// What the panel of a symbol shows, as data: pure, no clock of its own.

import type { JsonValue, UserError } from '../../ipc';
import type { Asked, Reads } from '../skill/state';
import { isSame } from './notes';

export const ranges = ['1m', '6m', '1y', '5y', 'all'] as const;
export type Range = (typeof ranges)[number];

/** How many symbols stand beside the first one. */
export const MOST_COMPARED = 3;

export type Tab = 'chart' | 'figures' | 'notes' | 'filings';

export interface SymbolState {
  /** As the user named it; `null` before. */
  readonly named: string | null;
  readonly range: Range;
  readonly volume: boolean;
  readonly average: boolean;
  readonly table: boolean;
  /** Compared with it. */
  readonly others: readonly string[];
  /** The field for one more is open. */
  readonly comparing: boolean;
  /** What is found for the name is listed. */
  readonly searching: boolean;
  /** Where there is no room for all parts. */
  readonly tab: Tab;
  /** The day that the chart reads out. */
  readonly pointed: { readonly day: string; /** By a key: it is spoken. */ readonly spoken: boolean } | null;
}

export type SymbolChange =
  | { readonly type: 'named'; readonly symbol: string }
  | { readonly type: 'searched' }
  | { readonly type: 'ranged'; readonly range: Range }
  | { readonly type: 'switched'; readonly part: 'volume' | 'average' | 'table' }
  | { readonly type: 'compares'; readonly open: boolean }
  | { readonly type: 'compared'; readonly symbol: string }
  | { readonly type: 'dropped'; readonly symbol: string }
  | { readonly type: 'tab'; readonly tab: Tab }
  | { readonly type: 'pointed'; readonly day: string | null }
  /** One day on or back among `days`, oldest first; from the last one where none is pointed at. */
  | { readonly type: 'stepped'; readonly by: 1 | -1; readonly days: readonly string[] };

export const firstSymbol: SymbolState = {
  named: null,
  range: '1y',
  volume: true,
  average: true,
  table: false,
  others: [],
  comparing: false,
  searching: false,
  tab: 'chart',
  pointed: null,
};

export function reduceSymbol(state: SymbolState, change: SymbolChange): SymbolState {
  switch (change.type) {
    case 'named': {
      const symbol = change.symbol.trim();
      if (symbol === '') return state;
      return { ...state, named: symbol, others: [], comparing: false, searching: false, pointed: null, tab: 'chart' };
    }
    case 'searched':
      return { ...state, searching: true };
    case 'ranged':
      return { ...state, range: change.range, pointed: null };
    case 'switched':
      return { ...state, [change.part]: !state[change.part], pointed: null };
    case 'compares':
      return { ...state, comparing: change.open && state.others.length < MOST_COMPARED, tab: 'chart' };
    case 'compared': {
      const symbol = change.symbol.trim();
      const closed = { ...state, comparing: false };
      const known = [state.named ?? '', ...state.others].some((one) => isSame(one, symbol));
      if (symbol === '' || known || state.others.length >= MOST_COMPARED) return closed;
      return { ...closed, others: [...state.others, symbol], pointed: null };
    }
    case 'dropped':
      return { ...state, others: state.others.filter((one) => one !== change.symbol), pointed: null };
    case 'tab':
      return { ...state, tab: change.tab };
    case 'pointed':
      return { ...state, pointed: change.day === null ? null : { day: change.day, spoken: false } };
    case 'stepped': {
      const { days, by } = change;
      if (days.length === 0) return state;
      const at = state.pointed === null ? -1 : days.indexOf(state.pointed.day);
      const next = at < 0 ? days.length - 1 : Math.min(days.length - 1, Math.max(0, at + by));
      return { ...state, pointed: { day: days[next] ?? '', spoken: true } };
    }
  }
}

interface Asking {
  /** The whole name of one of the skill's tools. */
  nameOf(tool: string): string;
  readonly pullUp: { readonly tool: string; readonly args: Readonly<Record<string, JsonValue>> };
}

/** The call for price and closes. Five years of them serve all ranges but the whole, so that few ask the web again. */
export function quoteAsked({ named, range }: SymbolState, { pullUp, nameOf }: Asking): Asked | null {
  if (named === null) return null;
  return { tool: nameOf(pullUp.tool), args: { ...pullUp.args, symbol: named, range: range === 'all' ? 'all' : '5y' } };
}

/** `symbol`: as the tool names what was asked for. */
export function compareAsked({ others, range }: SymbolState, symbol: string | null, { nameOf }: Asking): Asked | null {
  return symbol === null || others.length === 0 ? null : { tool: nameOf('compare'), args: { symbols: [symbol, ...others], range, points: true } };
}

/** Calls about the company, by the tab that shows each; all of them where there is room. A tool that is not ready is not called. */
export function companyAsked({ tab }: SymbolState, symbol: string | null, roomy: boolean, { nameOf, notReady }: Asking & { notReady(tool: string): string | null }): Asked[] {
  if (symbol === null) return [];
  const tools = [...(roomy || tab === 'figures' ? ['fundamentals'] : []), ...(roomy || tab === 'filings' ? ['filings', 'news'] : [])].map(nameOf);
  return tools.filter((tool) => notReady(tool) === null).map((tool) => ({ tool, args: { symbol } }));
}

/** The newest answer about what is named, whatever range it was asked with. */
export function newestOf(reads: Reads, { named }: SymbolState, tool: string) {
  const own = Object.values(reads).filter((read) => read.tool === tool && read.args['symbol'] === named && read.at !== null);
  return own.toSorted((a, b) => ((a.at ?? '') < (b.at ?? '') ? 1 : -1))[0] ?? null;
}

/** Why there is no price, as far as the panel does something about it. */
export type Trouble = 'several' | 'unknown' | 'refused' | 'failed';

export function troubleOf({ code, message }: UserError): Trouble {
  if (code === 'ambiguous') return 'several';
  if (code === 'note_not_found' || /^No source knows\b/.test(message)) return 'unknown';
  return code === 'denied_by_user' || code === 'denied_by_rule' || code === 'approval_unanswered' || code === 'cancelled' ? 'refused' : 'failed';
}

/**
 * The symbol that the other blocks are about: as the tool names it, or as the user did where only the price failed.
 * None where it is not known which one is meant, or where the user did not let the name leave the machine.
 */
export function symbolOf({ named }: SymbolState, found: string | null, error: UserError | null): string | null {
  return found ?? (error !== null && troubleOf(error) === 'failed' ? named : null);
}
