// The sample's symbol, with the figures of the screenshots; all invented.

import type { JsonValue, Params, Result } from '../../ipc';
import { answer, panelOf } from '../panels';
import { day } from './time';

export const symbolPanel = panelOf('lookup', 'Lookup', [{ parts: [{ kind: 'symbol', tool: 'pull_up_symbol', args: {} }] }], { icon: 'lookup' });

type Row = Record<string, JsonValue>;

/** The last `count` weekdays up to 20 November 2026. */
function tradingDays(count: number): string[] {
  const days: string[] = [];
  for (let back = 0; days.length < count; back += 1) {
    const date = new Date(Date.UTC(2026, 10, 20 - back));
    if (date.getUTCDay() % 6 !== 0) days.push(date.toISOString().slice(0, 10));
  }
  return days.reverse();
}

const wobble = (at: number, seed: number) => Math.sin(at / 5 + seed) * 0.9 + Math.sin(at / 2.3 + seed * 3) * 0.5 + Math.cos(at / 17 + seed) * 1.1;

/** Two years of closes; the last one is 42.18. */
export const points: Row[] = tradingDays(520).map((date, at) => {
  const close = at === 519 ? '42.18' : (24 + at / 32 + wobble(at, 1)).toFixed(2);
  return { date, close, volume: 60_000 + Math.round((1 + Math.sin(at * 7.3)) * 40_000) };
});

/** Every five minutes of 20 November 2026 in Frankfurt; the last price is 42.18. */
const minutes: Row[] = Array.from({ length: 103 }, (_, at) => {
  const time = `${String(9 + Math.floor(at / 12)).padStart(2, '0')}:${String((at % 12) * 5).padStart(2, '0')}`;
  const price = at === 102 ? '42.18' : (41.9 + at / 500 + wobble(at, 2) / 12).toFixed(2);
  return { time: `${day}T${time}:00+01:00`, price, volume: 400 + Math.round((1 + Math.sin(at * 7.3)) * 900) };
});

export const quote: Row = {
  symbol: 'NGTL',
  name: 'Northgate Tooling',
  exchange: 'XETR',
  currency: 'EUR',
  price: '42.18',
  price_at: day,
  price_source: 'Stooq',
  stale: null,
  is_close: true,
  day_change: '0.84',
  year_change: '31.4',
  year_high: '43.10',
  year_low: '29.80',
  closes_source: 'Stooq',
  closes_from: '2024-11-25',
  closes_to: day,
  points,
  problems: [{ path: null, line: null, problem: 'Finnhub has today’s price and needs a key', remedy: 'Add the key of Finnhub.' }],
};

const key = (name: string, value: string | null, unit: string, how: string, date: string | null, more: Row = {}): Row => ({ key: name.toLowerCase(), name, value, unit, how, date, newer: null, missing: null, remedy: null, ...more });

export const fundamentals: Row = {
  symbol: 'NGTL',
  name: 'Northgate Tooling',
  url: 'https://www.sec.gov/cgi-bin/browse-edgar?CIK=ngtl',
  figures: [
    key('Market value', '1920000000', 'EUR', 'Shares from SEC × close', day),
    key('Price ÷ earnings', '11.4', 'ratio', 'Close ÷ earnings', day),
    key('Earnings per share, 12 m', '3.70', 'EUR', 'SEC, 6-K', '2026-09-30'),
    key('Revenue, 12 m', '1148000000', 'EUR', 'SEC, 6-K', '2026-09-30'),
    key('Operating margin', '17.8', 'percent', 'SEC, 6-K', '2026-09-30'),
    key('Net debt ÷ EBITDA', '0.9', 'ratio', 'SEC, 20-F', '2025-12-31', { newer: '2026-09-30' }),
    key('Free float', null, 'percent', '', null, { missing: 'Finnhub, needs a key', remedy: 'Add the key of Finnhub.' }),
  ],
};

const filing = (form: string, title: string, date: string): Row => ({ form, title, date, url: `https://www.sec.gov/Archives/${date}.htm` });
export const filings: Row = {
  symbol: 'NGTL',
  name: 'Northgate Tooling',
  count: 38,
  filings: [
    filing('6-K', 'Third quarter 2026', '2026-11-05'),
    filing('6-K', 'Share purchase by a director', '2026-09-14'),
    filing('20-F', 'Annual report 2025', '2026-03-26'),
    filing('6-K', 'Dividend proposal', '2026-02-19'),
    filing('6-K', 'Third quarter 2025', '2025-11-06'),
  ],
};

