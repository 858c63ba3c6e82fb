import { describe, expect, test } from 'vitest';

import { addDays } from '../../shared/form/dates';
import type { Close, Moved, Quote } from './answers';
import { placedMarks } from './marks';
import type { Trade } from './notes';
import { averageOf, between, chartOf, inRange, isDaily, nearestDay, piecesOf, placesOf, timeMarks, valueOn } from './series';

const close = (day: string, price: string, volume: number | null = null): Close => ({ day, close: price, volume });
/** One close per day up to 20 November, with values 1, 2, 3 … */
const climbing = (count: number): Close[] => Array.from({ length: count }, (_, at) => close(addDays('2026-11-20', at - count + 1), String(at + 1), 100));
const quote = (closes: readonly Close[], more: Partial<Quote> = {}): Quote => ({
  symbol: 'NGTL', name: null, exchange: null, currency: 'EUR', price: '42.18', at: '2026-11-20', source: 'Stooq', stale: null, isClose: false,
  dayChange: null, yearChange: null, yearHigh: null, yearLow: null, closesSource: 'Stooq', closesTo: '2026-11-20', closes, intraday: null, ...more,
});
const moved = (symbol: string, points: readonly (readonly [string, string])[]): Moved => ({ symbol, name: null, currency: 'EUR', change: '', points: points.map(([day, change]) => ({ day, change })) });
const trade = (kind: string, day: string): Trade => ({ kind, day, path: `${day}.md`, quantity: '100', price: '34.70', currency: 'EUR' });
const drawn = (of: Partial<Parameters<typeof chartOf>[0]> & { quote: Quote }) => chartOf({ moved: [], range: '1y', average: false, averageDays: 50, trades: [], today: '2026-11-20', ...of });

describe('the average', () => {
  test('has any length', () => {
    const chart = drawn({ quote: quote(climbing(30)), average: true, averageDays: 20 });
    // The mean of 11 to 30.
    expect([chart.averageDays, chart.lines[1]?.points.at(-1)?.text, chart.lines[1]?.points.length]).toEqual([20, '20.50', 11]);
  });

  test('begins with the first day that has enough closes', () => {
    const points = averageOf(climbing(52), 50);
    expect(points.map(({ day, text }) => [day, text])).toEqual([
      ['2026-11-18', '25.50'],
      ['2026-11-19', '26.50'],
      ['2026-11-20', '27.50'],
    ]);
    expect(averageOf(climbing(49), 50)).toEqual([]);
  });

  test('keeps the decimals of its closes', () => {
    expect(averageOf([close('2026-11-19', '0.1234'), close('2026-11-20', '0.1236')], 2)[0]?.text).toBe('0.1235');
  });

  test('is complete at the start of a range, using earlier closes', () => {
    const chart = drawn({ quote: quote(climbing(200)), range: '1m', average: true });
    expect(chart.lines.map(({ isAverage, points }) => [isAverage, points[0]?.day, points.length])).toEqual([
      [false, '2026-10-20', 32],
      [true, '2026-10-20', 32],
    ]);
  });
});

test('a range ends with the last close, not today', () => {
  const closes = climbing(400);
  expect(inRange(closes, '1m')[0]?.day).toBe('2026-10-20');
  expect(inRange(closes, '1y')).toHaveLength(367);
  expect(inRange(closes, 'all')).toHaveLength(400);
  expect(inRange([], '1m')).toEqual([]);
});

