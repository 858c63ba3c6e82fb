// A screen being edited. Pure. A condition is a line of the note; editing a row's fields rewrites the line.

import { compare, decimal } from '../../shared/decimal';
import { numberText } from '../../shared/amount';
import { pieces } from '../../shared/invisible';
import type { Check, Field, Missing, Operator, SavedCondition, Screen } from './answers';

export interface Condition {
  /** Stable while the row is edited; also identifies it in the draft that a scan started with. */
  readonly key: number;
  readonly text: string;
  /** null if the condition is edited as a line of text. */
  readonly field: string | null;
  readonly operator: Operator;
  /** As typed: "18", "10 %", "0.5 and 5 bn". */
  readonly value: string;
  /** The tool's complaint about the unedited line. */
  readonly problem: string | null;
}

export interface Preference {
  readonly key: number;
  readonly text: string;
  readonly field: string | null;
  readonly prefer: 'low' | 'high';
  readonly weight: string;
}

export interface Draft {
  readonly universe: string | null;
  readonly conditions: readonly Condition[];
  readonly missing: Missing;
  readonly score: readonly Preference[];
}

export const emptyDraft: Draft = { universe: null, conditions: [], missing: 'leave_out', score: [] };

export function draftOf(screen: Screen): Draft {
  return {
    universe: screen.universe,
    conditions: screen.conditions.map((saved, key) => ({ key, ...partsOf(saved), problem: saved.problem })),
    missing: screen.missing,
    score: screen.score.map((part, key) => ({ key, ...part })),
  };
}

function partsOf({ text, field, operator, values }: SavedCondition): Omit<Condition, 'key' | 'problem'> {
  const parts = field !== null && operator !== null && values.length === (operator === 'between' ? 2 : 1);
  return { text, field: parts ? field : null, operator: operator ?? 'below', value: parts ? valuesText(values) : text };
}

/** ["0.5 bn", "5 bn"] → "0.5 and 5 bn" */
export function valuesText(values: readonly string[]): string {
  const [first, second] = values.map(limitIn);
  if (!first) return values.join(' and ');
  if (values.length === 1) return limitText(first);
  if (!second) return values.join(' and ');
  return first.unit === second.unit ? `${numberText(first.number)} and ${limitText(second)}` : `${limitText(first)} and ${limitText(second)}`;
}

interface Limit {
  /** Decimal without separators. */
  readonly number: string;
  /** "", "%", "k", "m" or "bn" */
  readonly unit: string;
}

