// Access to a tool's output from a declared panel.

import type { JsonValue, PanelAction, PanelPart } from '../../ipc';

export type Row = { readonly [key: string]: JsonValue };

/** The value at a JSON Pointer (RFC 6901); '' is the whole value. */
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

/** The pointer of a field, relative to its row. */
export function pointerOf(field: string): string {
  return field.startsWith('/') ? field : `/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A row with its position in the output. */
export interface Placed {
  readonly row: Row;
  /** JSON Pointer to it. */
  readonly at: string;
  /** Identifies it while it exists: its note, else its position. */
  readonly key: string;
}

/** The valid rows of a list; unreadable ones are problems instead. */
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

/** The rows of a table: those of its list, then those of further lists, where `*` matches every entry. */
export function tableRowsAt(value: JsonValue | null | undefined, { rows, more }: { readonly rows: string; readonly more: string | null }): Placed[] {
  const pointers = more === null ? [rows] : [rows, ...pointersAt(value, more)];
  const found = pointers.map((pointer) => rowsAt(value, pointer));
  // A note may be in two lists.
  const keys = new Set<string>();
  return found.flat().map((placed) => {
    const key = keys.has(placed.key) ? placed.at : placed.key;
    keys.add(key);
    return { ...placed, key };
  });
}

/** The pointers matched by one with `*`. */
export function pointersAt(value: JsonValue | null | undefined, pointer: string): string[] {
  const star = pointer.indexOf('/*');
  if (star < 0) return [pointer];
  const before = pointer.slice(0, star);
  const list = at(value, before);
  return Array.isArray(list) ? list.flatMap((_, place) => pointersAt(value, `${before}/${place}${pointer.slice(star + 2)}`)) : [];
}

/** Whether everything is loaded and has no rows. */
export function isEmpty(parts: readonly PanelPart[], valueOf: (part: Exclude<PanelPart, { kind: 'form' }>) => JsonValue | null | undefined): boolean {
  const counts = parts.flatMap((part) => {
    if (part.kind !== 'table' && part.kind !== 'list' && part.kind !== 'board') return [];
    const value = valueOf(part);
    if (value === undefined || value === null) return [];
    return [(part.kind === 'table' ? tableRowsAt(value, part) : rowsAt(value, part.rows)).length];
  });
  return counts.length > 0 && counts.every((count) => count === 0);
}

/** The note of a row. */
export function pathOf(row: Row): string | null {
  return typeof row['path'] === 'string' ? row['path'] : null;
}

/** The actions of a row: those whose `when` matches, with editing and deletion only for notes. */
export function offered(actions: readonly PanelAction[], row: Row): PanelAction[] {
  const isNote = pathOf(row) !== null;
  return actions.filter((action) => fits(row, action.when) && (isNote || !(action.edit || action.delete)));
}

/** Whether each field has the value, or one of the list; null matches a missing field. */
export function fits(row: Row, when: Readonly<Record<string, JsonValue>>): boolean {
  return Object.entries(when).every(([field, wanted]) => {
    const own = fieldOf(row, field) ?? null;
    return Array.isArray(wanted) ? wanted.some((one) => one === own) : wanted === own;
  });
}

/** Unreadable content, or something to check. */
export interface RowProblem {
  readonly path: string | null;
  readonly line: number | null;
  readonly problem: string;
  readonly remedy: string | null;
}

/** The distinct problems in several outputs. */
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

/** An output's summary of the action: "4 imported, 2 already there". */
export function summaryOf(value: JsonValue | null | undefined): string {
  const summary = isRow(value) ? value['summary'] : undefined;
  return typeof summary === 'string' ? summary : '';
}

/** An output's open follow-ups. */
export function noteOf(value: JsonValue | null | undefined): string {
  const note = isRow(value) ? value['note'] : undefined;
  return typeof note === 'string' ? note : '';
}

/** Number of rows cut from a list, which the output contains as `not_shown`. */
export function notShown(value: JsonValue | null | undefined): number {
  const left = isRow(value) ? value['not_shown'] : undefined;
  return typeof left === 'number' && left > 0 ? left : 0;
}

/** Values for `{name}`, in order of precedence. */
export type Scope = readonly (Readonly<Record<string, JsonValue>> | null | undefined)[];

/** The placeholders in arguments. */
export function namesIn(args: Readonly<Record<string, JsonValue>>): ReadonlySet<string> {
  return new Set([...JSON.stringify(args).matchAll(/\{([^{}"]+)\}/g)].map(([, name = '']) => name));
}

/**
 * Substitutes placeholders. Text that is only a placeholder keeps the field's type; without a value it is
 * omitted.
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

/** A value as short text: "retail, north" for a list, "Jane Doe" for `[[Jane Doe]]`. */
export function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value.replace(/\[\[([^\]|#]+)(?:#[^\]|]*)?(?:\|([^\]]*))?\]\]/g, (_, name: string, alias?: string) => alias ?? name);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join(', ');
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

/** "Jane Doe, Quillon Labs": the non-empty fields. */
export function detailOf(fields: readonly string[], row: Row): string {
  return fields
    .map((field) => textOf(fieldOf(row, field)))
    .filter((text) => text !== '')
    .join(', ');
}

/** Whether any text of a row contains `sought`, ignoring case. */
export function rowHas(row: Row, sought: string): boolean {
  const text = sought.trim().toLowerCase();
  return text === '' || Object.values(row).some((value) => textOf(value).toLowerCase().includes(text));
}

export function isRow(value: JsonValue | null | undefined): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
