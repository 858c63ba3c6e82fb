// How a declared panel finds its way in what a tool answered.

import type { JsonValue, PanelAction, PanelPart } from '../../ipc';

export type Row = { readonly [key: string]: JsonValue };

/** The value at a JSON Pointer (RFC 6901); '' is the whole. */
export function at(value: JsonValue | null | undefined, pointer: string): JsonValue | undefined {
  if (pointer === '') return value ?? undefined;
  let found: JsonValue | undefined = value ?? undefined;
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null) return undefined;
    found = Array.isArray(found) ? found[Number(key)] : Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

/** A field of a row: one of its keys, or a pointer into it. */
export function fieldOf(row: Row, field: string): JsonValue | undefined {
  return at(row, pointerOf(field));
}

/** The pointer that a field is, below its row. */
export function pointerOf(field: string): string {
  return field.startsWith('/') ? field : `/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A row as it stands in the answer. */
export interface Placed {
  readonly row: Row;
  /** JSON Pointer to it. */
  readonly at: string;
  /** Names it while it stays: its note, else its place. */
  readonly key: string;
}

/** The rows of a list that can be shown; what could not be read is a problem instead. */
export function rowsAt(value: JsonValue | null | undefined, pointer: string): Placed[] {
  const list = at(value, pointer);
  if (!Array.isArray(list)) return [];
  const keys = new Set<string>();
  return list.flatMap((row, place) => {
    if (!isRow(row) || typeof row['unreadable'] === 'string') return [];
    const path = pathOf(row);
    const key = path === null || keys.has(path) ? `#${place}` : path;
    keys.add(key);
    return [{ row, at: `${pointer}/${place}`, key }];
  });
}

/** The rows of a table: those of its list, then those of further lists, where `*` stands for each entry on the way. */
export function tableRowsAt(value: JsonValue | null | undefined, { rows, more }: { readonly rows: string; readonly more: string | null }): Placed[] {
  const pointers = more === null ? [rows] : [rows, ...pointersAt(value, more)];
  const found = pointers.map((pointer) => rowsAt(value, pointer));
  // A note may stand in two lists.
  const keys = new Set<string>();
  return found.flat().map((placed) => {
    const key = keys.has(placed.key) ? placed.at : placed.key;
    keys.add(key);
    return { ...placed, key };
  });
}

/** The pointers that one with `*` stands for. */
export function pointersAt(value: JsonValue | null | undefined, pointer: string): string[] {
  const star = pointer.indexOf('/*');
  if (star < 0) return [pointer];
  const before = pointer.slice(0, star);
  const list = at(value, before);
  return Array.isArray(list) ? list.flatMap((_, place) => pointersAt(value, `${before}/${place}${pointer.slice(star + 2)}`)) : [];
}

/** Whether what was read has rows nowhere; not before something was read. */
export function isEmpty(parts: readonly PanelPart[], valueOf: (part: Exclude<PanelPart, { kind: 'form' }>) => JsonValue | null | undefined): boolean {
  const counts = parts.flatMap((part) => {
    if (part.kind !== 'table' && part.kind !== 'list' && part.kind !== 'board') return [];
    const value = valueOf(part);
    if (value === undefined || value === null) return [];
    return [(part.kind === 'table' ? tableRowsAt(value, part) : rowsAt(value, part.rows)).length];
  });
  return counts.length > 0 && counts.every((count) => count === 0);
}

/** The note that a row is. */
export function pathOf(row: Row): string | null {
  return typeof row['path'] === 'string' ? row['path'] : null;
}

/** The actions that a row offers: those whose `when` fits its fields, and to edit or delete only what is a note. */
export function offered(actions: readonly PanelAction[], row: Row): PanelAction[] {
  const isNote = pathOf(row) !== null;
  return actions.filter((action) => fits(row, action.when) && (isNote || !(action.edit || action.delete)));
}

/** Whether each of these fields has the value, or one of the list's; null stands for a field that is missing. */
export function fits(row: Row, when: Readonly<Record<string, JsonValue>>): boolean {
  return Object.entries(when).every(([field, wanted]) => {
    const own = fieldOf(row, field) ?? null;
    return Array.isArray(wanted) ? wanted.some((one) => one === own) : wanted === own;
  });
}

/** What could not be read, or needs a look. */
export interface RowProblem {
  readonly path: string | null;
  readonly line: number | null;
  readonly problem: string;
  readonly remedy: string | null;
}

