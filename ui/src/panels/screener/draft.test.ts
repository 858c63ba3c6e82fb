import { expect, test } from 'vitest';

import { changesOf, conditionText, draftOf, editedCondition, emptyDraft, isSameDraft, problemOf, tidied, valuesText, type Condition } from './draft';
import type { Field, Operator } from './answers';

const fields: Field[] = [
  { key: 'pe', name: 'Price ÷ earnings', unit: 'ratio', needs: 'reports', example: 'pe < 18' },
  { key: 'growth', name: 'Growth', unit: 'percent', needs: 'reports', example: 'growth > 10 %' },
];
const row = (field: string | null, operator: Operator, value: string): Condition => editedCondition({ key: 0, text: '', field, operator, value, problem: null }, {});

test.each<[Operator, string, string]>([
  ['below', '18', 'pe < 18'],
  ['above', '10 %', 'pe > 10 %'],
  ['above', '50,000', 'pe > 50000'],
  ['above', '-3.5', 'pe > -3.5'],
  ['above', '−3.5', 'pe > -3.5'],
  ['between', '0.5 and 5 bn', 'pe between 0.5 bn and 5 bn'],
  ['between', '500 m to 5 BN', 'pe between 500 m and 5 bn'],
  ['between', '5 % and 10', 'pe between 5 % and 10'],
])('%s %s is formatted as %s', (operator, value, line) => {
  expect(conditionText(row('pe', operator, value))).toBe(line);
});

test('a limit is shown as written', () => {
  expect(valuesText(['18'])).toBe('18');
  expect(valuesText(['50000'])).toBe('50,000');
  expect(valuesText(['0.5 bn', '5 bn'])).toBe('0.5 and 5 bn');
  expect(valuesText(['500 m', '5 bn'])).toBe('500 m and 5 bn');
  expect(valuesText(['5 %', '10'])).toBe('5 % and 10');
});

test('a percentage gets its sign on blur', () => {
  expect(tidied(row('growth', 'above', ' 10'), fields)).toBe('10 %');
  expect(tidied(row('pe', 'above', '50000'), fields)).toBe('50,000');
  expect(tidied(row('pe', 'above', 'x'), fields)).toBe('x');
});

test.each<[Condition, string | null]>([
  [row('pe', 'below', '18'), null],
  [row('pe', 'below', ''), 'Write a limit.'],
  [row('pe', 'below', '1,5'), '1,5 is not a limit. Write it as 18, 10 % or 0.5 bn.'],
  [row('pe', 'below', '18; drop'), '18; drop is not a limit. Write it as 18, 10 % or 0.5 bn.'],
  [row('pe', 'below', '18 %'), 'Price ÷ earnings is not in percent. Leave out %.'],
  [row('pe', 'between', '5'), 'Write two limits, such as 5 and 10.'],
  [row('pe', 'between', '10 and 5'), '10 is above 5. Write the lower limit first, with its unit.'],
  [row('pe', 'between', '900 and 2 k'), '900 k is above 2 k. Write the lower limit first, with its unit.'],
  [row('pe', 'between', '500 m and 5 bn'), null],
  [row('unknown', 'below', '18'), null],
  [row(null, 'below', ' '), 'Write a condition, such as close > sma(close, 200).'],
  [row(null, 'below', 'close > sma(close, 200'), 'A bracket is missing.'],
  [row(null, 'below', ')('), 'A bracket is missing.'],
  [row(null, 'below', 'close > \u202E1'), 'There is an invisible character, U+202E. Remove it.'],
  [row('pe', 'below', '1\u200B8'), 'There is an invisible character, U+200B. Remove it.'],
  [row(null, 'below', 'close > sma(close, 200)'), null],
])('%o', (condition, problem) => {
  expect(problemOf(condition, fields)).toBe(problem);
});

const saved = {
  name: 'Cheap', path: 'Cheap.md', universe: 'Europe', missing: 'leave_out', score: [], last: null, problems: [],
  conditions: [
    { text: 'pe  <  18', field: 'pe', operator: 'below', values: ['18'], problem: null },
    { text: 'close > sma(close, 200)', field: null, operator: null, values: [], problem: null },
    { text: 'pe < x', field: 'pe', operator: 'below', values: ['x'], problem: 'x is no number.' },
  ],
} as const;

test('a different spelling of a note’s line is no change', () => {
  const draft = draftOf(saved);
  const back = { ...draft, conditions: draft.conditions.map((one, at) => (at === 0 ? editedCondition(editedCondition(one, { value: '15' }), { value: '18' }) : one)) };
  expect(draft.conditions[0]?.text).toBe('pe  <  18');
  expect(back.conditions[0]?.text).toBe('pe < 18');
  expect(isSameDraft(draft, back)).toBe(true);
  expect(changesOf(draft, back)).toEqual([]);
});

test('a problem of the note stays until its line is edited', () => {
  const [, , broken] = draftOf(saved).conditions;
  expect(problemOf(broken!, fields)).toBe('x is not a limit. Write it as 18, 10 % or 0.5 bn.');
  const line = draftOf({ ...saved, conditions: [{ text: 'clsoe > 1', field: null, operator: null, values: [], problem: 'There is no clsoe.' }] }).conditions[0]!;
  expect(problemOf(line, fields)).toBe('There is no clsoe.');
  expect(problemOf(editedCondition(line, { value: 'close > 1' }), fields)).toBeNull();
});

test('added, removed and edited conditions are changes, and so are other fields', () => {
  const before = draftOf(saved);
  const [first, second] = before.conditions;
  const now = { ...before, universe: 'World', missing: 'keep' as const, conditions: [editedCondition(first!, { value: '15' }), second!, { ...row('growth', 'above', '10'), key: 7 }] };
  expect(changesOf(before, now).map(({ of, key, before: old }) => [of, key, old?.key ?? null])).toEqual([
    ['condition', 0, 0],
    ['condition', 7, null],
    ['condition', null, 2],
    ['universe', null, null],
    ['missing', null, null],
  ]);
  expect(isSameDraft(before, emptyDraft)).toBe(false);
});
