import { expect, test } from 'vitest';

import type { JsonValue } from '../../ipc';
import { candidatesIn, filingsIn, keyFiguresIn, movedIn, newsIn, quoteIn } from './answers';
import { holdingIn, mentionsIn, tradesIn, watchedIn } from './notes';

test('a price is parsed with its closes', () => {
  const quote = quoteIn({
    symbol: 'NGTL', name: null, exchange: 'XETR', currency: 'EUR', price: '42.18', price_at: '2026-11-20', price_source: 'Stooq', stale: 'old', is_close: true,
    day_change: '-0.84', year_change: null, year_high: '43.10', year_low: 'n/a', closes_source: 'Stooq', closes_to: '2026-11-20',
    points: [{ date: '2026-11-19', close: '41.80', volume: 900 }, { date: '2026-11-20', close: '42.18', volume: null }, { date: 'yesterday', close: '1' }, { date: '2026-11-18', close: 'n/a' }, 7],
  });
  expect(quote).toMatchObject({ symbol: 'NGTL', name: null, price: '42.18', stale: 'old', isClose: true, dayChange: '-0.84', yearChange: null, yearHigh: '43.10', yearLow: null });
  expect(quote?.closes).toEqual([{ day: '2026-11-19', close: '41.80', volume: 900 }, { day: '2026-11-20', close: '42.18', volume: null }]);
});

test('prices within a day have the time of the exchange', () => {
  const point = (time: string, price: string, volume: JsonValue = null): JsonValue => ({ time, price, volume });
  const points = [point('2026-11-20T09:30:00-05:00', '41.90', 12_000), point('2026-11-20T09:35:00-05:00', 'n/a'), point('09:40', '42.01'), point('2026-11-20T15:58:43-05:00', '42.18', -1), 7];
  const read = (intraday: JsonValue) => quoteIn({ symbol: 'NGTL', price: '42.18', intraday })?.intraday;
  expect(read({ source: 'Yahoo', zone: 'America/New_York', points })).toEqual({
    source: 'Yahoo', zone: 'America/New_York',
    prices: [{ day: '2026-11-20T09:30:00', close: '41.90', volume: 12_000 }, { day: '2026-11-20T15:58:43', close: '42.18', volume: null }],
  });
  expect([read(null), read('none'), read({ source: 'Yahoo' })]).toEqual([null, null, { source: 'Yahoo', zone: '', prices: [] }]);
});

test('output without a price is null', () => {
  expect([quoteIn(null), quoteIn('NGTL'), quoteIn({ symbol: 'NGTL', price: null }), quoteIn({ symbol: 'NGTL', price: '<b>' })]).toEqual([null, null, null, null]);
  expect([movedIn(null), keyFiguresIn({ figures: 'none' }), candidatesIn({ found: [{ name: 'x' }] }), filingsIn(undefined).items, newsIn({}).items]).toEqual([[], [], [], [], []]);
});

test('a missing figure stays in the list', () => {
  expect(keyFiguresIn({ figures: [{ key: 'float', name: 'Free float', value: null, unit: 'percent', how: '', date: null, missing: 'Finnhub, needs a key', remedy: 'Add it.' }] })).toEqual([
    { key: 'float', name: 'Free float', value: null, unit: 'percent', how: '', day: null, newer: null, missing: 'Finnhub, needs a key', remedy: 'Add it.' },
  ]);
});

test('a list is never longer than its count', () => {
  expect(filingsIn({ count: 38, filings: [{ form: '6-K', title: 'Q3', date: '2026-11-05', url: 'https://sec.example' }] }).total).toBe(38);
  expect(newsIn({ count: 0, news: [{ title: 'a' }, { title: 'b' }] }).total).toBe(2);
});

test('the position is found by its symbol, with its index', () => {
  const positions: JsonValue = { positions: [{ symbol: 'BWOP' }, { symbol: 'NGTL', quantity: '300', path: null, currency: 'EUR' }] };
  expect(holdingIn(positions, 'ngtl')).toMatchObject({ place: 1, quantity: '300', path: null, gain: null });
  expect(holdingIn(positions, 'SLVN')).toBeNull();
  expect(tradesIn({ trades: [{ kind: 'split', date: '2026-01-02', quantity: '2 for 1', price: null, currency: 'EUR', path: 'a.md' }] })[0]).toMatchObject({ quantity: '2 for 1', price: null });
  expect(watchedIn({ watched: [{ symbol: 'BWOP', target: '105', target_currency: 'EUR', path: 'w.md' }] })).toEqual([{ symbol: 'BWOP', target: '105', currency: 'EUR', path: 'w.md' }]);
});

test('mentions exclude trades, and notes of another name', () => {
  const links = (path: string): JsonValue => ({ path, back: [{ path: 'Ideas.md', line: 3, text: ' - [ ] [[NGTL]] again ', kind: 'wikilink' }, { path: 'trade.md', line: 1, text: '' }] });
  const of = { symbol: 'NGTL', note: 'Portfolio/Positions/NGTL.md', others: ['trade.md'] };
  expect(mentionsIn(links('Portfolio/Positions/NGTL.md'), of)).toEqual([{ path: 'Ideas.md', line: 3, text: '[[NGTL]] again' }]);
  expect(mentionsIn(links('Animals/Cat.md'), { ...of, symbol: 'CAT', note: null })).toEqual([]);
  expect(mentionsIn(links('Stocks/CAT.md'), { ...of, symbol: 'CAT', note: null })).toHaveLength(1);
  expect(mentionsIn(null, of)).toEqual([]);
});
