// Parses the results of the skill `screener`'s tools. Pure; amounts and figures stay decimal strings.

import type { JsonValue } from '../../ipc';
import { isRow, type Row } from '../skill/answer';
import { rows, some, text } from '../symbol/answers';

export type Operator = 'below' | 'above' | 'between';
export type Missing = 'leave_out' | 'keep';

/** A condition of a screen's note. `field` is null if the line is not field, operator and value; it is then edited as text. */
export interface SavedCondition {
  readonly text: string;
  readonly field: string | null;
  readonly operator: Operator | null;
  /** One value, two for `between`; may end in `%`, `k`, `m` or `bn`. */
  readonly values: readonly string[];
  readonly problem: string | null;
}

export interface ScorePart {
  readonly text: string;
  readonly field: string | null;
  readonly prefer: 'low' | 'high';
  /** Decimal, in percent of the score. */
  readonly weight: string;
}

export interface Screen {
  readonly name: string;
  readonly path: string;
  readonly universe: string | null;
  readonly conditions: readonly SavedCondition[];
  readonly missing: Missing;
  readonly score: readonly ScorePart[];
  /** Its last scan. */
  readonly last: { readonly hits: number; readonly at: string } | null;
  readonly problems: readonly string[];
}

export interface Strategy {
  readonly name: string;
  readonly path: string;
  /** The screen that it trades, if any. */
  readonly screen: string | null;
  readonly problems: readonly string[];
}

/** A figure that conditions can use. */
export interface Field {
  readonly key: string;
  readonly name: string;
  /** `ratio`, `percent`, `currency`, `number`, `shares` */
  readonly unit: string;
  readonly needs: 'closes' | 'reports';
  readonly example: string;
}

export interface Screens {
  readonly screens: readonly Screen[];
  readonly strategies: readonly Strategy[];
  readonly fields: readonly Field[];
}

export interface Universe {
  readonly name: string;
  readonly path: string | null;
  readonly count: number | null;
  /** When the list was made, `YYYY-MM-DD`. */
  readonly day: string | null;
  readonly kind: 'note' | 'positions' | 'watchlist' | 'filers';
}

export interface Column {
  readonly key: string;
  readonly name: string;
  readonly unit: string;
}

export interface Hit {
  readonly symbol: string;
  readonly name: string | null;
  readonly price: string;
  readonly currency: string;
  /** Date of the price, `YYYY-MM-DD`. */
  readonly date: string;
  readonly score: string | null;
  /** What the score is the sum of. */
  readonly parts: readonly { readonly name: string; readonly points: string }[];
  /** One per column; null if unknown. */
  readonly values: readonly (string | null)[];
  /** Closes of six months, oldest first. */
  readonly spark: readonly number[];
  readonly held: boolean;
  readonly old: boolean;
  /** Indexes of conditions that could not be checked. */
  readonly unknown: readonly number[];
}

/** A scan's result; partial results have the same shape. */
export interface Scan {
  readonly universe: Omit<Universe, 'kind'>;
  readonly scanned: number;
  readonly of: number;
  readonly conditions: readonly { readonly text: string; readonly name: string }[];
  readonly columns: readonly Column[];
  readonly hits: readonly Hit[];
  /** All hits, including those beyond the limit. */
  readonly found: number;
  readonly leftOut: readonly { readonly symbol: string; readonly missing: readonly string[] }[];
  readonly unanswered: readonly Unanswered[];
  /** The nearest miss, if there are no hits. */
  readonly closest: { readonly symbol: string; readonly condition: string; readonly by: string } | null;
  /** Names of the sources that were asked over the network. */
  readonly asks: readonly string[];
  readonly problems: readonly string[];
}

export interface Unanswered {
  readonly symbol: string;
  readonly reason: string;
}

export interface CheckedCondition {
  readonly text: string;
  readonly name: string;
  /** null if unknown. */
  readonly holds: boolean | null;
  readonly value: string | null;
  readonly unit: string;
  /** "below 18" */
  readonly limit: string;
  readonly source: string;
  readonly date: string | null;
  readonly old: boolean;
  /** Why `holds` is unknown. */
  readonly reason: string | null;
}

export interface Explanation {
  readonly symbol: string;
  readonly name: string | null;
  readonly hit: boolean;
  readonly conditions: readonly CheckedCondition[];
  /** The nearest limit that would exclude it; `condition` is an index. */
  readonly nearest: { readonly condition: number; readonly limit: string } | null;
}

/** `null` without a result. */
export function screensIn(answer: Answer): Screens | null {
  if (!isRow(answer)) return null;
  return {
    screens: rows(answer, 'screens').map((row) => ({
      name: text(row, 'name'),
      path: text(row, 'path'),
      universe: some(row, 'universe'),
      conditions: rows(row, 'conditions').map(conditionIn),
      missing: row['missing'] === 'keep' ? 'keep' : 'leave_out',
      score: rows(row, 'score').map((part) => ({ text: text(part, 'text'), field: some(part, 'field'), prefer: part['prefer'] === 'low' ? 'low' : 'high', weight: text(part, 'weight') })),
      last: isRow(row['last']) ? { hits: whole(row['last'], 'hits') ?? 0, at: text(row['last'], 'at') } : null,
      problems: texts(row, 'problems'),
    })),
    strategies: rows(answer, 'strategies').map((row) => ({ name: text(row, 'name'), path: text(row, 'path'), screen: some(row, 'screen'), problems: texts(row, 'problems') })),
    fields: rows(answer, 'fields').map((row) => ({ key: text(row, 'key'), name: text(row, 'name') || text(row, 'key'), unit: text(row, 'unit'), needs: row['needs'] === 'reports' ? 'reports' : 'closes', example: text(row, 'example') })),
  };
}