describe('the chart', () => {
  test('of one symbol shows its closes unchanged', () => {
    const chart = drawn({ quote: quote([close('2026-11-19', '41.80', 900), close('2026-11-20', '42.18')]) });
    expect([chart.scale, chart.lines[0]?.points.map(({ text }) => text), chart.volumes]).toEqual(['price', ['41.80', '42.18'], [{ day: '2026-11-19', volume: 900 }]]);
  });

  test('of several is in percent, and so is the average', () => {
    // 50 closes of 10, then 12: the average of the last day is 10.04, 0.4 percent above 10.
    const closes = [...Array.from({ length: 50 }, (_, at) => close(addDays('2026-11-20', at - 50), '10')), close('2026-11-20', '12')];
    const both = [moved('BWOP', [['2026-11-19', '0'], ['2026-11-20', '-1.5']]), moved('NGTL', [['2026-11-19', '0'], ['2026-11-20', '20.0']])];
    const chart = drawn({ quote: quote(closes), moved: both, average: true });
    expect(chart.scale).toBe('percent');
    expect(chart.lines.map(({ symbol, isAverage, place, points }) => [symbol, isAverage, place, points.at(-1)?.text])).toEqual([
      ['NGTL', false, 0, '20.0'],
      ['BWOP', false, 1, '-1.5'],
      ['NGTL', true, 0, '0.4'],
    ]);
  });

  test('marks purchases and sales of its period on the line', () => {
    const closes = [close('2026-11-16', '40'), close('2026-11-18', '41'), close('2026-11-20', '42')];
    const trades = [trade('sell', '2026-11-19'), trade('buy', '2026-11-16'), trade('dividend', '2026-11-18'), trade('buy', '2026-11-15')];
    expect(drawn({ quote: quote(closes), trades }).trades.map(({ day, value }) => [day, value])).toEqual([['2026-11-16', 40], ['2026-11-19', 41]]);
  });

  test('extends the last close to today only without a current price', () => {
    const closes = [close('2026-11-18', '41')];
    expect(drawn({ quote: quote(closes, { isClose: true }) }).carriedTo).toBe('2026-11-20');
    expect(drawn({ quote: quote(closes) }).carriedTo).toBeNull();
    expect(drawn({ quote: quote([close('2026-11-20', '42')], { isClose: true }) }).carriedTo).toBeNull();
  });

  test('without closes is empty', () => {
    expect(drawn({ quote: quote([]), average: true, trades: [trade('buy', '2026-11-19')] })).toMatchObject({ days: [], trades: [], volumes: [], carriedTo: null });
  });
});

test('holidays are bridged, missing weeks are not', () => {
  const point = (day: string) => ({ day, value: 1, text: '1' });
  const pieces = piecesOf(['2026-01-01', '2026-01-02', '2026-01-16', '2026-01-31', '2026-02-01', '2026-02-02'].map(point));
  expect(pieces.map((piece) => piece.map(({ day }) => day))).toEqual([['2026-01-01', '2026-01-02', '2026-01-16'], ['2026-01-31', '2026-02-01', '2026-02-02']]);
});

test('every second trading day does not count as daily', () => {
  const days = ['2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05', '2026-11-06', '2026-11-09', '2026-11-10', '2026-11-11'].map((day) => close(day, '10'));
  expect(isDaily(days)).toBe(true);
  expect(isDaily(days.filter((_, at) => at % 2 === 0))).toBe(false);
});

test('a thinned series is drawn whole, without an average', () => {
  const monthly = Array.from({ length: 120 }, (_, at) => close(`${2016 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}-01`, '10'));
  const chart = drawn({ quote: quote(monthly), range: 'all', average: true });
  expect(chart.lines.map(({ isAverage, points }) => [isAverage, piecesOf(points).length])).toEqual([[false, 1]]);
  expect(chart.averageMissing).toBe(true);
  expect(drawn({ quote: quote(monthly) }).averageMissing).toBe(false);
});

test('a day without a close takes the last one, for up to two weeks', () => {
  const line = { symbol: 'NGTL', isAverage: false, place: 0, points: [{ day: '2026-11-02', value: 40, text: '40' }] };
  expect(valueOn(line, '2026-11-16')?.text).toBe('40');
  expect(valueOn(line, '2026-11-17')).toBeNull();
  expect(valueOn(line, '2026-11-01')).toBeNull();
});

test('time labels fit their room', () => {
  const labels = (from: string, to: string, most: number) => timeMarks(from, to, most).map(({ label }) => label);
  expect(labels('2025-11-24', '2026-11-20', 14)).toEqual(['Dec', 'Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov']);
  expect(labels('2026-10-20', '2026-11-20', 10)).toEqual(['27 Oct', '3 Nov', '10 Nov', '17 Nov']);
  expect(labels('2021-11-22', '2026-11-20', 8)).toEqual(['2022', '2023', '2024', '2025', '2026']);
  expect(labels('1990-01-02', '2026-11-20', 8)).toEqual(['1995', '2000', '2005', '2010', '2015', '2020', '2025']);
  expect(labels('2026-11-20', '2026-11-20', 8)).toEqual([]);
});

