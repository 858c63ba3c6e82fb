import { expect, test } from 'vitest';

import { sampleWorld } from '../../testing/sample';
import { choices } from './choices';
import { closed, mark, type PickerEvent, reducePicker } from './state';

const { skills, tools } = sampleWorld();
const offered = (query: string) => choices({ query, skills, tools, suggestions: [], called: new Map() });

/** The marked row after typing `query` and these events: "tools crm.follow_ups". */
function marked(query: string, ...happened: (number | 'skills' | 'tools')[]) {
  const all = offered(query);
  const events: PickerEvent[] = happened.map((one) =>
    typeof one === 'number' ? { type: 'moved', by: one, choices: all } : { type: 'column', to: one, choices: all },
  );
  const opened: PickerEvent = { type: 'opened', slash: { at: 0, query } };
  const { column, skill, tool } = mark([opened, ...events].reduce(reducePicker, closed), all);
  return column === 'skills' ? `skills ${skill?.row.id}` : `tools ${tool?.row.name}`;
}

test('the first match is marked at once: a tool, or the named skill', () => {
  expect(marked('follow')).toBe('tools crm.follow_ups');
  expect(marked('portf')).toBe('skills portfolio');
  expect(marked('nothing-like-it')).toBe('skills undefined');
});

test('arrows move through matching tools, then the others, and wrap around', () => {
  expect(marked('follow', 1)).toBe('tools crm.add_contact');
  expect(marked('follow', -1)).toBe('tools crm.pipeline');
  expect(marked('follow', -1, 1)).toBe('tools crm.follow_ups');
  expect(marked('follow', -8)).toBe('tools crm.follow_ups');
});

test('the other column and back; another skill starts at its own first tool', () => {
  expect(marked('list', 'skills')).toBe('skills budget');
  expect(marked('list', 'skills', 1)).toBe('skills crm');
  expect(marked('list', 'skills', 1, 'tools')).toBe('tools crm.list_deals');
});

test('a skill without tools has no other column', () => {
  expect(marked('github', 'tools')).toBe('skills github');
});

test('typing starts at the first match; an unchanged word changes nothing', () => {
  const moved = reducePicker({ ...closed, slash: { at: 0, query: 'li' } }, { type: 'moved', by: 1, choices: offered('li') });
  expect(reducePicker(moved, { type: 'typed', slash: { at: 0, query: 'li' } })).toBe(moved);
  expect(reducePicker(moved, { type: 'typed', slash: { at: 0, query: 'lis' } })).toEqual({ ...closed, slash: { at: 0, query: 'lis' } });
});

test('a closed picker is not reopened by further typing', () => {
  expect(reducePicker(closed, { type: 'typed', slash: { at: 0, query: 'x' } })).toBe(closed);
  expect(reducePicker(closed, { type: 'closed' })).toBe(closed);
});

test('a removed choice is replaced by the first', () => {
  const state = reducePicker({ ...closed, slash: { at: 0, query: '' } }, { type: 'pointed', skill: 'gone', tool: 'gone.x' });
  expect(mark(state, offered('')).skill).toEqual(offered('')[0]);
});
