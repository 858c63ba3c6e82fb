import { expect, test } from 'vitest';

import type { JsonValue } from '../../ipc';
import { nextGap, startingPrompt } from './prompt';

const tool = (description: string, properties: Record<string, JsonValue> = {}, required: string[] = []) => ({
  name: 'crm.move_deal',
  description,
  input_schema: { type: 'object', properties, required },
});
const text = { type: 'string' };

/** The placeholders in the text. */
function gapsOf(prompt: ReturnType<typeof startingPrompt>) {
  return prompt.gaps.map(([start, end]) => prompt.text.slice(start, end));
}

test('asks for what the tool does, with a placeholder for each required value', () => {
  const prompt = startingPrompt(tool('Moves a deal to another stage.', { title: text, stage: text, note: text }, ['title', 'stage']));
  expect(prompt.text).toBe('Move the deal [title]: [stage]');
  expect(gapsOf(prompt)).toEqual(['[title]', '[stage]']);
});

test('reads like a natural request, from the name of the tool', () => {
  const asked = (name: string, required: string[], optional: string[] = []) => {
    const properties = Object.fromEntries([...required, ...optional].map((key) => [key, text]));
    const prompt = startingPrompt({ ...tool('Does it as its description says.', properties, required), name });
    expect(gapsOf(prompt).every((gap) => /^\[[^[\]]+\]$/.test(gap))).toBe(true);
    return prompt.text;
  };
  expect(asked('crm.update_contact', ['name'], ['stage'])).toBe('Update the contact [name]: [what changes]');
  expect(asked('crm.get_contact', ['name'])).toBe('Get the contact [name]');
  expect(asked('vault.set_properties', ['path', 'properties'])).toBe('Set the properties [path]: [properties]');
  expect(asked('vault.append_to_note', ['path', 'text'])).toBe('Append to the note [path]: [text]');
  // A name that is no request, or lacks its object.
  expect(asked('budget.month_summary', ['month'])).toBe('Does it as its description says: [month]');
  expect(asked('vault.search', ['query'])).toBe('Does it as its description says: [query]');
});

test('without required values it is a sentence without placeholders', () => {
  expect(startingPrompt(tool('Lists open deals by stage.', { stage: text }))).toEqual({ text: 'List open deals by stage.', gaps: [] });
});

test('only the first sentence: the rest is for the model', () => {
  expect(startingPrompt(tool('Reads one note, e.g. a person’s. Use when the user names it.')).text).toBe('Read one note, e.g. a person’s.');
  expect(startingPrompt(tool('Adds lines\nSECOND LINE')).text).toBe('Add lines.');
});

test('a word that is not a verb is unchanged', () => {
  expect(startingPrompt(tool('Deals, by stage.')).text).toBe('Deals, by stage.');
});

test('without a description the name is used', () => {
  expect(startingPrompt(tool('')).text).toBe('Move deal.');
});

test('untrusted text is cut, without invisible characters', () => {
  expect(startingPrompt(tool('Reads\u200b a\u202e note')).text).toBe('Read a note.');
  const prompt = startingPrompt(tool(`Reads ${'all mail '.repeat(1000)}`)).text;
  expect(prompt.length).toBeLessThan(210);
  expect(prompt).toMatch(/^Read all mail .* all…$/);
});

test('the next placeholder is the nearest remaining one, whatever the others contain', () => {
  const text = 'Move [title] far, [stage] and [title]';
  expect(nextGap(text, ['[stage]', '[title]'], 0)).toEqual([5, 12]);
  expect(nextGap(text, ['[stage]', '[title]'], 12)).toEqual([18, 25]);
  expect(nextGap(text, ['[stage]'], 25)).toBeNull();
  expect(nextGap('a [thing]', [], 0)).toBeNull();
});
