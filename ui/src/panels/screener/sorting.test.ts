import { expect, test } from 'vitest';

import type { Hit } from './answers';
import { sortedHits } from './sorting';

const hit = (symbol: string, score: string | null, value: string | null): Hit => ({ symbol, name: null, price: '1', currency: 'EUR', date: '2026-11-20', score, values: [value], spark: [], parts: [], held: false, old: false, unknown: [] });
const hits = [hit('B10', '9', '-1.5'), hit('B2', '80', null), hit('A', null, '12')];
const columns = [{ key: 'pe', name: 'P/E', unit: 'ratio' }];
const order = (by: string, down: boolean) => sortedHits(hits, columns, { by, down }).map(({ symbol }) => symbol);

test('hits keep the tool’s order until a header is clicked', () => {
  expect(sortedHits(hits, columns, null)).toBe(hits);
});

test('figures are sorted numerically, with unknown ones last in both directions', () => {
  expect(order('score', true)).toEqual(['B2', 'B10', 'A']);
  expect(order('score', false)).toEqual(['B10', 'B2', 'A']);
  expect(order('pe', true)).toEqual(['A', 'B10', 'B2']);
  expect(order('pe', false)).toEqual(['B10', 'A', 'B2']);
});

test('symbols are sorted alphabetically', () => {
  expect(order('symbol', false)).toEqual(['A', 'B2', 'B10']);
});

test('a removed column does not affect the order', () => {
  expect(order('gone', true)).toEqual(['B10', 'B2', 'A']);
});