/** The problems that answers name, each once. */
export function problemsIn(values: readonly (JsonValue | null | undefined)[]): RowProblem[] {
  const found = new Map<string, RowProblem>();
  const add = (entry: JsonValue | undefined) => {
    if (!isRow(entry)) return;
    const problem = entry['problem'] ?? entry['unreadable'];
    if (typeof problem !== 'string') return;
    const one: RowProblem = {
      path: pathOf(entry),
      line: typeof entry['line'] === 'number' ? entry['line'] : null,
      problem,
      remedy: typeof entry['remedy'] === 'string' ? entry['remedy'] : null,
    };
    found.set(JSON.stringify([one.path, one.line, one.problem]), one);
  };
  for (const value of values) {
    if (Array.isArray(value)) value.forEach(add);
    if (!isRow(value)) continue;
    for (const [key, list] of Object.entries(value)) {
      if (!Array.isArray(list)) continue;
      for (const entry of list) {
        if (key === 'unreadable' || key === 'problems' || key === 'not_changed' || (isRow(entry) && typeof entry['unreadable'] === 'string')) add(entry);
      }
    }
  }
  return [...found.values()];
}

/** What an answer says about what was done: "4 imported, 2 there already". */
export function summaryOf(value: JsonValue | null | undefined): string {
  const summary = isRow(value) ? value['summary'] : undefined;
  return typeof summary === 'string' ? summary : '';
}

/** What an answer says that is still to be looked after. */
export function noteOf(value: JsonValue | null | undefined): string {
  const note = isRow(value) ? value['note'] : undefined;
  return typeof note === 'string' ? note : '';
}

/** How many rows a list was cut by; the answer counts them as `not_shown`. */
export function notShown(value: JsonValue | null | undefined): number {
  const left = isRow(value) ? value['not_shown'] : undefined;
  return typeof left === 'number' && left > 0 ? left : 0;
}

/** What `{name}` may stand for, the nearest first. */
export type Scope = readonly (Readonly<Record<string, JsonValue>> | null | undefined)[];

/** The names that arguments leave to be filled in. */
export function namesIn(args: Readonly<Record<string, JsonValue>>): ReadonlySet<string> {
  return new Set([...JSON.stringify(args).matchAll(/\{([^{}"]+)\}/g)].map(([, name = '']) => name));
}

/**
 * Arguments with their names filled in. A text that is nothing but a name keeps the field's type; one whose name
 * stands for nothing is left out.
 */
export function fill(args: Readonly<Record<string, JsonValue>>, scope: Scope): Record<string, JsonValue> {
  const filled: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(args)) {
    const one = fillValue(value, scope);
    if (one !== undefined) filled[key] = one;
  }
  return filled;
}

function fillValue(value: JsonValue, scope: Scope): JsonValue | undefined {
  if (Array.isArray(value)) return value.flatMap((part) => fillValue(part, scope) ?? []);
  if (isRow(value)) return fill(value, scope);
  if (typeof value !== 'string') return value;
  const whole = /^\{([^{}]+)\}$/.exec(value)?.[1];
  if (whole !== undefined) return named(whole, scope);
  return value.replace(/\{([^{}]+)\}/g, (_, name: string) => textOf(named(name, scope)));
}

function named(name: string, scope: Scope): JsonValue | undefined {
  for (const names of scope) {
    const value = names ? fieldOf(names, name) : undefined;
    if (value !== undefined && value !== null && value !== '') return value;
  }
  return undefined;
}

/** A value as a few words: "retail, north" for a list, "Jane Doe" for `[[Jane Doe]]`. */
export function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value.replace(/\[\[([^\]|#]+)(?:#[^\]|]*)?(?:\|([^\]]*))?\]\]/g, (_, name: string, alias?: string) => alias ?? name);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join(', ');
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

/** "Jane Doe, Quillon Labs": the fields with a value. */
export function detailOf(fields: readonly string[], row: Row): string {
  return fields
    .map((field) => textOf(fieldOf(row, field)))
    .filter((text) => text !== '')
    .join(', ');
}

/** Whether any of a row's words has the text, whatever its case. */
export function rowHas(row: Row, sought: string): boolean {
  const text = sought.trim().toLowerCase();
  return text === '' || Object.values(row).some((value) => textOf(value).toLowerCase().includes(text));
}

export function isRow(value: JsonValue | null | undefined): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