function conditionIn(row: Row): SavedCondition {
  const operator = row['operator'];
  return {
    text: text(row, 'text'),
    field: some(row, 'field'),
    operator: operator === 'below' || operator === 'above' || operator === 'between' ? operator : null,
    values: texts(row, 'values'),
    problem: some(row, 'problem'),
  };
}

export function universesIn(answer: Answer): Universe[] {
  return rows(answer, 'universes').map((row) => {
    const kind = row['kind'];
    return { ...universeIn(row), kind: kind === 'positions' || kind === 'watchlist' || kind === 'filers' ? kind : 'note' };
  });
}

function universeIn(row: JsonValue | undefined): Omit<Universe, 'kind'> {
  if (!isRow(row)) return { name: '', path: null, count: null, day: null };
  return { name: text(row, 'name'), path: some(row, 'path'), count: whole(row, 'count'), day: some(row, 'day') };
}

/** `null` if the value is not a scan. */
export function scanIn(answer: Answer): Scan | null {
  if (!isRow(answer) || !Array.isArray(answer['hits'])) return null;
  const hits = rows(answer, 'hits').map(hitIn);
  const closest = answer['closest'];
  return {
    universe: universeIn(answer['universe']),
    scanned: whole(answer, 'scanned') ?? 0,
    of: whole(answer, 'of') ?? 0,
    conditions: rows(answer, 'conditions').map((row) => ({ text: text(row, 'text'), name: text(row, 'name') })),
    columns: rows(answer, 'columns').map((row) => ({ key: text(row, 'key'), name: text(row, 'name'), unit: text(row, 'unit') })),
    hits,
    found: Math.max(whole(answer, 'found') ?? 0, hits.length),
    leftOut: rows(answer, 'left_out').map((row) => ({ symbol: text(row, 'symbol'), missing: texts(row, 'missing') })),
    unanswered: unansweredIn(answer),
    closest: isRow(closest) ? { symbol: text(closest, 'symbol'), condition: text(closest, 'condition'), by: text(closest, 'by') } : null,
    asks: texts(answer, 'asks'),
    problems: texts(answer, 'problems'),
  };
}

function hitIn(row: Row): Hit {
  const values = Array.isArray(row['values']) ? row['values'] : [];
  return {
    symbol: text(row, 'symbol'),
    name: some(row, 'name'),
    price: text(row, 'price'),
    currency: text(row, 'currency'),
    date: text(row, 'date'),
    score: some(row, 'score'),
    parts: rows(row, 'parts').map((part) => ({ name: text(part, 'name'), points: text(part, 'points') })),
    values: values.map((value) => (typeof value === 'string' && value !== '' ? value : null)),
    spark: numbers(row, 'spark'),
    held: row['held'] === true,
    old: row['old'] === true,
    unknown: numbers(row, 'unknown'),
  };
}

export function explanationIn(answer: Answer): Explanation | null {
  if (!isRow(answer)) return null;
  const nearest = answer['nearest'];
  return {
    symbol: text(answer, 'symbol'),
    name: some(answer, 'name'),
    hit: answer['hit'] === true,
    conditions: rows(answer, 'conditions').map((row) => ({
      text: text(row, 'text'),
      name: text(row, 'name'),
      holds: typeof row['holds'] === 'boolean' ? row['holds'] : null,
      value: some(row, 'value'),
      unit: text(row, 'unit'),
      limit: text(row, 'limit'),
      source: text(row, 'source'),
      date: some(row, 'date'),
      old: row['old'] === true,
      reason: some(row, 'reason'),
    })),
    nearest: isRow(nearest) ? { condition: whole(nearest, 'condition') ?? -1, limit: text(nearest, 'limit') } : null,
  };
}

export type Answer = JsonValue | null | undefined;

export function unansweredIn(answer: Answer): Unanswered[] {
  return rows(answer, 'unanswered').map((row) => ({ symbol: text(row, 'symbol'), reason: text(row, 'reason') }));
}

export function texts(row: Row, key: string): string[] {
  const list = row[key];
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}

export function whole(row: Row, key: string): number | null {
  const value = Number(text(row, key) || NaN);
  return Number.isFinite(value) ? value : null;
}

function numbers(row: Row, key: string): number[] {
  const list = row[key];
  return Array.isArray(list) ? list.filter((one) => typeof one === 'number') : [];
}

/** A condition that was checked without a scan. */
export interface Check {
  readonly text: string;
  /** In a sentence; null if it is valid. */
  readonly problem: string | null;
  /** Position of the problem, from 1. */
  readonly character: number | null;
  /** Names of the figures that it reads. */
  readonly reads: readonly string[];
}

export function checksIn(answer: Answer): Check[] {
  return rows(answer, 'conditions').map((row) => ({ text: text(row, 'text'), problem: some(row, 'problem'), character: whole(row, 'character'), reads: texts(row, 'reads') }));
}
