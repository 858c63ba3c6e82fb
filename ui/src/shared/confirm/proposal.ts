// A tool's proposal before it acts: output with `needs_confirmation`, or of a dry run. Pure. An argument that
// the output contains as an object is proposed: its values prefill the form. `questions`, a list of {about,
// question, choices}, are fields that the tool could not determine. `looks_like` is a list of planned entries
// that resemble existing ones.

import type { JsonValue } from '../../ipc';
import { labelOf, planOf, type Field, type ObjectField } from '../form';

type JsonObject = { readonly [key: string]: JsonValue };

export interface Proposal {
  /** Editable fields and questions, the questions first. */
  readonly plan: ObjectField;
  /** Initial values of the form. */
  readonly initial: { [key: string]: JsonValue };
  /** Arguments that stay as given. */
  readonly fixed: { [key: string]: JsonValue };
  /** Number of open questions. */
  readonly open: number;
  /** Some of the planned entries. */
  readonly preview: JsonObject[];
  /** Planned entries that resemble existing ones; `alike` is their total. */
  readonly twins: readonly Twin[];
  readonly alike: number;
  /** Number of planned entries; null if unknown. */
  readonly count: number | null;
  /** The tool's own summary: "4 of 7 are new". */
  readonly summary: string;
  /** Whether it can be previewed again with edits before anything is written. */
  readonly canLook: boolean;
}

/** A planned entry, and the existing one that it resembles. */
export interface Twin {
  /** "2026-11-20, 3.00 EUR, Kiosk" */
  readonly text: string;
  /** The existing entry's name. */
  readonly name: string;
  /** Its day, "2026-11-18"; empty if unknown. */
  readonly on: string;
  readonly comesAgain: boolean;
  /** Its note. */
  readonly path: string;
}

/** Whether a tool has not acted yet. */
export function isProposal(answer: JsonValue | null | undefined): answer is JsonObject {
  return isObject(answer) && (answer['needs_confirmation'] === true || answer['dry_run'] === true);
}

/** The proposal in an output; `args` are those of the call. Null if the tool has acted. */
export function proposalOf(answer: JsonValue | null | undefined, schema: JsonValue, args: JsonValue): Proposal | null {
  if (!isProposal(answer)) return null;
  const given = isObject(args) ? args : {};
  const whole = planOf(schema);
  const proposed = whole.fields.filter((field): field is ObjectField => field.kind === 'object' && isObject(answer[field.key]));
  const isProposed = ({ key }: Field) => proposed.some((field) => field.key === key);
  const others = whole.fields.filter((field) => !isProposed(field) && field.key !== 'dry_run' && given[field.key] === undefined);
  const questions = questionsIn(answer);
  const twins = twinsIn(answer);

  const { dry_run: _looked, ...asked } = given;
  const fixed = Object.fromEntries(Object.entries(asked).filter(([key]) => !proposed.some((field) => field.key === key)));
  return {
    plan: { ...whole, fields: [...proposed.map((field) => withChoices(field, questions, answer)), ...others.map(optional)] },
    initial: Object.fromEntries(proposed.map(({ key }) => [key, answer[key] ?? {}])),
    fixed,
    open: questions.length,
    preview: previewIn(answer),
    twins,
    alike: typeof answer['alike'] === 'number' ? answer['alike'] : twins.length,
    count: countIn(answer),
    summary: typeof answer['summary'] === 'string' ? answer['summary'] : '',
    canLook: whole.fields.some(({ key, kind }) => key === 'dry_run' && kind === 'switch'),
  };
}

interface Question {
  readonly about: string;
  readonly question: string;
  readonly choices: readonly string[];
}

function questionsIn(answer: JsonObject): Question[] {
  const list = answer['questions'];
  return (Array.isArray(list) ? list : []).flatMap((one) => {
    if (!isObject(one)) return [];
    const { about, question, choices } = one;
    if (typeof about !== 'string' || typeof question !== 'string') return [];
    return [{ about, question, choices: texts(choices) }];
  });
}

