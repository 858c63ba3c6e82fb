import { describe, expect, test } from 'vitest';

import type { JsonValue } from '../../ipc';
import { panelOf } from '../../testing/panels';
import { at, fieldOf, fill, offered, problemsIn, rowHas, rowsAt, type Row } from './answer';

test('a pointer finds its value, or nothing', () => {
  const value = { deals: [{ 'a/b': { '~': 1 } }] };
  expect(at(value, '/deals/0/a~1b/~0')).toBe(1);
  expect(at(value, '/deals/1/x')).toBeUndefined();
  expect(at(value, '')).toBe(value);
  expect(at(value, '/constructor')).toBeUndefined();
});

test('a field is a key of the row, or a pointer into it', () => {
  const row = { value: { amount: '5' }, 'a/b': 2 };
  expect(fieldOf(row, '/value/amount')).toBe('5');
  expect(fieldOf(row, 'a/b')).toBe(2);
});

describe('arguments', () => {
  const row = { path: 'CRM/A.md', tags: ['x'], count: 3, empty: '' };
  test('a text that is nothing but a name keeps the type of the field', () => {
    expect(fill({ tags: '{tags}', count: '{count}' }, [row])).toEqual({ tags: ['x'], count: 3 });
  });
  test('within a text a name becomes words', () => {
    expect(fill({ text: 'Of {path}: {count}' }, [row])).toEqual({ text: 'Of CRM/A.md: 3' });
  });
  test('the column comes before the row, the row before the inputs of the tab', () => {
    expect(fill({ to: '{column}', from: '{path}', month: '{month}' }, [{ column: 'won' }, row, { month: '2026-11', path: 'x' }])).toEqual({
      to: 'won',
      from: 'CRM/A.md',
      month: '2026-11',
    });
  });
  test('what stands for nothing is left out', () => {
    expect(fill({ date: '{empty}', other: '{unknown}', list: ['{unknown}', 'b'], own: { a: '{count}' } }, [row])).toEqual({
      list: ['b'],
      own: { a: 3 },
    });
  });
});

test('rows are named by their note; two of one note are told apart', () => {
  const value: JsonValue = [{ path: 'A.md' }, { path: 'A.md' }, { name: 'B' }];
  expect(rowsAt(value, '').map(({ key }) => key)).toEqual(['A.md', '#1', '#2']);
});

test('what cannot be read is a problem and no row', () => {
  const broken = { path: 'B.md', line: 4, unreadable: 'The date is no date', remedy: 'Write it as 2026-11-20.' };
  expect(rowsAt([{ path: 'A.md' }, broken], '').map(({ key }) => key)).toEqual(['A.md']);
  expect(problemsIn([[{ path: 'A.md' }, broken]])).toEqual([
    { path: 'B.md', line: 4, problem: 'The date is no date', remedy: 'Write it as 2026-11-20.' },
  ]);
});

test('a problem that several answers name is shown once', () => {
  const one = { problems: [{ problem: 'No rate for USD', remedy: null }] };
  expect(problemsIn([one, { unreadable: [{ path: 'A.md', problem: 'Broken', line: 2 }], ...one }])).toEqual([
    { path: null, line: null, problem: 'No rate for USD', remedy: null },
    { path: 'A.md', line: 2, problem: 'Broken', remedy: null },
  ]);
});

test('what could not be changed is a problem', () => {
  const refused = { changed: [{ path: 'A.md' }], not_changed: [{ path: 'B.md', problem: 'It has the property twice' }] };
  expect(problemsIn([refused])).toEqual([{ path: 'B.md', line: null, problem: 'It has the property twice', remedy: null }]);
});

test('a row is found by any of its words, whatever the case', () => {
  const row = { name: 'Jane Doe', company: '[[Quillon Labs]]', tags: ['North'] };
  expect([rowHas(row, 'quillon'), rowHas(row, 'north'), rowHas(row, ' '), rowHas(row, 'south')]).toEqual([true, true, true, false]);
});

test('only a row that is a note can be edited or deleted', () => {
  const actions: JsonValue[] = [{ label: 'Edit', edit: true }, { label: 'Delete', delete: true }, { label: 'Set limit', tool: 'set_limit' }];
  const { actions: declared } = panelOf('x', 'X', [{ actions }]).panel.tabs[0]!;
  const labels = (row: Row) => offered(declared, row).map(({ label }) => label);
  expect(labels({ category: 'food', path: 'Budget/Limits/food.md' })).toEqual(['Edit', 'Delete', 'Set limit']);
  expect(labels({ category: 'books' })).toEqual(['Set limit']);
});
