// Parses the output of the skill `lookup`. Pure. Prices, percents and amounts stay decimal strings.

import type { JsonValue } from '../../ipc';
import { decimal } from '../../shared/decimal';
import { isRow, type Row } from '../skill/answer';

/** The close of a trading day, or a price within one. */
export interface Close {
  /** `YYYY-MM-DD`; within a day the time at the exchange, `YYYY-MM-DDTHH:MM:SS`. */
  readonly day: string;
  readonly close: string;
  readonly volume: number | null;
}

/** Prices within the last trading day, oldest first. */
export interface Intraday {
  readonly source: string;
  /** An IANA name, or an offset such as `UTC-05:00`. */
  readonly zone: string;
  readonly prices: readonly Close[];
}

export interface Quote {
  readonly symbol: string;
  readonly name: string | null;
  readonly exchange: string | null;
  readonly currency: string;
  readonly price: string;
  /** `YYYY-MM-DD` or RFC 3339 */
  readonly at: string;
  readonly source: string;
  readonly stale: 'old' | 'very_old' | null;
  /** Whether it is the last stored close, for lack of a current price. */
  readonly isClose: boolean;
  /** Percent. */
  readonly dayChange: string | null;
  readonly yearChange: string | null;
  readonly yearHigh: string | null;
  readonly yearLow: string | null;
  readonly closesSource: string | null;
  readonly closesTo: string | null;
  /** Oldest first. */
  readonly closes: readonly Close[];
  /** `null` unless requested and known. */
  readonly intraday: Intraday | null;
}

/** A symbol's performance, in percent of its first close in the range. */
export interface Moved {
  readonly symbol: string;
  readonly name: string | null;
  readonly currency: string;
  readonly change: string;
  readonly points: readonly { readonly day: string; readonly change: string }[];
}

export interface KeyFigure {
  readonly key: string;
  readonly name: string;
  readonly value: string | null;
  /** A currency, `percent` or `ratio`. */
  readonly unit: string;
  /** Its source or formula. */
  readonly how: string;
  readonly day: string | null;
  /** The day of a newer report that this figure does not use yet. */
  readonly newer: string | null;
  /** Why there is no value. */
  readonly missing: string | null;
  readonly remedy: string | null;
}

export interface Filing {
  readonly form: string;
  readonly title: string;
  readonly day: string;
  readonly url: string;
}

export interface NewsItem {
  readonly title: string;
  readonly url: string;
  readonly source: string;
  readonly day: string;
}

/** The first items of a list, and their total. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** A symbol that a name may mean. */
export interface Candidate {
  readonly symbol: string;
  readonly name: string;
  readonly exchange: string | null;
  readonly currency: string | null;
  readonly kind: string | null;
}

type Answer = JsonValue | null | undefined;

/** `null` without a price. */
export function quoteIn(answer: Answer): Quote | null {
  if (!isRow(answer)) return null;
  const [symbol, price] = [text(answer, 'symbol'), figure(answer, 'price')];
  if (symbol === '' || price === null) return null;
  const stale = answer['stale'];
  return {
    symbol,
    name: some(answer, 'name'),
    exchange: some(answer, 'exchange'),
    currency: text(answer, 'currency'),
    price,
    at: text(answer, 'price_at'),
    source: text(answer, 'price_source'),
    stale: stale === 'old' || stale === 'very_old' ? stale : null,
    isClose: answer['is_close'] === true,
    dayChange: figure(answer, 'day_change'),
    yearChange: figure(answer, 'year_change'),
    yearHigh: figure(answer, 'year_high'),
    yearLow: figure(answer, 'year_low'),
    closesSource: some(answer, 'closes_source'),
    closesTo: some(answer, 'closes_to'),
    closes: rows(answer, 'points').flatMap((row) => {
      const [day, close] = [dayIn(row, 'date'), figure(row, 'close')];
      return day === '' || close === null ? [] : [{ day, close, volume: amount(row['volume']) }];
    }),
    intraday: intradayIn(answer['intraday']),
  };
}

function intradayIn(value: Answer): Intraday | null {
  if (!isRow(value)) return null;
  const prices = rows(value, 'points').flatMap((row) => {
    const [time, price] = [/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/.exec(text(row, 'time'))?.[0], figure(row, 'price')];
    return time === undefined || price === null ? [] : [{ day: time, close: price, volume: amount(row['volume']) }];
  });
  return { source: text(value, 'source'), zone: text(value, 'zone'), prices };
}

export function movedIn(answer: Answer): Moved[] {
  return rows(answer, 'symbols').map((row) => ({
    symbol: text(row, 'symbol'),
    name: some(row, 'name'),
    currency: text(row, 'currency'),
    change: text(row, 'change'),
    points: rows(row, 'points').flatMap((point) => {
      const [day, change] = [dayIn(point, 'date'), figure(point, 'change')];
      return day === '' || change === null ? [] : [{ day, change }];
    }),
  }));
}

export function keyFiguresIn(answer: Answer): KeyFigure[] {
  return rows(answer, 'figures').map((row) => ({
    key: text(row, 'key'),
    name: text(row, 'name'),
    value: some(row, 'value'),
    unit: text(row, 'unit'),
    how: text(row, 'how'),
    day: some(row, 'date'),
    newer: some(row, 'newer'),
    missing: some(row, 'missing'),
    remedy: some(row, 'remedy'),
  }));
}

export function filingsIn(answer: Answer): Listed<Filing> {
  const items = rows(answer, 'filings').map((row) => ({ form: text(row, 'form'), title: text(row, 'title'), day: text(row, 'date'), url: text(row, 'url') }));
  return { items, total: totalIn(answer, items.length) };
}

export function newsIn(answer: Answer): Listed<NewsItem> {
  const items = rows(answer, 'news').map((row) => ({ title: text(row, 'title'), url: text(row, 'url'), source: text(row, 'source'), day: text(row, 'date') }));
  return { items, total: totalIn(answer, items.length) };
}

export function candidatesIn(answer: Answer): Candidate[] {
  return rows(answer, 'found')
    .map((row) => ({ symbol: text(row, 'symbol'), name: text(row, 'name'), exchange: some(row, 'exchange'), currency: some(row, 'currency'), kind: some(row, 'kind') }))
    .filter(({ symbol }) => symbol !== '');
}

export function rows(answer: Answer, key: string): Row[] {
  const list = isRow(answer) ? answer[key] : null;
  return Array.isArray(list) ? list.filter(isRow) : [];
}

export function text(row: Row, key: string): string {
  const value = row[key];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

export function some(row: Row, key: string): string | null {
  return text(row, key) || null;
}

function figure(row: Row, key: string): string | null {
  const value = text(row, key);
  return decimal(value) === null ? null : value;
}

function dayIn(row: Row, key: string): string {
  const day = text(row, key);
  return /^\d{4}-\d{2}-\d{2}/.test(day) ? day.slice(0, 10) : '';
}

function amount(value: JsonValue | undefined): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : null;
}

function totalIn(answer: Answer, least: number): number {
  const count = isRow(answer) ? answer['count'] : null;
  return typeof count === 'number' ? Math.max(count, least) : least;
}
