// A field that takes text or a number: what is typed is sent as a number where it reads as one, else as
// text. Text that reads as a number stands in quotes, so that a form sends what it was given.

import type { JsonValue } from '../../ipc';

import { conforms } from './conforms';
import { isExact } from './numbers';

/** What stands in the field for a value. */
export function eitherText(value: JsonValue): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return isQuoted(`"${value}"`) ? `"${value}"` : value;
}

/** What the typed text stands for. */
export function eitherArg(schema: JsonValue, text: string): string | number {
  const typed = text.trim();
  const number = numberOf(typed);
  if (number !== null && conforms(schema, number) === null) return number;
  return isQuoted(typed) ? typed.slice(1, -1) : text;
}

/**
 * The number that a text reads as: digits with at most one point, or as JSON writes very large and very
 * small ones. Not what only might be one, such as 007 or 1e5, nor what would be rounded.
 */
function numberOf(text: string): number | null {
  return NUMBER.test(text) && isExact(text) ? Number(text) : null;
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]\d+)?$/;

/** Whether it is a number in quotes, however many. */
function isQuoted(text: string): boolean {
  const inside = /^("+)(.+)\1$/.exec(text)?.[2];
  return inside !== undefined && NUMBER.test(inside);
}
