import { describe, expect, test } from 'vitest';

import type { JsonValue } from '../../ipc';
import { backTest } from '../../testing/sample/screener-panel';
import { backTestIn, proposalsIn, type CurvePoint } from './backtest';
import { dayReading, piecesOf, plotOf, spokenCurve } from './curve';

const point = (day: string, value: string, more: Partial<CurvePoint> = {}): CurvePoint => ({ day, value, benchmark: value, fall: '0', benchmarkFall: '0', ...more });
const curve = [point('2020-01-01', '10000'), point('2021-01-01', '12000', { fall: '-4.5' }), point('2022-01-01', '20000')];

describe('the plot', () => {
  test('has one time axis for value and drawdown', () => {
    const plot = plotOf(curve, 500);
    expect(plot.x('2020-01-01')).toBe(0);
    expect(plot.x('2022-01-01')).toBe(plot.width - 4);
    expect(plot.x('2021-01-01')).toBeCloseTo((plot.width - 4) / 2, 0);
    expect(plot.y(20000)).toBeLessThan(plot.y(10000));
    expect(plot.falls).toEqual([0, -5]);
    expect(plot.fall(0)).toBe(plot.fallTop);
    expect(plot.fall(-5)).toBe(plot.floor);
    expect(plot.y(10000)).toBeLessThan(plot.fallTop);
  });

  test('is valid with one day, and with none', () => {
    for (const few of [[], curve.slice(0, 1)]) {
      const { x, y, fall } = plotOf(few, 500);
      expect([x('2020-01-01'), y(10000), fall(0)].every(Number.isFinite)).toBe(true);
    }
  });

  test('leaves a gap where the benchmark is unknown', () => {
    const gap = [curve[0]!, point('2020-06-01', '1', { benchmark: null }), curve[1]!];
    expect(piecesOf(gap, 'benchmark').map(({ length }) => length)).toEqual([1, 1]);
    expect(piecesOf(gap, 'value').map(({ length }) => length)).toEqual([3]);
  });
});

describe('the output of a back-test', () => {
  const test1 = backTestIn(backTest)!;

  test('is read out by day and as a whole', () => {
    const of = { ...test1, curve: [point('2020-02-03', '27540.20', { benchmark: '21020', fall: '-3.2', benchmarkFall: null })] };
    expect(dayReading(of, '2020-02-03', '2026-11-20')).toBe('3 Feb 2020: 27,540.20 EUR, Europe mid caps 21,020, fall −3.2 %');
    expect(dayReading(of, '2020-02-04', '2026-11-20')).toBe('');
    expect(spokenCurve(of, 'This screen')).toBe('Value in EUR, from 3 Feb 2020 to 3 Feb 2020. This screen: 27,540.20 at the start, 27,540.20 at the end; Europe mid caps: 21,020 at the end. Deepest fall −27.4 %, from 17 Feb 2020 to 8 Jun 2020');
    expect(spokenCurve({ ...of, curve: [] }, 'This screen')).toBe('No values');
  });

  test('skips invalid days', () => {
    const odd: JsonValue[] = [{ date: 'soon', value: '1', fall: '0' }, { date: '2020-01-01', value: 'NaN', fall: '0' }, { date: '2020-01-02', value: '1', fall: '0', benchmark: 'x' }, null];
    expect(backTestIn({ ...backTest, curve: odd })?.curve).toEqual([{ day: '2020-01-02', value: '1', fall: '0', benchmark: null, benchmarkFall: null }]);
  });

  test('is null without a curve', () => {
    expect([null, 'text', [], {}].map(backTestIn)).toEqual([null, null, null, null]);
    expect([null, 'text', [], {}].map(proposalsIn)).toEqual([null, null, null, null]);
  });

  test('treats an unknown proposed action as hold', () => {
    expect(proposalsIn({ proposals: [{ action: 'short', symbol: 'X' }] })?.proposals[0]?.action).toBe('hold');
  });
});
