// The sample's screens, hits and back-test, with the figures of the screenshots; all invented.

import type { JsonValue, Params, Result } from '../../ipc';
import { answer, panelOf } from '../panels';
import { day } from './time';

export const screenerPanel = panelOf('screener', 'Screener', [{ parts: [{ kind: 'screener', tool: 'list_screens', args: {} }] }], { icon: 'filter' });

type Row = Record<string, JsonValue>;

const field = (key: string, name: string, unit: string, needs: string, example: string): Row => ({ key, name, unit, needs, example });
const fields: Row[] = [
  field('market_value', 'Market value', 'currency', 'reports', 'market_value between 0.5 bn and 5 bn'),
  field('price_to_earnings', 'Price ÷ earnings', 'ratio', 'reports', 'price_to_earnings < 18'),
  field('growth_3y', 'Growth, 3 y', 'percent', 'reports', 'growth_3y > 10 %'),
  field('net_debt_to_ebitda', 'Net debt ÷ EBITDA', 'ratio', 'reports', 'net_debt_to_ebitda < 2'),
  field('operating_margin', 'Operating margin', 'percent', 'reports', 'operating_margin > 12 %'),
  field('daily_volume', 'Daily volume', 'shares', 'closes', 'daily_volume > 50000'),
  field('return_6m', 'Return, 6 m', 'percent', 'closes', 'return_6m > 5 %'),
];

const condition = (text: string, name: string, operator: string, ...values: string[]): Row => ({ text, field: name, operator, values, problem: null });
const line = (text: string): Row => ({ text, field: null, operator: null, values: [], problem: null });
export const midCap: Row = {
  name: 'Mid-cap value',
  path: 'Screens/Mid-cap value.md',
  universe: 'Europe mid caps',
  conditions: [
    condition('market_value between 0.5 bn and 5 bn', 'market_value', 'between', '0.5 bn', '5 bn'),
    condition('price_to_earnings < 18', 'price_to_earnings', 'below', '18'),
    condition('growth_3y > 10 %', 'growth_3y', 'above', '10 %'),
    condition('net_debt_to_ebitda < 2', 'net_debt_to_ebitda', 'below', '2'),
    condition('daily_volume > 50000', 'daily_volume', 'above', '50000'),
  ],
  missing: 'leave_out',
  score: [
    { text: 'low price_to_earnings 50 %', field: 'price_to_earnings', prefer: 'low', weight: '50' },
    { text: 'high growth_3y 50 %', field: 'growth_3y', prefer: 'high', weight: '50' },
  ],
  last: { hits: 11, at: '2026-11-23T09:12:00Z' },
  problems: [],
};

const screen = (name: string, hits: number, at: string, conditions: readonly Row[], more: Row = {}): Row => ({
  name, path: `Screens/${name}.md`, universe: 'Europe mid caps', conditions: [...conditions], missing: 'leave_out', score: [], last: { hits, at }, problems: [], ...more,
});
export const screens: Row = {
  screens: [
    midCap,
    screen('Dividend growers', 14, '2026-11-16T08:00:00Z', [line('close > sma(close, 200)'), condition('operating_margin > 12 %', 'operating_margin', 'above', '12 %')]),
    screen('Low debt, high margin', 6, '2026-11-02T08:00:00Z', [condition('net_debt_to_ebitda < 1', 'net_debt_to_ebitda', 'below', '1')]),
    screen('Watchlist near target', 2, '2026-11-20T08:00:00Z', [line('close < 1.05 * target')], { universe: 'Watchlist' }),
  ],
  strategies: [{ name: 'Buy strength', path: 'Strategies/Buy strength.md', screen: null, problems: [] }],
  fields,
};

export const universes: Row = {
  universes: [
    { name: 'Europe mid caps', path: 'Universes/Europe.md', count: 1200, day: '2026-09-30', kind: 'note' },
    { name: 'Positions', path: null, count: 7, day: null, kind: 'positions' },
    { name: 'Watchlist', path: 'Portfolio/Watchlist.md', count: 3, day: null, kind: 'watchlist' },
    { name: 'SEC filers', path: null, count: 7989, day: '2026-11-19', kind: 'filers' },
  ],
};

const wobble = (at: number, seed: number) => Math.sin(at / 3 + seed * 7) + Math.sin(at / 1.3 + seed * 3) * 0.7;
const spark = (seed: number, slope: number) => Array.from({ length: 32 }, (_, at) => Number((20 + at * slope + wobble(at, seed)).toFixed(2)));