const item = (title: string, source: string, date: string): Row => ({ title, url: `https://news.example/${date}`, source, date });
export const news: Row = {
  count: 4,
  news: [
    item('Northgate raises its outlook', 'Tool Trade Weekly', '2026-11-19'),
    item('Mid caps: five names with little debt', 'Ledger Post', '2026-11-17'),
    item('Solvane orders 40 presses', 'Tool Trade Weekly', '2026-11-03'),
    item('Northgate opens a second plant', 'Ledger Post', '2026-10-20'),
  ],
  problems: [],
};

/** In percent of the first close in the range. */
export function compared(symbols: readonly string[]): Row {
  const year = points.slice(-262);
  const from = Number(year[0]?.['close']);
  const own = year.map((point) => ({ date: point['date'] ?? '', change: ((Number(point['close']) / from - 1) * 100).toFixed(1) }));
  const other = (seed: number) => year.map((point, at) => ({ date: point['date'] ?? '', change: ((at / 262) * 12.6 + wobble(at, seed) * 2 - wobble(0, seed) * 2).toFixed(1) }));
  const row = (symbol: string, seed: number): Row => {
    const changes = symbol === 'NGTL' ? own : other(seed);
    return { symbol, name: null, currency: 'EUR', change: changes.at(-1)?.change ?? null, points: changes };
  };
  return { range: '1y', from: year[0]?.['date'] ?? '', to: day, symbols: symbols.map(row), problems: [] };
}

export const symbolPosition: Row = {
  symbol: 'NGTL', name: 'Northgate Tooling', currency: 'EUR', quantity: '300', value: '12654.00', cost: '9450.00', average_cost: '31.50', gain: '3204.00', gain_percent: '33.9', share: '18.3', trades: 3, path: 'Portfolio/Positions/NGTL.md',
};

const trade = (kind: string, date: string, quantity: string, price: string): Row => ({ kind, date, symbol: 'NGTL', name: 'Northgate Tooling', quantity, price, fee: '0', amount: null, currency: 'EUR', path: `Portfolio/Trades/${date} NGTL ${kind}.md` });
export const symbolTrades: Row[] = [trade('dividend', '2026-05-18', '300', '0.80'), trade('buy', '2026-02-09', '100', '34.70'), trade('buy', '2025-03-12', '200', '29.90')];

const back = (path: string, line: number, text: string): Row => ({ path, line, text, kind: 'wikilink' });
export const symbolLinks: Row = {
  path: 'Portfolio/Positions/NGTL.md',
  out: [],
  unresolved: [],
  back: [
    back('Research/Mid-cap ideas.md', 12, '- [[NGTL]] keeps its margin even with higher steel prices'),
    back('Daily/2026-11-05.md', 4, 'Read the third quarter of [[NGTL]]'),
    back('Portfolio/Trades/2026-02-09 NGTL buy.md', 3, 'symbol: "[[NGTL]]"'),
  ],
};

/** The output about the symbol of Lookup's and other skills' tools; nothing for other tools. */
export function symbolAnswer({ tool, args }: Params<'call_tool'>): Result<'call_tool'> | null {
  const { symbols = [], points: drawn, range } = args as { symbols?: string[]; points?: boolean; range?: string };
  switch (tool) {
    case 'lookup.pull_up_symbol':
      return answer(range === '1d' ? { ...quote, points: [], intraday: { source: 'Yahoo', zone: 'Europe/Berlin', points: minutes } } : quote);
    case 'lookup.fundamentals':
      return answer(fundamentals);
    case 'lookup.filings':
      return answer(filings);
    case 'lookup.news':
      return answer(news);
    case 'lookup.compare':
      return answer(compared(drawn === true ? symbols : []));
    case 'lookup.search_symbol':
      return answer({
        found: [
          { symbol: 'NGTL.DE', name: 'Northgate Tooling', exchange: 'Xetra', currency: 'EUR', kind: 'share', source: 'Yahoo' },
          { symbol: 'NGT', name: 'Northgate Transport', exchange: 'NYSE', currency: 'USD', kind: 'share', source: 'Yahoo' },
        ],
      });
    case 'portfolio.list_trades':
      return answer({ trades: symbolTrades, problems: [], unreadable: [] });
    case 'vault.links':
      return answer(symbolLinks);
    default:
      return null;
  }
}
