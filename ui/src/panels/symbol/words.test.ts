import { expect, test } from 'vitest';

import type { KeyFigure } from './answers';
import type { Chart } from './series';
import { copiedFigures, dayReading, figureText, readText, scaleText, settingsLabel, shortDay, spokenChart, suggestionsIn, tradeParts, tradeText, whenText } from './words';

const figure = (value: string | null, unit: string, more: Partial<KeyFigure> = {}): KeyFigure => ({ key: 'k', name: 'Free float', value, unit, how: 'SEC, 6-K', day: '2026-09-30', newer: null, missing: null, remedy: null, ...more });

test('amounts from a million on are cut to four digits', () => {
  const text = (value: string, unit = 'EUR') => figureText(figure(value, unit));
  expect(['1920000000', '1148000000', '999999', '1000000', '-2500000.75', '999999999999', '12345678901234'].map((value) => text(value))).toEqual([
    '1.92 bn EUR', '1.148 bn EUR', '999,999 EUR', '1 m EUR', '−2.5 m EUR', '1,000 bn EUR', '12.35 tn EUR',
  ]);
  expect([text('3.70'), text('17.8', 'percent'), text('11.4', 'ratio'), text('about 3'), figureText(figure(null, 'percent'))]).toEqual(['3.70 EUR', '17.8 %', '11.4', 'about 3 EUR', 'unknown']);
});

test('figures are copied unrounded, each with source and day', () => {
  const figures = [figure('1148000000.50', 'EUR', { name: 'Revenue' }), figure(null, 'percent', { missing: 'Finnhub, needs a key' })];
  expect(copiedFigures('NGTL', figures)).toBe('NGTL\nRevenue: 1148000000.50 EUR (SEC, 6-K, 2026-09-30)\nFree float: unknown (Finnhub, needs a key)');
});

test('days in another year include it', () => {
  expect(whenText('2026-11-20', '2026-11-27')).toBe('Fri 20 Nov');
  expect(whenText('2025-12-31', '2026-11-27')).toBe('31 Dec 2025');
  expect(whenText(new Date('2026-11-27T17:35:00').toISOString(), '2026-11-27')).toBe('17:35');
  expect(whenText('soon', '2026-11-27')).toBe('soon');
  expect(shortDay('2026-11-20', '2026-11-27')).toBe('20 Nov');
});

const trade = { path: 't.md', kind: 'buy', day: '2026-11-20', quantity: '1200', price: '34.70', currency: 'EUR' };

test('trades are worded naturally', () => {
  expect(tradeText(trade)).toBe('You bought 1,200 at 34.70');
  expect(tradeText({ ...trade, kind: 'sell', price: null })).toBe('You sold 1,200');
  const parts = ['buy', 'dividend', 'fee'].map((kind) => tradeParts({ ...trade, kind }));
  expect(parts.map(({ word, rest }) => word + rest)).toEqual(['Bought 1,200 at 34.70', 'Dividend, 1,200 × 34.70', 'Fee']);
  expect(tradeParts({ ...trade, kind: 'split', quantity: '2 for 1', price: null })).toEqual({ word: 'Split', rest: ', 2 for 1' });
});

const chart: Chart = {
  scale: 'price',
  currency: 'EUR',
  lines: [
    { symbol: 'NGTL', isAverage: false, place: 0, points: [{ day: '2026-11-18', value: 43.1, text: '43.10' }, { day: '2026-11-20', value: 42.18, text: '42.18' }] },
    { symbol: 'NGTL', isAverage: true, place: 0, points: [{ day: '2026-11-20', value: 40.02, text: '40.02' }] },
  ],
  volumes: [{ day: '2026-11-20', volume: 120_400 }],
  trades: [{ day: '2026-11-20', value: 42.18, trade }],
  days: ['2026-11-18', '2026-11-20'],
  carriedTo: null,
  averageMissing: false,
  averageDays: 50,
  source: 'Stooq',
  zone: null,
};

