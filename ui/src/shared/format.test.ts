import { expect, test } from 'vitest';

import { asSentence, clockTime, count, counted, dayText, durationText, isNote, modelName, noteName, runningText, tokens, whenText } from './format';

const now = new Date('2026-11-20T14:33:00');
const local = (time: string) => new Date(time).toISOString();

test.each([
  ['2026-11-20T09:05:00', '09:05'],
  ['2026-11-24T10:00:00', 'Tue 24 Nov'],
  ['2025-02-01T10:00:00', '1 Feb 2025'],
])('%s is shown as %s', (at, said) => {
  expect(whenText(local(at), now)).toBe(said);
});

test('a time is in the user’s zone', () => {
  expect(clockTime(local('2026-11-20T00:07:00'))).toBe('00:07');
  expect(dayText(new Date('2026-01-01T00:00:00'), now)).toBe('Thu 1 Jan');
});

test.each([
  [22, '22 ms'],
  [999.4, '999 ms'],
  [2100, '2.1 s'],
  [10_000, '10.0 s'],
  [59_960, '1 min 0 s'],
  [95_000, '1 min 35 s'],
])('%d ms took %s', (ms, said) => {
  expect(durationText(ms)).toBe(said);
});

test.each([
  [-5, '0:00'],
  [31_900, '0:31'],
  [600_000, '10:00'],
])('a clock at %d ms shows %s', (ms, said) => {
  expect(runningText(ms)).toBe(said);
});

test('numbers have thousands separators', () => {
  expect([0, 999, 1412, 1_234_567].map(count)).toEqual(['0', '999', '1,412', '1,234,567']);
  expect([940, 11_800, 32_000].map(tokens)).toEqual(['940', '11.8k', '32k']);
  expect([1, 2, 1200].map((value) => counted(value, 'note'))).toEqual(['1 note', '2 notes', '1,200 notes']);
  expect(counted(2, 'expense of', 'expenses of')).toBe('2 expenses of');
});

test('a note has a name and a folder', () => {
  expect(noteName('CRM/People/Mara Lindholt.md')).toEqual({ name: 'Mara Lindholt', folder: 'CRM/People' });
  expect(noteName('Jane Doe')).toEqual({ name: 'Jane Doe', folder: '' });
});

test('a file outside of the vault is no note', () => {
  const paths = ['CRM/Ada.md', '/home/mara/code/README.md', 'C:\\code\\README.md', 'scan.pdf'];
  expect(paths.filter(isNote)).toEqual(['CRM/Ada.md']);
});

test('a model’s name omits its provider', () => {
  expect(modelName('openai/org/model')).toBe('org/model');
});

test('a sentence gets its full stop', () => {
  expect(['Cannot reach it', 'It is gone.', 'Why?'].map(asSentence)).toEqual(['Cannot reach it.', 'It is gone.', 'Why?']);
});
