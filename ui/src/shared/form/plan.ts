// Converts drafts of form fields to arguments and problems. Input stays text until it is sent, so that
// nothing is lost or rounded.

import type { JsonValue } from '../../ipc';

import { conforms } from './conforms';
import { checkDate } from './dates';
import { eitherArg, eitherText } from './either';
import type { Draft, Field, ScalarField } from './field';
import { notKnown } from './known';
import { checkDecimal, checkJsonNumbers, checkNumber } from './numbers';

export type { Common, Draft, Field, ObjectField, Scalar, ScalarField, Start } from './field';

/** A field's problem and, if the intended value is clear, the text that fixes it. */
export interface Problem {
  /** Keys from the root joined by `.`, rows by index: `where.0`. */
  path: string;
  message: string;
  fix?: { label: string; draft: string };
}

/** The draft for given arguments; missing ones get their presets. */
export function draftOf(field: Field, value: JsonValue | undefined): Draft {
  const shown = value === undefined ? field.preset : value;
  if (field.kind === 'object') {
    const draft: { [key: string]: Draft } = {};
    for (const inner of field.fields) draft[inner.key] = draftOf(inner, isObject(shown) ? shown[inner.key] : undefined);
    return draft;
  }
  if (shown === undefined || shown === null) return undefined;
  switch (field.kind) {
    case 'json':
      return JSON.stringify(shown, null, 2);
    case 'switch':
      return typeof shown === 'boolean' ? shown : undefined;
    case 'list':
      return Array.isArray(shown) ? shown.map((item) => draftOf(field.item, item)) : undefined;
    case 'either':
      return eitherText(shown);
    default:
      return scalarText(shown);
  }
}

/** The arguments of a draft; `undefined` if nothing is to be sent. Only valid without problems. */
export function argsOf(field: Field, draft: Draft): JsonValue | undefined {
  const nothing = field.required && field.nullable ? null : undefined;
  switch (field.kind) {
    case 'object': {
      const args: { [key: string]: JsonValue } = {};
      for (const inner of field.fields) {
        const arg = argsOf(inner, partOf(draft, inner.key));
        if (arg !== undefined) args[inner.key] = arg;
      }
      return Object.keys(args).length > 0 || field.required ? args : undefined;
    }
    case 'switch':
      return typeof draft === 'boolean' ? draft : field.required && !field.nullable ? false : nothing;
    case 'list': {
      const rows = Array.isArray(draft) ? draft.filter((row) => !isEmpty(row)) : [];
      if (rows.length === 0) return field.required && !field.nullable ? [] : nothing;
      return rows.map((row) => argsOf(field.item, row) ?? null);
    }
    default:
      if (isEmpty(draft)) return field.kind === 'text' && field.mayBeEmpty && field.required ? '' : nothing;
      return scalarArg(field, String(draft));
  }
}

/** All problems of a draft, in field order. */
export function check(field: Field, draft: Draft, path = ''): Problem[] {
  const at = (key: string | number) => (path === '' ? String(key) : `${path}.${key}`);
  const missing = (message: string): Problem[] => (field.required && !field.nullable ? [{ path, message }] : []);
  switch (field.kind) {
    case 'object': {
      const untouched = argsOf({ ...field, required: false }, draft) === undefined;
      if (untouched && !field.required) return [];
      return field.fields.flatMap((inner) => check(inner, partOf(draft, inner.key), at(inner.key)));
    }
    case 'switch':
      return [];
    case 'list': {
      const rows = Array.isArray(draft) ? draft : [];
      const filled = rows.filter((row) => !isEmpty(row)).length;
      if (filled === 0) return (field.min ?? 0) > 0 ? missing('Add at least one') : [];
      if (field.min !== undefined && filled < field.min) return [{ path, message: `Add ${field.min - filled} more` }];
      if (field.max !== undefined && filled > field.max)
        return [{ path, message: `At most ${field.max}, ${filled} given` }];
      return rows.flatMap((row, index) => (isEmpty(row) ? [] : check(field.item, row, at(index))));
    }
    case 'json': {
      if (isEmpty(draft)) return missing('Fill in a JSON value');
      const problem = checkJson(field.schema, String(draft));
      return problem === null ? [] : [{ path, message: problem }];
    }
    default: {
      if (isEmpty(draft) && field.kind === 'text' && field.mayBeEmpty) return [];
      if (isEmpty(draft)) return missing(field.kind === 'choice' ? 'Choose one' : `Fill in ${inSentence(field.label)}`);
      const problem = checkScalar(field, String(draft));
      return problem === null ? [] : [{ path, ...problem }];
    }
  }
}

