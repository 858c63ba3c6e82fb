// Lays out a tool's output: lists of objects as tables, single values as pairs, the rest as JSON. Depends
// only on the value, so that unknown tools are shown as well as built-in ones.

import type { JsonValue } from '../ipc';
import { labelOf } from '../shared/form';
import { noteIn } from '../shared/note-in';

export type Section =
  | { kind: 'table'; title: string; columns: Column[]; rows: Record<string, JsonValue>[] }
  | { kind: 'pairs'; title: string; pairs: [label: string, value: JsonValue][] }
  | { kind: 'text'; title: string; text: string }
  | { kind: 'json'; title: string; value: JsonValue };

export type Column = {
  key: string;
  label: string;
  /** Right-aligned. */
  figures: boolean;
  /** The field with the path of the note named in this column. */
  note?: string;
};

export function sectionsOf(value: JsonValue): Section[] {
  if (!isObject(value)) return [sectionOf('', value)];
  const pairs: [string, JsonValue][] = [];
  const rest: Section[] = [];
  for (const [key, part] of Object.entries(value)) {
    if (isPlain(part)) pairs.push([labelOf(key), part]);
    else rest.push(sectionOf(labelOf(key), part));
  }
  return pairs.length > 0 ? [{ kind: 'pairs', title: '', pairs }, ...rest] : rest;
}

/** Omits what the headline already says: the row count of the only table. */
export function belowHeadline(sections: Section[]): Section[] {
  const [table, ...others] = sections.filter((section) => section.kind === 'table');
  if (!table || others.length > 0) return sections;
  return sections.flatMap((section): Section[] => {
    if (section.kind !== 'pairs') return [section];
    const pairs = section.pairs.filter(([label, value]) => !(label === 'Count' && value === table.rows.length));
    return pairs.length > 0 ? [{ ...section, pairs }] : [];
  });
}

/** The output's own summary, "8 deals", or "Done" if there is nothing to count. */
export function headlineOf(value: JsonValue): string {
  if (isObject(value) && typeof value['summary'] === 'string') return value['summary'];
  const sections = sectionsOf(value);
  const table = sections.find((section) => section.kind === 'table');
  if (table?.kind === 'table') {
    const noun = table.title === '' ? 'rows' : table.title.toLowerCase();
    return `${table.rows.length} ${table.rows.length === 1 ? singular(noun) : noun}`;
  }
  if (Array.isArray(value)) return value.length === 1 ? '1 result' : `${value.length} results`;
  if (isObject(value)) {
    const empty = Object.entries(value).find(([, part]) => Array.isArray(part) && part.length === 0);
    if (empty && Object.keys(value).length === 1) return `No ${labelOf(empty[0]).toLowerCase()}`;
  }
  return 'Done';
}

/** Text of a table cell or a pair. */
export function plainText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(plainText).join(', ');
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

function sectionOf(title: string, value: JsonValue): Section {
  if (Array.isArray(value)) {
    const rows = value.filter(isObject);
    if (rows.length > 0 && rows.length === value.length)
      return { kind: 'table', title, columns: columnsOf(rows), rows };
    if (value.every(isScalar)) return { kind: 'text', title, text: value.map(plainText).join('\n') };
    return { kind: 'json', title, value };
  }
  if (isObject(value)) {
    const pairs = Object.entries(value);
    if (pairs.every(([, part]) => isPlain(part)))
      return { kind: 'pairs', title, pairs: pairs.map(([key, part]) => [labelOf(key), part]) };
    return { kind: 'json', title, value };
  }
  return { kind: 'text', title, text: plainText(value) };
}

function columnsOf(rows: Record<string, JsonValue>[]): Column[] {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const named = keys.find((key) => NAMES.has(key) && rows.every((row) => typeof row[key] === 'string' && row[key] !== ''));
  // A row's name links to its note, so the path needs no column.
  const linked = named !== undefined && rows.every((row) => noteIn(row[PATH]) !== null);
  return keys.flatMap((key): Column[] => {
    if (linked && key === PATH) return [];
    const given = rows.map((row) => row[key]).filter((value) => value !== undefined && value !== null && value !== '');
    const column = { key, label: labelOf(key), figures: given.length > 0 && given.every(isFigure) };
    return [linked && key === named ? { ...column, note: PATH } : column];
  });
}

const PATH = 'path';
const NAMES = new Set(['name', 'title', 'symbol', 'payee']);

/** A number, or a decimal string; not a date, and not an id with leading zeros. */
function isFigure(value: JsonValue | undefined): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^[+-]?(0|[1-9]\d*)(\.\d+)?$/.test(value));
}

function singular(noun: string): string {
  if (noun.endsWith('ies')) return `${noun.slice(0, -3)}y`;
  return noun.endsWith('s') ? noun.slice(0, -1) : noun;
}

/** Whether a value fits beside a label. */
function isPlain(value: JsonValue): boolean {
  if (typeof value === 'string') return value.length <= 400 && value.split('\n').length <= 4;
  return isScalar(value) || (Array.isArray(value) && value.length > 0 && value.every(isScalar));
}

function isScalar(value: JsonValue): boolean {
  return value === null || typeof value !== 'object';
}

function isObject(value: JsonValue | undefined): value is Record<string, JsonValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
