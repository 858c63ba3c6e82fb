// Values of a field in the vault: whether an input is one of them, and which one was intended.

import type { Common, Field, ObjectField } from './field';

/** By `type.field`. */
export type ValuesByField = Readonly<Record<string, readonly string[]>>;

/** Adds the offered values to a form's fields. */
export function withKnown(plan: ObjectField, values: ValuesByField): ObjectField {
  const fields = plan.fields.map((field): Field => {
    if (field.valuesFrom === undefined) return field;
    const all = [...(field.also ?? []), ...field.valuesFrom.flatMap((name) => values[name] ?? [])];
    const known = all.filter((value, at) => all.findIndex((other) => same(other, value)) === at);
    return { ...field, known };
  });
  return { ...plan, fields };
}

/** Why a field with a closed set of values refuses a text. */
export function notKnown(field: Common, text: string): { message: string; fix?: { label: string; draft: string } } | null {
  const { known = [], values, label } = field;
  if (values !== 'only' || known.length === 0 || isKnown(known, text)) return null;
  const meant = nearest(known, text);
  const noun = label.toLowerCase();
  return {
    message: `${text.trim()} is not ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}.`,
    ...(meant === null ? {} : { fix: { label: `Use ${meant}?`, draft: meant } }),
  };
}

/**
 * The note that a text is a new value, with the known one it may be a typo of; `null` if there is nothing to
 * say.
 */
export function newValue(field: Common, text: string): { said: string; meant: string | null } | null {
  const { known, values, label } = field;
  if (known === undefined || values !== undefined || text.trim() === '' || isKnown(known, text)) return null;
  return { said: `New ${label.toLowerCase()}`, meant: nearest(known, text) };
}

/** Known values that match the input: prefix matches first. */
export function matchingValues(known: readonly string[], text: string): string[] {
  const typed = folded(text);
  const begins = known.filter((value) => folded(value).startsWith(typed));
  return [...begins, ...known.filter((value) => !begins.includes(value) && folded(value).includes(typed))];
}

function isKnown(known: readonly string[], text: string): boolean {
  return known.some((value) => same(value, text));
}

function nearest(known: readonly string[], text: string): string | null {
  const typed = folded(text);
  const most = typed.length <= 4 ? 1 : 2;
  const near = known.map((value) => ({ value, steps: steps(folded(value), typed) })).filter(({ steps }) => steps <= most);
  return near.toSorted((a, b) => a.steps - b.steps)[0]?.value ?? null;
}

/** Edit distance with transpositions. */
function steps(a: string, b: string): number {
  const rows: number[][] = Array.from({ length: a.length + 1 }, (_, i) => [i]);
  const at = (i: number, j: number) => rows[i]?.[j] ?? j;
  for (let i = 0; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const row = rows[i] ?? [];
      if (i === 0) row[j] = j;
      else {
        row[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  return at(a.length, b.length);
}

function same(a: string, b: string): boolean {
  return folded(a) === folded(b);
}

function folded(text: string): string {
  return text.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
}