const hit = (symbol: string, name: string, price: string, slope: number, earnings: string, growth: string, score: string, more: Row = {}): Row => ({
  symbol, name, price, currency: 'EUR', date: day, score, values: [earnings, growth], spark: spark(Number(score), slope), held: false, old: false, unknown: [], ...more,
});
const hits: Row[] = [
  hit('NGTL', 'Northgate Tooling', '42.18', 0.2, '11.4', '14.2', '87', { held: true }),
  hit('BWOP', 'Brightwater Optics', '118.60', 0.22, '16.9', '21.7', '84', { held: true, parts: [{ name: 'value', points: '40' }, { name: 'growth', points: '44' }] }),
  hit('KSTL', 'Kestral Pumps', '23.05', 0.12, '9.8', '11.6', '81'),
  hit('ALDT', 'Aldermoor Tools', '64.40', 0.12, '13.1', '15.0', '79'),
  hit('SLVN', 'Solvane Energy', '54.90', 0.1, '12.7', '13.3', '77', { held: true }),
  hit('OSTM', 'Ostmark Glass', '17.62', -0.1, '10.5', '10.9', '74'),
  hit('PELM', 'Pelmar Foods', '38.75', 0.02, '14.8', '12.4', '71'),
  hit('GRDN', 'Gardane Rail', '91.20', 0.14, '15.6', '12.1', '70'),
  hit('VRNE', 'Varnholt Energy', '29.34', -0.08, '17.2', '10.3', '66'),
];

const named = fields.map((one) => ({ text: one['key'] as string, name: one['name'] as string }));
const scanOf = (scanned: number, of: readonly Row[]): Row => ({
  screen: 'Mid-cap value',
  universe: { name: 'Europe mid caps', count: 1200, day: '2026-09-30', path: 'Universes/Europe.md' },
  scanned,
  of: 1200,
  conditions: (midCap['conditions'] as Row[]).map((one) => ({ text: one['text'] as string, name: named.find(({ text }) => text === one['field'])?.name ?? '' })),
  columns: [{ key: 'price_to_earnings', name: 'P/E', unit: 'ratio' }, { key: 'growth_3y', name: 'Growth, 3 y', unit: 'percent' }],
  hits: [...of],
  found: of.length,
  left_out: Array.from({ length: 21 }, (_, at) => ({ symbol: `LFT${String.fromCharCode(65 + at)}`, missing: ['Net debt ÷ EBITDA'] })),
  unanswered: ['HLMR', 'TRVN', 'ESKA'].map((symbol) => ({ symbol, reason: 'Stooq did not answer in 10 s' })),
  closest: null,
  asks: ['Stooq'],
  problems: [],
});
/** A scan in progress, and its end. */
export const partialScan = scanOf(412, hits);
export const wholeScan = scanOf(1200, [...hits, hit('TRLL', 'Trellan Foods', '12.40', 0.05, '17.8', '10.1', '61')]);

const checked = (text: string, name: string, value: string, unit: string, limit: string, source: string, date: string | null, old = false): Row => ({ text, name, holds: true, value, unit, limit, source, date, old, reason: null });
export const explanation: Row = {
  symbol: 'BWOP',
  name: 'Brightwater Optics',
  hit: true,
  conditions: [
    checked('market_value between 0.5 bn and 5 bn', 'Market value', '1400000000', 'currency', '0.5 to 5 bn', 'Stooq × SEC', day),
    checked('price_to_earnings < 18', 'Price ÷ earnings', '16.9', 'ratio', 'below 18', 'Stooq, SEC', '2026-09-30'),
    checked('growth_3y > 10 %', 'Growth, 3 y', '21.7', 'percent', 'above 10 %', 'SEC', '2026-09-30'),
    checked('net_debt_to_ebitda < 2', 'Net debt ÷ EBITDA', '1.8', 'ratio', 'below 2', 'SEC', '2025-12-31', true),
    checked('daily_volume > 50000', 'Daily volume', '71400', 'shares', 'above 50,000', 'Stooq, 30 days', null),
  ],
  nearest: { condition: 3, limit: '1.5' },
};