test('a day is read out with everything drawn for it', () => {
  expect(dayReading(chart, '2026-11-20', '2026-11-27')).toBe('Fri 20 Nov: NGTL 42.18 EUR, NGTL average 40.02, volume 120,400. You bought 1,200 at 34.70');
  expect(dayReading(chart, '2026-11-18', '2026-11-27')).toBe('Wed 18 Nov: NGTL 43.10 EUR, NGTL average no close');
  expect(dayReading({ ...chart, scale: 'percent', lines: chart.lines.slice(0, 1) }, '2026-11-20', '2026-11-27')).toContain('NGTL +42.18 %');
});

test('the chart is described by its range and its ends', () => {
  expect(spokenChart(chart)).toBe('Closes in EUR, from 18 Nov 2026 to 20 Nov 2026. NGTL: lowest 42.18, highest 43.10, at the end 42.18; NGTL average of 50 days: lowest 40.02, highest 40.02, at the end 40.02');
  const scale = (more: Partial<Chart>) => scaleText({ ...chart, ...more }, '2026-11-27');
  expect(scale({})).toBe('EUR since 18 Nov 2026, closes from Stooq');
  expect(scale({ scale: 'percent', source: null })).toBe('Percent since 18 Nov 2026');
  expect(scale({ averageMissing: true, source: null })).toBe('EUR since 18 Nov 2026, no average: days are missing');
});

test('a chart of one day has times, with their zone', () => {
  const [opened, closed] = ['2026-11-20T09:30:00', '2026-11-20T15:58:43'];
  const points = [{ day: opened, value: 41.9, text: '41.90' }, { day: closed, value: 42.18, text: '42.18' }];
  const day: Chart = { ...chart, lines: [{ symbol: 'NGTL', isAverage: false, place: 0, points }], volumes: [{ day: closed, volume: 900 }], trades: [], days: [opened, closed], source: 'Yahoo', zone: 'America/New_York' };
  expect(scaleText(day, '2026-11-21')).toBe('EUR on Fri 20 Nov until 15:58, New York time, prices from Yahoo');
  expect(scaleText({ ...day, zone: 'UTC-05:00', source: null }, '2026-11-21')).toBe('EUR on Fri 20 Nov until 15:58, UTC-05:00');
  expect(dayReading(day, closed, '2026-11-21')).toBe('15:58: NGTL 42.18 EUR, volume 900');
  expect(spokenChart(day)).toBe('Prices in EUR on 20 Nov 2026, from 09:30 to 15:58, New York time. NGTL: lowest 41.90, highest 42.18, at the end 42.18');
});

test('only suggestions are extracted', () => {
  expect(suggestionsIn('Did you mean NGTL.DE?')).toEqual([{ symbol: 'NGTL.DE', about: '' }]);
  expect(suggestionsIn('Did you mean NGTL (Northgate Tooling, XETRA), NGT (Northgate (Transport), NYSE), NG?')).toEqual([
    { symbol: 'NGTL', about: 'Northgate Tooling, XETRA' },
    { symbol: 'NGT', about: 'Northgate (Transport), NYSE' },
    { symbol: 'NG', about: '' },
  ]);
  expect(suggestionsIn('Did you mean something else entirely?')).toEqual([]);
  expect(suggestionsIn('Check the spelling.')).toEqual([]);
});

test('settings are offered only if they help', () => {
  expect(['Finnhub, needs a key', 'It needs a feed: name one in Settings.', 'Turkey has no filings'].map(settingsLabel)).toEqual(['Add key', 'Settings', null]);
});

test('an answer names each host once', () => {
  const web = (url: string) => ({ kind: 'web' as const, url, at: '2026-11-20' });
  const at = new Date('2026-11-20T14:31:00').toISOString();
  expect(readText([web('https://data.sec.gov/a'), web('https://www.sec.gov/b'), { kind: 'note', path: 'a.md' }, web('not an address')], at, '2026-11-20')).toBe('sec.gov, read 14:31');
  expect(readText([], at, '2026-11-27')).toBe('read Fri 20 Nov');
});
