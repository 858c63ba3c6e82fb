// The user's notes about a symbol, from the tools of the skills `portfolio` and `vault`. Pure.

import type { JsonValue } from '../../ipc';
import { noteName } from '../../shared/format';
import { rows, some, text } from './answers';

export interface Holding {
  /** Its index in the output, to find its figures. */
  readonly place: number;
  /** The note; `null` for a position known only from trades. */
  readonly path: string | null;
  readonly currency: string;
  readonly quantity: string | null;
  readonly averageCost: string | null;
  readonly value: string | null;
  readonly gain: string | null;
  /** Percent. */
  readonly gainPercent: string | null;
  readonly share: string | null;
}

export interface Trade {
  readonly path: string;
  /** `buy`, `sell`, `dividend`, `split`, `fee` */
  readonly kind: string;
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** For a split, "2 for 1". */
  readonly quantity: string | null;
  readonly price: string | null;
  readonly currency: string;
}

export interface Watched {
  readonly symbol: string;
  readonly path: string;
  readonly target: string | null;
  readonly currency: string;
}

/** A line of another note that links to the symbol's. */
export interface Mention {
  readonly path: string;
  readonly line: number | null;
  /** Without list markers. */
  readonly text: string;
}

type Answer = JsonValue | null | undefined;

export function holdingIn(answer: Answer, symbol: string): Holding | null {
  const all = rows(answer, 'positions');
  const place = all.findIndex((row) => isSame(text(row, 'symbol'), symbol));
  const row = all[place];
  if (!row) return null;
  return {
    place,
    path: some(row, 'path'),
    currency: text(row, 'currency'),
    quantity: some(row, 'quantity'),
    averageCost: some(row, 'average_cost'),
    value: some(row, 'value'),
    gain: some(row, 'gain'),
    gainPercent: some(row, 'gain_percent'),
    share: some(row, 'share'),
  };
}

/** Newest first, as the tool lists them. */
export function tradesIn(answer: Answer): Trade[] {
  return rows(answer, 'trades').map((row) => ({
    path: text(row, 'path'),
    kind: text(row, 'kind'),
    day: text(row, 'date'),
    quantity: some(row, 'quantity'),
    price: some(row, 'price'),
    currency: text(row, 'currency'),
  }));
}

export function watchedIn(answer: Answer): Watched[] {
  return rows(answer, 'watched').map((row) => ({ symbol: text(row, 'symbol'), path: text(row, 'path'), target: some(row, 'target'), currency: text(row, 'target_currency') }));
}

/**
 * The lines that link to the symbol's note; none if the resolved note is another one, such as "Cat.md" for
 * CAT. Trades and the watchlist are excluded, as they have their own sections.
 */
export function mentionsIn(answer: Answer, of: { readonly symbol: string; readonly note: string | null; readonly others: readonly string[] }): Mention[] {
  const path = typeof answer === 'object' && answer !== null && !Array.isArray(answer) ? text(answer, 'path') : '';
  if (of.note === null ? noteName(path).name !== of.symbol : path !== of.note) return [];
  return rows(answer, 'back')
    .map((row) => ({ path: text(row, 'path'), line: typeof row['line'] === 'number' ? row['line'] : null, text: text(row, 'text').trim().replace(/^[-*+] (\[.\] )?/, '') }))
    .filter((mention) => mention.path !== '' && !of.others.includes(mention.path));
}

export function isSame(a: string, b: string): boolean {
  return a.trim().toUpperCase() === b.trim().toUpperCase();
}