test('the nearest day is selected', () => {
  const days = ['2026-11-13', '2026-11-16', '2026-11-20'];
  expect(nearestDay(days, -1)).toBe('2026-11-13');
  expect(nearestDay(days, 1)).toBe('2026-11-13');
  expect(nearestDay(days, 2)).toBe('2026-11-16');
  expect(nearestDay(days, 18)).toBe('2026-11-20');
  expect(nearestDay([], 2)).toBeNull();
});

describe('within a day', () => {
  const prices = [close('2026-11-20T09:30:00', '41.90', 12_000), close('2026-11-20T09:40:00', '42.01'), close('2026-11-20T15:58:43', '42.18', 0)];
  const intraday = { source: 'Yahoo', zone: 'America/New_York', prices };

  test('the chart has the prices and nothing of closes', () => {
    const both = [moved('NGTL', [['2026-11-19', '0']]), moved('BWOP', [['2026-11-19', '0']])];
    const chart = drawn({ quote: quote(climbing(60), { intraday, isClose: true }), range: '1d', average: true, moved: both, trades: [trade('buy', '2026-11-20')], today: '2026-11-23' });
    expect(chart.lines.map(({ symbol, isAverage, points }) => [symbol, isAverage, points.map(({ text }) => text)])).toEqual([['NGTL', false, ['41.90', '42.01', '42.18']]]);
    expect(chart).toMatchObject({ scale: 'price', trades: [], carriedTo: null, averageMissing: false, source: 'Yahoo', zone: 'America/New_York', days: prices.map(({ day }) => day) });
    expect(chart.volumes).toEqual([{ day: '2026-11-20T09:30:00', volume: 12_000 }, { day: '2026-11-20T15:58:43', volume: 0 }]);
    expect(piecesOf(chart.lines[0]?.points ?? [])).toHaveLength(1);
  });

  test('without prices the chart is empty, whatever closes there are', () => {
    expect(drawn({ quote: quote(climbing(60)), range: '1d' })).toMatchObject({ days: [], volumes: [] });
  });

  test('times are fractions of a day', () => {
    expect(between('2026-11-20T09:30:00', '2026-11-20T15:30:00')).toBe(0.25);
    expect(nearestDay(prices.map(({ day }) => day), 0.005)).toBe('2026-11-20T09:40:00');
  });

  test('the labels of prices have the decimals of their step', () => {
    expect([[25_430, 25_432], [41.9, 42], [172.05, 172.1], [172, 172.025], [0.1234, 0.1235], [5]].map(placesOf)).toEqual([0, 1, 2, 3, 4, 0]);
  });

  test('the labels are round times that fit their room', () => {
    const labels = (most: number) => timeMarks('2026-11-20T09:30:00', '2026-11-20T15:58:43', most).map(({ label }) => label);
    expect(labels(14)).toEqual(['09:30', '10:00', '10:30', '11:00', '11:30', '12:00', '12:30', '13:00', '13:30', '14:00', '14:30', '15:00', '15:30']);
    expect(labels(7)).toEqual(['10:00', '11:00', '12:00', '13:00', '14:00', '15:00']);
    expect(labels(0)).toEqual([]);
    expect(timeMarks('2026-11-20T09:30:00', '2026-11-20T09:34:00', 7).map(({ day, label }) => [day, label])).toEqual([['2026-11-20T09:30:00', '09:30']]);
  });
});

test('trade labels do not overlap', () => {
  const words = 'You bought 100 at 34.70';
  const placed = placedMarks([{ x: 5, words }, { x: 100, words }, { x: 400, words }, { x: 795, words }], 800);
  expect(placed.map(({ label, anchor }) => [label !== null, anchor])).toEqual([[true, 'start'], [false, 'middle'], [true, 'middle'], [true, 'end']]);
});
