import { expect, test } from 'vitest';

import type { RoutineRow } from '../../ipc';
import { allowing, argsIn, empty, enteredOf, isComplete, routineOf, savedOf, type Entered } from './routine-form';

const row: RoutineRow = {
  path: 'Routines/Tasks.md', name: 'Tasks', when: ['mon 09:00', 'at start'], zone: 'Europe/Berlin', enabled: true, allow: ['crm.*'],
  message: 'Lists what is late.', tool: 'vault.list_tasks', args: '{ "due": "..today" }', skills: [], model: '', problem: null, next: null, last: null,
};
const filled: Entered = { ...empty, name: 'Tasks', when: 'mon 09:00' };

test('an unchanged form saves the routine as its note has it', () => {
  expect(routineOf(enteredOf(row), argsIn(row.args)!, savedOf(row))).toEqual(savedOf(row));
  const asks = { ...row, tool: '', args: '', skills: ['crm'], model: 'ollama/q' };
  expect(routineOf(enteredOf(asks), {}, savedOf(asks))).toEqual(savedOf(asks));
});

test('each kind needs its own content', () => {
  expect(isComplete(filled)).toBe(false);
  expect(isComplete({ ...filled, message: 'What is due?' })).toBe(true);
  expect(isComplete({ ...filled, kind: 'skill', message: 'What is due?' })).toBe(false);
  expect(isComplete({ ...filled, kind: 'skill', message: 'What is due?', skills: ['crm'] })).toBe(true);
  expect(isComplete({ ...filled, kind: 'tool', message: 'What is due?' })).toBe(false);
  expect(isComplete({ ...filled, kind: 'tool', tool: 'vault.list_tasks' })).toBe(true);
  expect(isComplete({ ...filled, kind: 'tool', tool: 'vault.list_tasks', when: ' ' })).toBe(false);
});

test('content of the other kinds is not saved', () => {
  const all: Entered = { ...filled, message: 'What is due?', tool: 'vault.tags', skills: ['crm'], model: 'ollama/q' };
  const saved = (kind: Entered['kind']) => routineOf({ ...all, kind }, { a: 1 }, null);
  expect(saved('message')).toMatchObject({ message: 'What is due?', tool: '', args: '', skills: [], model: 'ollama/q' });
  expect(saved('skill')).toMatchObject({ message: 'What is due?', tool: '', args: '', skills: ['crm'], model: 'ollama/q' });
  expect(saved('tool')).toMatchObject({ message: '', tool: 'vault.tags', args: '{"a":1}', skills: [], model: '' });
});

test('arguments are kept while there is no form for them, and dropped with their tool', () => {
  expect(routineOf(enteredOf(row), undefined, savedOf(row)).args).toBe(row.args);
  expect(routineOf({ ...enteredOf(row), tool: 'vault.tags' }, undefined, savedOf(row)).args).toBe('');
  expect(routineOf({ ...enteredOf(row), tool: 'vault.tags' }, {}, savedOf(row)).args).toBe('');
});

test('arguments that are no JSON object are not taken over', () => {
  expect([argsIn(''), argsIn('{"a":1}'), argsIn('[1]'), argsIn('null'), argsIn('due: today')]).toEqual([{}, { a: 1 }, undefined, undefined, undefined]);
});

test('a tool is allowed beside the other rules', () => {
  expect(allowing(filled, 'crm.log_interaction').allow).toBe('crm.log_interaction');
  expect(allowing({ ...filled, allow: 'vault.*;' }, 'crm.log_interaction').allow).toBe('vault.*; crm.log_interaction');
});