/** A proposed argument with its questions first, and selects for its columns. */
function withChoices(field: ObjectField, questions: readonly Question[], answer: JsonObject): ObjectField {
  const proposed = answer[field.key];
  const asked = questions.flatMap(({ about, question, choices }): Field[] => {
    const own = field.fields.find(({ key }) => key === about);
    if (!own) return [];
    const options = own.choicesFrom === undefined ? choices.map(named) : columnsOf(texts(answer[own.choicesFrom]));
    return [{ key: about, label: question, help: '', meaning: '', required: true, nullable: false, kind: 'choice', options, ...folded(options) }];
  });
  const rest = field.fields.filter(({ key }) => asked.every((one) => one.key !== key));
  return { ...field, required: true, fields: [...asked, ...rest.map((own) => chosen(own, answer, isObject(proposed) ? proposed[own.key] : undefined))] };
}

/** A field that names an entry of a list in the output is a select over that list. */
function chosen(field: Field, answer: JsonObject, value: JsonValue | undefined): Field {
  if (field.kind === 'choice') return { ...field, options: field.options.map((option) => (option.label === option.value ? named(option.label) : option)) };
  const list = field.choicesFrom === undefined ? [] : texts(answer[field.choicesFrom]);
  if (field.kind !== 'text' || list.length === 0) return field;
  const { key, label, help, meaning, required, nullable } = field;
  const options = columnsOf(list);
  // Other spellings, such as another case, stay as they are.
  if (typeof value === 'string' && options.every((option) => option.value !== value)) options.push({ value, label: value });
  return { key, label, help, meaning, required, nullable, kind: 'choice', options, folded: true };
}

/** By name, or by number from 1 if the name is empty or ambiguous. */
function columnsOf(header: readonly string[]): { value: string; label: string }[] {
  const names = header.map((name) => name.trim().toLowerCase());
  return header.map((name, at) => {
    const alone = names[at] !== '' && names.filter((other) => other === names[at]).length === 1;
    return alone ? { value: name.trim(), label: name.trim() } : { value: `${at + 1}`, label: `Column ${at + 1}${name.trim() === '' ? '' : `, ${name.trim()}`}` };
  });
}

const signs: Readonly<Record<string, string>> = { ',': 'Comma', '.': 'Point' };

function named(value: string): { value: string; label: string } {
  // One of the tool's own keywords: leave_out.
  const isWord = /^[a-z]+(_[a-z]+)*$/.test(value);
  return { value, label: signs[value] ?? (isWord ? labelOf(value) : value) };
}

function folded(options: readonly { label: string }[]): { folded?: true } {
  return options.reduce((sum, { label }) => sum + label.length, 0) > 40 ? { folded: true } : {};
}

/** Values left empty in the call may stay empty. */
function optional(field: Field): Field {
  return { ...field, required: false };
}

/** `preview`, or `changed` of a dry run, without possible duplicates, which have their own list. */
function previewIn(answer: JsonObject): JsonObject[] {
  const list = answer['preview'] ?? answer['changed'];
  const rows = Array.isArray(list) ? list.filter(isObject) : [];
  return rows.map(({ looks_like: _told, ...row }) => row);
}

function twinsIn(answer: JsonObject): Twin[] {
  const list = answer['looks_like'];
  return (Array.isArray(list) ? list : []).filter(isObject).flatMap(({ date, amount, currency, payee, looks_like, on, comes_again, path }) => {
    if (typeof path !== 'string') return [];
    const money = words([amount, currency]).join(' ');
    return [
      {
        text: words([date, money, payee]).join(', '),
        name: typeof looks_like === 'string' ? looks_like : path,
        on: typeof on === 'string' ? on : '',
        comesAgain: comes_again === true,
        path,
      },
    ];
  });
}

function words(values: readonly (JsonValue | undefined)[]): string[] {
  return values.filter((value): value is string => typeof value === 'string' && value !== '');
}

function countIn(answer: JsonObject): number | null {
  const counts = answer['needs_confirmation'] === true ? [answer['rows']] : [answer['imported'], answer['count']];
  return counts.find((count): count is number => typeof count === 'number') ?? null;
}

function texts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))) : [];
}

function isObject(value: JsonValue | null | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
