// State of the symbol panel. Pure, without a clock.

import type { JsonValue, UserError } from '../../ipc';
import { keyOf, type Asked, type Reads } from '../skill/state';
import { isSame } from './notes';

export const ranges = ['1d', '1m', '6m', '1y', '5y', 'all'] as const;
export type Range = (typeof ranges)[number];

/** Maximum symbols compared with the first. */
export const MOST_COMPARED = 3;

/** Two years of trading days. */
export const MOST_AVERAGED = 500;

export type Tab = 'chart' | 'figures' | 'notes' | 'filings';

export interface SymbolState {
  /** As entered by the user; `null` before. */
  readonly named: string | null;
  readonly range: Range;
  readonly volume: boolean;
  readonly average: boolean;
  /** Trading days in the average. */
  readonly averageDays: number;
  readonly table: boolean;
  /** Whether prices are on a logarithmic scale. */
  readonly log: boolean;
  /** Symbols compared with it. */
  readonly others: readonly string[];
  /** Whether the field for another symbol is open. */
  readonly comparing: boolean;
  /** Whether search results are listed. */
  readonly searching: boolean;
  /** The tab, if there is no room for all parts. */
  readonly tab: Tab;
  /** The day that the chart reads out. */
  readonly pointed: { readonly day: string; /** Chosen by key: announced. */ readonly spoken: boolean } | null;
}

export type SymbolChange =
  | { readonly type: 'named'; readonly symbol: string }
  | { readonly type: 'searched' }
  | { readonly type: 'ranged'; readonly range: Range }
  | { readonly type: 'switched'; readonly part: 'volume' | 'average' | 'log' | 'table' }
  /** Ignored unless a whole number from 2 to `MOST_AVERAGED`. */
  | { readonly type: 'averaged'; readonly days: number }
  | { readonly type: 'compares'; readonly open: boolean }
  | { readonly type: 'compared'; readonly symbol: string }
  | { readonly type: 'dropped'; readonly symbol: string }
  | { readonly type: 'tab'; readonly tab: Tab }
  | { readonly type: 'pointed'; readonly day: string | null }
  /** Moves by one day among `days`, oldest first; from the last one if none is selected. */
  | { readonly type: 'stepped'; readonly by: 1 | -1; readonly days: readonly string[] };

export const firstSymbol: SymbolState = {
  named: null,
  range: '1y',
  volume: true,
  average: true,
  averageDays: 50,
  table: false,
  log: false,
  others: [],
  comparing: false,
  searching: false,
  tab: 'chart',
  pointed: null,
};

export function reduceSymbol(state: SymbolState, change: SymbolChange): SymbolState {
  if (state.range === '1d' && isOfCloses(change)) return state;
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
    case 'averaged': {
      const { days } = change;
      const isValid = Number.isInteger(days) && days >= 2 && days <= MOST_AVERAGED;
      return isValid ? { ...state, average: true, averageDays: days, pointed: null } : state;
    }
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

/** Averages and comparisons are of closes: within a day there are none. */
function isOfCloses(change: SymbolChange): boolean {
  return change.type === 'averaged' || change.type === 'compares' || change.type === 'compared' || (change.type === 'switched' && change.part === 'average');
}

interface Asking {
  /** The full name of one of the skill's tools. */
  nameOf(tool: string): string;
  readonly pullUp: { readonly tool: string; readonly args: Readonly<Record<string, JsonValue>> };
}

/** The request for price and closes. Five years serve all ranges but a day and the maximum, which saves requests. */
export function quoteAsked({ named, range }: SymbolState, { pullUp, nameOf }: Asking): Asked | null {
  if (named === null) return null;
  return { tool: nameOf(pullUp.tool), args: { ...pullUp.args, symbol: named, range: range === '1d' || range === 'all' ? range : '5y' } };
}

/** `symbol`: as named by the tool. */
export function compareAsked({ others, range }: SymbolState, symbol: string | null, { nameOf }: Asking): Asked | null {
  return symbol === null || others.length === 0 || range === '1d' ? null : { tool: nameOf('compare'), args: { symbols: [symbol, ...others], range, points: true } };
}

/**
 * Requests about the company, by tab; all of them if there is room. A tool that is not ready is not called.
 */
export function companyAsked({ tab }: SymbolState, symbol: string | null, roomy: boolean, { nameOf, notReady }: Asking & { notReady(tool: string): string | null }): Asked[] {
  if (symbol === null) return [];
  const tools = [...(roomy || tab === 'figures' ? ['fundamentals'] : []), ...(roomy || tab === 'filings' ? ['filings', 'news'] : [])].map(nameOf);
  return tools.filter((tool) => notReady(tool) === null).map((tool) => ({ tool, args: { symbol } }));
}

/** The newest result for the named symbol, whatever its range. */
export function newestOf(reads: Reads, { named }: SymbolState, tool: string) {
  const own = Object.values(reads).filter((read) => read.tool === tool && read.args['symbol'] === named && read.at !== null);
  return own.toSorted((a, b) => ((a.at ?? '') < (b.at ?? '') ? 1 : -1))[0] ?? null;
}

/** The result that the chart is drawn from: while a longer range loads, that of another one. */
export function drawnOf(reads: Reads, state: SymbolState, asked: Asked, tool: string) {
  const own = reads[keyOf(asked)];
  if (own?.result != null || state.range === '1d') return own ?? null;
  return newestOf(Object.fromEntries(Object.entries(reads).filter(([, { args }]) => args['range'] !== '1d')), state, tool);
}

/** Why there is no price, as far as the panel offers a remedy. */
export type Trouble = 'several' | 'unknown' | 'refused' | 'failed';

export function troubleOf({ code }: UserError): Trouble {
  if (code === 'ambiguous') return 'several';
  if (code === 'unknown_symbol') return 'unknown';
  return code === 'denied_by_user' || code === 'denied_by_rule' || code === 'approval_unanswered' || code === 'cancelled' ? 'refused' : 'failed';
}

/**
 * The symbol for the other blocks: as named by the tool, or as entered if only the price failed. None if it
 * is unresolved, or if the user refused to send the name.
 */
export function symbolOf({ named }: SymbolState, found: string | null, error: UserError | null): string | null {
  return found ?? (error !== null && troubleOf(error) === 'failed' ? named : null);
}
