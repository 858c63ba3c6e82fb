import { describe, expect, test } from 'vitest';

import { midCap, partialScan, screens, universes } from '../../testing/sample/screener-panel';
import { explanationIn, scanIn, screensIn, universesIn } from './answers';

describe('tool output', () => {
  test('screens have their conditions, score and last scan', () => {
    const found = screensIn(screens);
    expect(found?.screens.map(({ name }) => name)).toEqual(['Mid-cap value', 'Dividend growers', 'Low debt, high margin', 'Watchlist near target']);
    expect(found?.screens[0]).toMatchObject({ last: { hits: 11 }, missing: 'leave_out', conditions: [{ operator: 'between', values: ['0.5 bn', '5 bn'] }, {}, {}, {}, {}] });
    expect(found?.screens[1]?.conditions[0]).toEqual({ text: 'close > sma(close, 200)', field: null, operator: null, values: [], problem: null });
    expect(universesIn(universes).map(({ kind }) => kind)).toEqual(['note', 'positions', 'watchlist', 'filers']);
  });

  test('a scan counts at least the hits that it lists', () => {
    expect(scanIn({ ...partialScan, found: 3 })?.found).toBe(9);
    expect(scanIn({ ...partialScan, found: 40 })?.found).toBe(40);
  });

  test('invalid output is null', () => {
    for (const odd of [null, undefined, 'text', 7, []]) expect([scanIn(odd), explanationIn(odd), screensIn(odd), universesIn(odd)]).toEqual([null, null, null, []]);
    expect(scanIn({})).toBeNull();
  });

  test('incomplete rows are parsed as far as possible', () => {
    const scan = scanIn({ hits: [null, 'x', { symbol: 'A', values: [1, null, '2'], spark: ['x', 1, null], unknown: 'x' }], columns: 'x', left_out: [{}], closest: 'x', of: 'many' });
    expect(scan?.hits).toHaveLength(1);
    expect(scan?.hits[0]).toMatchObject({ symbol: 'A', values: [null, null, '2'], spark: [1], unknown: [], score: null });
    expect(scan).toMatchObject({ of: 0, columns: [], closest: null, leftOut: [{ symbol: '', missing: [] }] });
    expect(screensIn({ screens: [{ ...midCap, conditions: [{ text: 'a ! b', field: 'a', operator: '!', values: null }] }] })?.screens[0]?.conditions[0]).toEqual({ text: 'a ! b', field: 'a', operator: null, values: [], problem: null });
  });
});