/** Parses "50,000" or "0.5 bn"; null if it is not an amount. */
function limitIn(typed: string): Limit | null {
  const [, sign = '', digits = '', fraction = '', unit = ''] = /^([-−]?)(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?\s*(%|k|m|bn)?$/i.exec(typed.trim()) ?? [];
  return digits === '' ? null : { number: `${sign === '' ? '' : '-'}${digits.replaceAll(',', '')}${fraction}`, unit: unit.toLowerCase() };
}

const limitText = ({ number, unit }: Limit) => `${numberText(number)}${unit === '' ? '' : ` ${unit}`}`;
/** As written in notes: without separators. */
const written = ({ number, unit }: Limit) => `${number}${unit === '' ? '' : ` ${unit}`}`;

/** Parses the typed limits; in "0.5 and 5 bn" the unit applies to both. */
function limitsIn(operator: Operator, value: string): readonly (Limit | null)[] {
  if (operator !== 'between') return [limitIn(value)];
  const limits = value.split(/\s+(?:and|to)\s+/i).map(limitIn);
  const [first, second] = limits;
  return limits.length === 2 && first && second && first.unit === '' ? [{ ...first, unit: second.unit }, second] : limits;
}

/** Formats a row as a line of the note. */
export function conditionText({ field, operator, value }: Pick<Condition, 'field' | 'operator' | 'value'>): string {
  if (field === null) return value.trim();
  const limits = limitsIn(operator, value).map((limit) => (limit === null ? value.trim() : written(limit)));
  if (operator === 'between') return `${field} between ${limits.join(' and ')}`;
  return `${field} ${operator === 'below' ? '<' : '>'} ${limits[0] ?? ''}`;
}

/** Formats a part of the score as a line of the note. */
export function preferenceText({ field, prefer, weight }: Pick<Preference, 'field' | 'prefer' | 'weight'>): string {
  return `${prefer} ${field ?? ''} ${weight} %`;
}

/** Applies an edit to a condition and rewrites its line. */
export function editedCondition(condition: Condition, part: Partial<Pick<Condition, 'field' | 'operator' | 'value'>>): Condition {
  const next = { ...condition, ...part };
  return { ...next, text: conditionText(next), problem: null };
}

/** Why a condition is invalid, in a sentence; `null` if it is valid. */
export function problemOf(condition: Condition, fields: readonly Field[]): string | null {
  const { field, operator, value } = condition;
  // An input cannot mark it.
  const hidden = pieces(value).find(({ code }) => code !== null);
  if (hidden) return `There is an invisible character, ${hidden.code}. Remove it.`;
  if (field === null) return condition.problem ?? lineProblem(value);
  const known = fields.find(({ key }) => key === field);
  if (value.trim() === '') return operator === 'between' ? 'Write two limits, such as 5 and 10.' : 'Write a limit.';
  const limits = limitsIn(operator, value);
  const isWanted = operator === 'between' ? limits.length === 2 : limits.length === 1;
  if (!isWanted) return 'Write two limits, such as 5 and 10.';
  if (limits.includes(null)) return `${value.trim()} is not a limit. Write it as 18, 10 % or 0.5 bn.`;
  const [first, second] = limits;
  if (known && known.unit !== 'percent' && limits.some((limit) => limit?.unit === '%')) return `${known.name} is not in percent. Leave out %.`;
  if (first && second && isAbove(first, second)) return `${limitText(first)} is above ${limitText(second)}. Write the lower limit first, with its unit.`;
  return condition.problem;
}

/** "Character 19: There is no comma." null if the condition is valid. */
export function checkText({ problem, character }: Check): string | null {
  return problem === null || character === null ? problem : `Character ${character}: ${problem}`;
}

/** Conditions quoted by an error of the tool, by key; edited ones are left out. */
export function namedBy(message: string, sent: Draft, draft: Draft): ReadonlyMap<number, string> {
  const named = draft.conditions.filter(({ key, text }) => text !== '' && message.includes(text) && sent.conditions.some((one) => one.key === key && one.text === text));
  return new Map(named.map(({ key }) => [key, message]));
}

const powers: Readonly<Record<string, number>> = { k: 3, m: 6, bn: 9 };

function isAbove(a: Limit, b: Limit): boolean {
  const [one, other] = [a, b].map(({ number, unit }) => {
    const known = decimal(number);
    return known && { ...known, digits: known.digits * 10n ** BigInt(powers[unit] ?? 0) };
  });
  return one != null && other != null && compare(one, other) > 0;
}

function lineProblem(line: string): string | null {
  if (line.trim() === '') return 'Write a condition, such as close > sma(close, 200).';
  let depth = 0;
  for (const sign of line) {
    depth += Number(sign === '(') - Number(sign === ')');
    if (depth < 0) break;
  }
  if (depth !== 0) return 'A bracket is missing.';
  return null;
}

/** Normalises a typed limit on blur: "10" of a percent field becomes "10 %". */
export function tidied({ field, operator, value }: Condition, fields: readonly Field[]): string {
  const limits = limitsIn(operator, value);
  if (field === null || limits.includes(null)) return value.trim();
  const isPercent = fields.find(({ key }) => key === field)?.unit === 'percent';
  return valuesText(limits.flatMap((limit) => (limit === null ? [] : [written({ ...limit, unit: isPercent && limit.unit === '' ? '%' : limit.unit })])));
}

/** A difference between two drafts. `key`: of a changed or added condition. */
export interface Change {
  readonly of: 'condition' | 'universe' | 'missing' | 'score';
  readonly key: number | null;
  readonly before: Condition | null;
  readonly now: Condition | null;
}

/** Lists the differences between two drafts. */
export function changesOf(before: Draft, now: Draft): Change[] {
  const changes: Change[] = [];
  for (const condition of now.conditions) {
    const old = before.conditions.find(({ key }) => key === condition.key) ?? null;
    if (old === null || lineOf(old) !== lineOf(condition)) changes.push({ of: 'condition', key: condition.key, before: old, now: condition });
  }
  for (const old of before.conditions) {
    if (!now.conditions.some(({ key }) => key === old.key)) changes.push({ of: 'condition', key: null, before: old, now: null });
  }
  const rest = { key: null, before: null, now: null };
  if (before.universe !== now.universe) changes.push({ of: 'universe', ...rest });
  if (before.missing !== now.missing) changes.push({ of: 'missing', ...rest });
  if (scoreLines(before) !== scoreLines(now)) changes.push({ of: 'score', ...rest });
  return changes;
}

/** Whether two drafts scan the same, ignoring keys and spelling. */
export function isSameDraft(a: Draft, b: Draft): boolean {
  return a.universe === b.universe && a.missing === b.missing && scoreLines(a) === scoreLines(b) && conditionLines(a) === conditionLines(b);
}

const conditionLines = ({ conditions }: Draft) => JSON.stringify(conditions.map(lineOf));
const scoreLines = ({ score }: Draft) => JSON.stringify(score.map((part) => (part.field === null ? part.text : preferenceText(part))));

/** The condition in canonical spelling. */
function lineOf(condition: Condition): string {
  return condition.field === null ? condition.text.trim() : conditionText(condition);
}

export function nextKey(list: readonly { readonly key: number }[]): number {
  return Math.max(-1, ...list.map(({ key }) => key)) + 1;
}
