import { expect, test } from 'vitest';

import type { RoutineRow, RoutineRun } from '../ipc';
import { lastText, lateText, nextText, waits } from './routines';

const now = new Date('2026-11-23T12:00:00');
const run: RoutineRun = { session: 's', due: '2026-11-23T07:30:00', started: '2026-11-23T10:10:00', ended: null, late: 160, end: 'completed', said: 'Two tasks are due', seen: false };
const row: RoutineRow = { path: 'Routines/Morning.md', name: 'Morning', when: ['daily 07:30'], zone: '', enabled: true, allow: [], message: 'What is due?', tool: '', args: '', skills: [], model: '', problem: null, next: null, last: run };

test('the last run shows its result, its delay and its output', () => {
  expect(lastText(run, now)).toMatch(/^Completed .*10:10, 2 h 40 min late\. Two tasks are due\.$/);
  expect(lastText({ ...run, end: 'cut_off', late: 0, said: '' }, now)).toMatch(/^Cut off when Nova ended .*10:10\.$/);
});

test('a delay has a natural unit', () => {
  expect([5, 60, 61, 1440, 4400].map(lateText)).toEqual(['5 min', '1 h', '1 h 1 min', '1 day', '3 days']);
});

test('a disabled or broken routine has no next time', () => {
  expect(nextText({ ...row, enabled: false }, now)).toBe('Off');
  expect(nextText(row, now)).toBe('No time set');
  expect(nextText({ ...row, problem: '`when` is missing.' }, now)).toBe('`when` is missing.');
});

test('a question waits until answered, a failure until seen', () => {
  const last = (part: Partial<RoutineRun>) => waits({ ...row, last: { ...run, ...part } });
  expect([last({}), last({ end: 'running' }), waits({ ...row, last: null })]).toEqual([false, false, false]);
  expect([last({ end: 'waiting', seen: true }), last({ end: 'failed' }), last({ end: 'cut_off' })]).toEqual([true, true, true]);
  expect(last({ end: 'failed', seen: true })).toBe(false);
});
