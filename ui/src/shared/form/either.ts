// A field for text or a number: input is sent as a number if it is one, else as text. Text that looks like a
// number is quoted, so that values round-trip.

import type { JsonValue } from '../../ipc';

import { conforms } from './conforms';
import { isExact } from './numbers';

/** The field's text for a value. */
export function eitherText(value: JsonValue): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return isQuoted(`"${value}"`) ? `"${value}"` : value;
}

/** The value of the field's text. */
export function eitherArg(schema: JsonValue, text: string): string | number {
  const typed = text.trim();
  const number = numberOf(typed);
  if (number !== null && conforms(schema, number) === null) return number;
  return isQuoted(typed) ? typed.slice(1, -1) : text;
}

/**
 * The number in a text: digits with at most one decimal point, or JSON notation for very large and very small
 * ones. Excludes 007 and 1e5, and anything that would be rounded.
 */
function numberOf(text: string): number | null {
  return NUMBER.test(text) && isExact(text) ? Number(text) : null;
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]\d+)?$/;

/** Whether it is a number in any number of quotes. */
function isQuoted(text: string): boolean {
  const inside = /^("+)(.+)\1$/.exec(text)?.[2];
  return inside !== undefined && NUMBER.test(inside);
}
