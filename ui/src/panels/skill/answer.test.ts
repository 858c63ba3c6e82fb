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
  test('text that is only a placeholder keeps the type of the field', () => {
    expect(fill({ tags: '{tags}', count: '{count}' }, [row])).toEqual({ tags: ['x'], count: 3 });
  });
  test('a placeholder within text is converted to text', () => {
    expect(fill({ text: 'Of {path}: {count}' }, [row])).toEqual({ text: 'Of CRM/A.md: 3' });
  });
  test('the column takes precedence over the row, the row over the tab’s inputs', () => {
    expect(fill({ to: '{column}', from: '{path}', month: '{month}' }, [{ column: 'won' }, row, { month: '2026-11', path: 'x' }])).toEqual({
      to: 'won',
      from: 'CRM/A.md',
      month: '2026-11',
    });
  });
  test('placeholders without a value are omitted', () => {
    expect(fill({ date: '{empty}', other: '{unknown}', list: ['{unknown}', 'b'], own: { a: '{count}' } }, [row])).toEqual({
      list: ['b'],
      own: { a: 3 },
    });
  });
});

test('rows are identified by their note; several rows of a note are distinguished', () => {
  const value: JsonValue = [{ path: 'A.md' }, { path: 'A.md' }, { name: 'B' }];
  expect(rowsAt(value, '').map(({ key }) => key)).toEqual(['A.md', '#1', '#2']);
});

test('an unreadable item is a problem and no row', () => {
  const broken = { path: 'B.md', line: 4, unreadable: 'The date is not a date', remedy: 'Write it as 2026-11-20.' };
  expect(rowsAt([{ path: 'A.md' }, broken], '').map(({ key }) => key)).toEqual(['A.md']);
  expect(problemsIn([[{ path: 'A.md' }, broken]])).toEqual([
    { path: 'B.md', line: 4, problem: 'The date is not a date', remedy: 'Write it as 2026-11-20.' },
  ]);
});

test('a problem in several outputs is shown once', () => {
  const one = { problems: [{ problem: 'No rate for USD', remedy: null }] };
  expect(problemsIn([one, { unreadable: [{ path: 'A.md', problem: 'Broken', line: 2 }], ...one }])).toEqual([
    { path: null, line: null, problem: 'No rate for USD', remedy: null },
    { path: 'A.md', line: 2, problem: 'Broken', remedy: null },
  ]);
});

test('a failed change is a problem', () => {
  const refused = { changed: [{ path: 'A.md' }], not_changed: [{ path: 'B.md', problem: 'It has the property twice' }] };
  expect(problemsIn([refused])).toEqual([{ path: 'B.md', line: null, problem: 'It has the property twice', remedy: null }]);
});

test('a row matches any of its words, ignoring case', () => {
  const row = { name: 'Jane Doe', company: '[[Quillon Labs]]', tags: ['North'] };
  expect([rowHas(row, 'quillon'), rowHas(row, 'north'), rowHas(row, ' '), rowHas(row, 'south')]).toEqual([true, true, true, false]);
});

test('only a row with a note can be edited or deleted', () => {
  const actions: JsonValue[] = [{ label: 'Edit', edit: true }, { label: 'Delete', delete: true }, { label: 'Set limit', tool: 'set_limit' }];
  const { actions: declared } = panelOf('x', 'X', [{ actions }]).panel.tabs[0]!;
  const labels = (row: Row) => offered(declared, row).map(({ label }) => label);
  expect(labels({ category: 'food', path: 'Budget/Limits/food.md' })).toEqual(['Edit', 'Delete', 'Set limit']);
  expect(labels({ category: 'books' })).toEqual(['Set limit']);
});
