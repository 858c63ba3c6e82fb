import { expect, test } from 'vitest';

import type { JsonValue } from '../../ipc';
import { nextGap, startingPrompt } from './prompt';

const tool = (description: string, properties: Record<string, JsonValue> = {}, required: string[] = []) => ({
  name: 'crm.move_deal',
  description,
  input_schema: { type: 'object', properties, required },
});
const text = { type: 'string' };

/** The gaps as they stand in the text. */
function gapsOf(prompt: ReturnType<typeof startingPrompt>) {
  return prompt.gaps.map(([start, end]) => prompt.text.slice(start, end));
}

test('asks for what the tool does, with a gap for each thing it needs', () => {
  const prompt = startingPrompt(tool('Moves a deal to another stage.', { title: text, stage: text, note: text }, ['title', 'stage']));
  expect(prompt.text).toBe('Move a deal to another stage: [title], [stage]');
  expect(gapsOf(prompt)).toEqual(['[title]', '[stage]']);
});

test('without needs it is a sentence without a gap', () => {
  expect(startingPrompt(tool('Lists open deals by stage.', { stage: text }))).toEqual({ text: 'List open deals by stage.', gaps: [] });
});

test('only the first sentence: what follows is meant for the model', () => {
  expect(startingPrompt(tool('Reads one note, e.g. a person’s. Use when the user names it.')).text).toBe('Read one note, e.g. a person’s.');
  expect(startingPrompt(tool('Adds lines\nSECOND LINE')).text).toBe('Add lines.');
});

test('a word that is no verb stays as it is', () => {
  expect(startingPrompt(tool('Deals, by stage.')).text).toBe('Deals, by stage.');
});

test('without a description the name stands for it', () => {
  expect(startingPrompt(tool('')).text).toBe('Move deal.');
});

test('words of a stranger are cut, and nothing of them is unseen', () => {
  expect(startingPrompt(tool('Reads\u200b a\u202e note')).text).toBe('Read a note.');
  const prompt = startingPrompt(tool(`Reads ${'all mail '.repeat(1000)}`)).text;
  expect(prompt.length).toBeLessThan(210);
  expect(prompt).toMatch(/^Read all mail .* all…$/);
});

test('the next gap is the nearest that is left, whatever was typed into the others', () => {
  const text = 'Move [title] far, [stage] and [title]';
  expect(nextGap(text, ['[stage]', '[title]'], 0)).toEqual([5, 12]);
  expect(nextGap(text, ['[stage]', '[title]'], 12)).toEqual([18, 25]);
  expect(nextGap(text, ['[stage]'], 25)).toBeNull();
  expect(nextGap('a [thing]', [], 0)).toBeNull();
});