/** The hint beside a label: kind of value, and whether it is optional. */
export function metaOf(field: Field): string {
  const kind = kindWords(field);
  const words = [kind, field.required ? '' : 'optional'].filter((word) => word !== '');
  return words.join(', ');
}

/** The draft of the field at a path. */
export function draftAt(draft: Draft, keys: readonly string[]): Draft {
  return keys.reduce(partOf, draft);
}

/** A draft with the field at a path replaced. */
export function withField(draft: Draft, [key, ...inner]: readonly string[], next: Draft): Draft {
  if (key === undefined) return next;
  const fields = typeof draft === 'object' && !Array.isArray(draft) ? draft : {};
  return { ...fields, [key]: withField(fields[key], inner, next) };
}

/** A draft with the fields that have problems emptied. */
export function without(draft: Draft, problems: readonly Problem[]): Draft {
  return problems.reduce((rest, { path }) => emptied(rest, path.split('.')), draft);
}

function emptied(draft: Draft, [key, ...inner]: string[]): Draft {
  if (key === undefined) return undefined;
  if (Array.isArray(draft)) return draft.map((row, at) => (String(at) === key ? undefined : row));
  if (typeof draft !== 'object') return draft;
  return { ...draft, [key]: emptied(draft[key], inner) };
}

/** A draft without its empty parts. */
export function filled(draft: Draft): Draft {
  if (Array.isArray(draft)) {
    const rows = draft.filter((row) => !isEmpty(row));
    return rows.length > 0 ? rows : undefined;
  }
  if (typeof draft !== 'object') return isEmpty(draft) ? undefined : draft;
  const parts = Object.entries(draft).map(([key, part]) => [key, filled(part)] as const);
  const given = parts.filter(([, part]) => part !== undefined).toSorted(([a], [b]) => a.localeCompare(b));
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}

function kindWords(field: Field): string {
  switch (field.kind) {
    case 'date':
      return 'date';
    case 'decimal':
    case 'number':
      return field.kind === 'number' && field.whole ? 'whole number' : 'number';
    case 'either':
      return 'text or number';
    case 'choice':
      return field.options.length > 4 ? `one of ${field.options.length}` : '';
    case 'list':
      return field.item.kind === 'date' ? 'dates' : 'list';
    case 'json':
      return 'JSON';
    default:
      return '';
  }
}

function checkScalar(field: ScalarField, text: string): Omit<Problem, 'path'> | null {
  switch (field.kind) {
    case 'date':
      return checkDate(text);
    case 'decimal':
      return checkDecimal(text, { ...field, asNumber: !field.asText });
    case 'number':
      return checkNumber(text, field);
    case 'either': {
      const message = conforms(field.schema, eitherArg(field.schema, text));
      return message === null ? null : { message };
    }
    case 'choice':
      return field.options.some((option) => String(option.value) === text)
        ? null
        : { message: `“${text}” is not one of the choices` };
    case 'text': {
      const long = [...text].length;
      if (field.min !== undefined && long < field.min)
        return { message: `At least ${field.min} characters, ${long} given` };
      if (field.max !== undefined && long > field.max)
        return { message: `At most ${field.max} characters, ${long} given` };
      if (field.pattern !== undefined && !matches(field.pattern, text))
        return { message: `Write it in the form ${field.pattern}` };
      return notKnown(field, text);
    }
  }
}

function checkJson(schema: JsonValue, text: string): string | null {
  try {
    const value = JSON.parse(text) as JsonValue;
    return checkJsonNumbers(text) ?? conforms(schema, value);
  } catch (error) {
    return `Not JSON: ${(error as Error).message}`;
  }
}

/** A pattern that this engine cannot parse checks nothing; the tool validates again. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

function scalarArg(field: ScalarField | Extract<Field, { kind: 'json' }>, text: string): JsonValue | undefined {
  switch (field.kind) {
    case 'text':
      return text;
    case 'date':
      return text.trim();
    case 'decimal':
      return field.asText ? text.trim() : Number(text);
    case 'number':
      return Number(text);
    case 'either':
      return eitherArg(field.schema, text);
    case 'choice':
      return field.options.find((option) => String(option.value) === text)?.value;
    case 'json':
      try {
        return JSON.parse(text) as JsonValue;
      } catch {
        return undefined;
      }
  }
}

function scalarText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function partOf(draft: Draft, key: string): Draft {
  return typeof draft === 'object' && !Array.isArray(draft) ? draft[key] : undefined;
}

function isEmpty(draft: Draft): boolean {
  return draft === undefined || (typeof draft === 'string' && draft.trim() === '');
}

function inSentence(label: string): string {
  return label.charAt(0).toLowerCase() + label.slice(1);
}

export function isObject(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
