// The initial message for a chosen tool: what the tool does, with placeholders for required values.

import type { ToolRow } from '../../ipc';
import { labelOf, planOf } from '../../shared/form/schema';
import { firstSentence } from '../../shared/sentence';

export interface StartingPrompt {
  readonly text: string;
  /** Ranges of the placeholders, in order. */
  readonly gaps: readonly (readonly [start: number, end: number])[];
}

/**
 * "Move the deal [title]: [stage]" from the tool's name, or "Adds a contact as a note: [name]" from its
 * description if the name is no request; only the sentence if no value is required.
 */
export function startingPrompt(tool: Pick<ToolRow, 'description' | 'input_schema' | 'name'>): StartingPrompt {
  return fromName(tool) ?? fromDescription(tool);
}

/** Parameters that identify the object, and so follow it: "the contact [name]". */
const naming = new Set(['name', 'title', 'path', 'symbol', 'id']);
/** Verbs whose properties are optional for the tool, but needed by the request. */
const changing = new Set(['Change', 'Edit', 'Set', 'Update']);

/** From `verb_thing` with a required identifier. */
function fromName({ name, input_schema }: Pick<ToolRow, 'input_schema' | 'name'>): StartingPrompt | null {
  const [first = '', ...rest] = name.slice(name.lastIndexOf('.') + 1).split('_');
  const verb = first.charAt(0).toUpperCase() + first.slice(1);
  const fields = planOf(input_schema).fields;
  const [which, ...others] = fields.filter((field) => field.required);
  if (!requests.has(verb) || rest.length === 0 || !which || !naming.has(which.key)) return null;
  const more = others.map((field) => lowered(field.label || field.key));
  if (more.length === 0 && changing.has(verb) && fields.some((field) => !field.required)) more.push('what changes');
  // "append_to_note"
  const thing = rest[0] === 'to' ? ['to', 'the', ...rest.slice(1)] : ['the', ...rest];
  const parts = [`${verb} ${thing.join(' ')} `, lowered(which.label || which.key), ...more];
  const gaps: (readonly [number, number])[] = [];
  const text = parts.reduce((before, part, at) => {
    if (at === 0) return part;
    const start = before.length + (at === 1 ? 0 : 2);
    gaps.push([start, start + part.length + 2]);
    return `${before}${at === 1 ? '' : at === 2 ? ': ' : ', '}[${part}]`;
  });
  return { text, gaps };
}

function fromDescription(tool: Pick<ToolRow, 'description' | 'input_schema' | 'name'>): StartingPrompt {
  const sentence = asRequest(firstSentence(tool.description)) || labelOf(tool.name.slice(tool.name.lastIndexOf('.') + 1));
  const needed = planOf(tool.input_schema).fields.filter((field) => field.required);
  let text = needed.length === 0 ? (sentence.endsWith('…') ? sentence : `${sentence}.`) : `${sentence}: `;
  const gaps: (readonly [number, number])[] = [];
  needed.forEach((field, index) => {
    if (index > 0) text += ', ';
    const gap = `[${lowered(field.label || field.key)}]`;
    gaps.push([text.length, text.length + gap.length]);
    text += gap;
  });
  return { text, gaps };
}

/** The next unedited placeholder from a position on. */
export function nextGap(text: string, gaps: readonly string[], from: number): readonly [start: number, end: number] | null {
  const places = gaps.flatMap((gap) => {
    const start = text.indexOf(gap, from);
    return start < 0 ? [] : [[start, start + gap.length] as const];
  });
  return places.toSorted((a, b) => a[0] - b[0])[0] ?? null;
}

/** "Moves a deal" describes the tool; "Move a deal" requests it. Only for words that are certainly verbs. */
function asRequest(sentence: string): string {
  const [, verb = '', rest = ''] = /^(\p{L}+)(.*)$/su.exec(sentence) ?? [];
  const request = verbs.get(verb);
  return request === undefined ? sentence : request + rest;
}

const verbs = new Map<string, string>([
  ...(
    'Add Append Change Compare Compute Convert Count Create Delete Draft Edit Find Get Give Import List Log Move Open Read Remove ' +
    'Rename Replace Return Run Scan Send Set Show Start Stop Tell Update Write'
  )
    .split(' ')
    .map((verb): [string, string] => [`${verb}s`, verb]),
  ['Applies', 'Apply'],
  ['Copies', 'Copy'],
  ['Fetches', 'Fetch'],
  ['Searches', 'Search'],
  ['Watches', 'Watch'],
]);

const requests = new Set(verbs.values());

function lowered(label: string): string {
  return /^\p{Lu}\p{Lu}/u.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
}
