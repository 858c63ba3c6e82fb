// What a message begins with when a tool was picked: what the tool does, with gaps for what it needs.

import type { ToolRow } from '../../ipc';
import { labelOf, planOf } from '../../shared/form/schema';

export interface StartingPrompt {
  readonly text: string;
  /** Where the gaps stand, in the order of the text. */
  readonly gaps: readonly (readonly [start: number, end: number])[];
}

/** "Adds a contact as a note: [name]" for what it needs; without needs the sentence alone. */
export function startingPrompt(tool: Pick<ToolRow, 'description' | 'input_schema' | 'name'>): StartingPrompt {
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

/** Where the next gap stands that is still as it was put there, from a place in the text on. */
export function nextGap(text: string, gaps: readonly string[], from: number): readonly [start: number, end: number] | null {
  const places = gaps.flatMap((gap) => {
    const start = text.indexOf(gap, from);
    return start < 0 ? [] : [[start, start + gap.length] as const];
  });
  return places.toSorted((a, b) => a[0] - b[0])[0] ?? null;
}

/**
 * The first sentence without its end; later ones are hints to the model. Signs that cannot be seen are
 * left out: the words come from whoever made the tool, and a person is going to send them as their own.
 */
export function firstSentence(description: string): string {
  const line = description.trim().split(/\s*\n/, 1)[0]?.replaceAll(/[\p{Cc}\p{Cf}]/gu, '') ?? '';
  const end = /[.!?](?=\s+\p{Lu}|$)/u.exec(line)?.index ?? line.length;
  const sentence = line.slice(0, end).trim();
  return sentence.length > LONGEST ? `${sentence.slice(0, LONGEST).replace(/\s+\S*$/u, '')}…` : sentence;
}

/** Letters of a sentence; a server may describe its tool with a page without a full stop. */
const LONGEST = 200;

/** "Moves a deal" says what the tool does; "Move a deal" asks for it. Only of verbs that are surely verbs. */
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

function lowered(label: string): string {
  return /^\p{Lu}\p{Lu}/u.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
}