/** A point every ten days from 2016 on. */
function curve(): Row[] {
  const points: Row[] = [];
  let [high, other] = [0, 0];
  for (let at = 0; at <= 394; at += 1) {
    const years = at / 36.5;
    const dip = (from: number, deep: number, long: number) => (years > from && years < from + long ? -deep * Math.sin((Math.PI * (years - from)) / long) : 0);
    const value = 10_000 * Math.exp(years * 0.0938 + dip(4.15, 0.33, 0.8) + dip(6.2, 0.2, 1.8) + wobble(at, 2) * 0.008) * (at === 394 ? 0.997 : 1);
    const benchmark = 10_000 * Math.exp(years * 0.0687 + dip(4.15, 0.3, 0.9) + dip(6.2, 0.17, 2) + wobble(at, 5) * 0.008);
    high = Math.max(high, value);
    other = Math.max(other, benchmark);
    const date = new Date(Date.UTC(2016, 0, 4 + at * 10)).toISOString().slice(0, 10);
    points.push({ date, value: value.toFixed(2), benchmark: benchmark.toFixed(2), fall: ((value / high - 1) * 100).toFixed(1), benchmark_fall: ((benchmark / other - 1) * 100).toFixed(1) });
  }
  return points;
}

const trade = (symbol: string, bought: string, sold: string | null, result: string): Row => ({ symbol, bought, sold, quantity: '24', result, gain: '120.40' });
const statistic = (name: string, value: string, unit: string): Row => ({ key: name.toLowerCase(), name, value, unit });
export const backTest: Row = {
  strategy: 'Mid-cap value',
  universe: { name: 'Europe mid caps', count: 1200, day: '2026-09-30' },
  from: '2016-01-04',
  to: '2026-10-18',
  currency: 'EUR',
  rules: [{ name: 'Rebalanced', value: 'Monthly' }, { name: 'Filled', value: 'at the next open' }, { name: 'Cost', value: '0.15 % a trade' }],
  total_return: '175.4',
  benchmark_total_return: '110.2',
  yearly_return: '9.8',
  benchmark_yearly_return: '7.1',
  deepest_fall: '-27.4',
  deepest_fall_from: '2020-02-17',
  deepest_fall_to: '2020-06-08',
  end: '27540.20',
  benchmark_end: '21020.80',
  cash: '10000',
  trades_count: 214,
  statistics: [
    statistic('Volatility', '14.2', 'percent'),
    statistic('Average hold', '7.1', 'months'),
    statistic('Trades won', '58', 'percent'),
    statistic('Costs paid', '1906', 'currency'),
    statistic('Best year', '31.0', 'percent'),
    statistic('Worst year', '-18.2', 'percent'),
  ],
  curve: curve(),
  trades: [
    trade('GRDN', '2025-11-03', '2026-10-01', '18.4'),
    trade('OSTM', '2026-02-02', '2026-10-01', '-6.1'),
    trade('KSTL', '2025-09-01', '2026-07-01', '27.9'),
    trade('PELM', '2025-03-03', '2026-07-01', '9.2'),
    trade('NGTL', '2025-03-03', null, '41.0'),
  ],
  halves: null,
  unknown: [
    'Failed and bought companies: the list is today’s, so this looks too good.',
    'Publication days: 38 companies give none, 60 days are added.',
    'Your fills: every trade is at the next open, any size, 0.15 % cost.',
    'Your taxes, and whether these years will repeat.',
  ],
  at: '2026-11-23T14:12:00Z',
  sources: ['Stooq', 'SEC'],
  unanswered: [],
};

export const proposals: Row = {
  strategy: 'Mid-cap value',
  proposals: [
    { action: 'buy', symbol: 'KSTL', quantity: '43', price: '23.05', currency: 'EUR', amount: '991.15', reason: 'New among the ten best', date: day },
    { action: 'sell', symbol: 'SLVN', quantity: '18', price: '54.90', currency: 'EUR', amount: '988.20', reason: 'Growth fell below 10 %', date: day },
  ],
  unknown: ['Sizes are of the cash that your notes name.'],
};

/** The output of the screener's tools; nothing for other tools. */
export function screenerAnswer({ tool, args }: Params<'call_tool'>): Result<'call_tool'> | null {
  switch (tool) {
    case 'screener.list_screens':
      return answer(screens);
    case 'screener.universes':
      return answer(universes);
    case 'screener.scan_universe':
      return answer(wholeScan);
    case 'screener.explain_hit':
      return answer({ ...explanation, symbol: (args as Row)['symbol'] ?? '' });
    case 'screener.save_screen':
      return answer({ path: `Screens/${String((args as Row)['name'])}.md` });
    case 'screener.backtest':
      return answer(backTest);
    case 'screener.find_trades':
      return answer(proposals);
    default:
      return null;
  }
}
