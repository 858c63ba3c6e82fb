// The panel of the sample's portfolio, with the positions of the screenshots; all invented.

import type { JsonValue, PanelView, Params, Result } from '../../ipc';
import { answer, figure, figurePart, panelOf } from '../panels';

export const portfolioPanel: PanelView = panelOf('portfolio', 'Portfolio', [
  {
    title: 'Positions',
    count: { tool: 'positions', at: '/positions' },
    inputs: [
      {
        name: 'by',
        label: 'Allocation',
        kind: 'choice',
        default: 'position',
        choices: [
          { value: 'position', label: 'by position' },
          { value: 'currency', label: 'by currency' },
        ],
      },
    ],
    actions: [
      { label: 'Fetch quotes', icon: 'refresh', tool: 'quote' },
      { label: 'Add trade', icon: 'plus', tool: 'add_trade', ask: true },
    ],
    parts: [
      {
        kind: 'summary',
        tool: 'value',
        items: [
          { label: 'Value with cash', at: '/value', format: 'money', unit: '/currency' },
          { label: 'Unrealised gain', at: '/gain', format: 'gain', unit: '/currency' },
          { label: 'Realised, 2026', at: '/realised', format: 'gain', unit: '/currency' },
          { label: 'Dividends, 2026', at: '/income', format: 'money', unit: '/currency' },
        ],
      },
      {
        kind: 'chart',
        tool: 'history',
        title: 'Value',
        shape: 'line',
        rows: '/points',
        x: 'date',
        unit: '/currency',
        dashed: 'carried',
        series: [{ field: 'value', label: 'Value', format: 'money' }],
      },
      {
        kind: 'chart',
        tool: 'allocation',
        args: { by: '{by}' },
        place: 'beside',
        title: 'Allocation',
        shape: 'bars',
        rows: '/shares',
        x: 'label',
        series: [{ field: 'share', label: 'Share', format: 'percent' }],
      },
      {
        kind: 'table',
        tool: 'positions',
        rows: '/positions',
        sort: '-value',
        total: '/total',
        columns: [
          { field: 'symbol', label: 'Position', detail: 'name' },
          { field: 'quantity', label: 'Quantity', format: 'number' },
          { field: 'price', label: 'Price', format: 'money', unit: 'currency' },
          { field: 'price_at', label: 'As of', format: 'age' },
          { field: 'day', label: 'Day', format: 'change' },
          { field: 'value', label: 'Value', format: 'money', unit: 'currency' },
          { field: 'cost', roomy: true, label: 'Cost', format: 'money', unit: 'currency' },
          { field: 'gain', label: 'Gain', format: 'gain', unit: 'currency' },
          { field: 'gain_percent', label: 'Gain %', format: 'change' },
          { field: 'share', label: 'Share', format: 'percent' },
        ],
      },
    ],
  },
  {
    title: 'Watchlist',
    count: { tool: 'watchlist', at: '/watched' },
    actions: [{ label: 'Watch', icon: 'plus', tool: 'watch', ask: true }],
    parts: [
      {
        kind: 'table',
        tool: 'watchlist',
        rows: '/watched',
        columns: [
          { field: 'symbol', label: 'Symbol' },
          { field: 'target', label: 'Target', format: 'money', unit: 'currency' },
        ],
        empty: { text: 'Nothing is watched yet.', action: { label: 'Watch', tool: 'watch', ask: true } },
      },
    ],
  },
]);

const position = (line: string) => {
  const [symbol = '', name = '', quantity = '', price = '', price_at = '', stale = '', day = '', value = '', cost = '', gain = '', percent = '', share = ''] = line.split('|');
  return {
    symbol,
    name,
    currency: 'EUR',
    quantity,
    price,
    price_at,
    stale: stale === '' ? null : stale,
    day: day === '' ? null : day,
    value,
    cost,
    average_cost: (Number(cost) / Number(quantity)).toFixed(2),
    gain,
    gain_percent: percent,
    share,
    path: `Portfolio/Positions/${symbol}.md`,
  };
};

const closed = new Date('2026-11-20T17:35:00').toISOString();
const positions = [
  `NGTL|Northgate Tooling|300|42.18|${closed}||0.84|12654.00|9450.00|3204.00|33.9|18.3`,
  'PNCR|Pinecrest Clinics|60|203.10|2026-11-18|old||12186.00|11304.00|882.00|7.8|17.6',
  `BWOP|Brightwater Optics|85|118.60|${closed}||-0.42|10081.00|8177.00|1904.00|23.3|14.6`,
  `SLVN|Solvane Energy|150|54.90|${closed}||1.12|8235.00|7200.00|1035.00|14.4|11.9`,
  `FRNH|Fernhill Dairy|640|11.42|${closed}||0.18|7308.80|6304.00|1004.80|15.9|10.6`,
  'TSRB|Tessel Robotics|95|71.25|2026-11-12|very_old||6768.75|6089.50|679.25|11.2|9.8',
  `QLN|Quillon Labs|210|27.35|${closed}||-1.63|5743.50|6951.00|-1207.50|-17.4|8.3`,
].map(position);
const positionNotes = positions.map(({ path }) => path);

/**
 * A series that rises from 57k to 69k with noise, on weekdays from June on; the last days are carried
 * forward.
 */
function valuePoints(): JsonValue[] {
  const points: JsonValue[] = [];
  for (let day = 0; day < 173; day += 1) {
    const date = new Date(Date.UTC(2026, 5, 1 + day));
    if (date.getUTCDay() % 6 === 0) continue;
    const rise = 13_000 / (1 + Math.exp(-(day - 105) / 22));
    const wobble = Math.sin(day / 5) * 420 + Math.sin(day / 2.3) * 260 + Math.cos(day / 11) * 380;
    const value = day === 172 ? '69217.05' : (56_700 + rise + wobble).toFixed(2);
    points.push({ date: date.toISOString().slice(0, 10), value, ...(day > 166 ? { carried: true } : {}) });
  }
  return points;
}

const shares = [...positions.map(({ name, share }) => ({ label: name, share })), { label: 'Cash', share: '9.0', kind: 'cash' }].toSorted(
  (a, b) => Number(b.share) - Number(a.share),
);

const gainParts = [figurePart('Value of 7 positions', '62977.05'), figurePart('Cost, from 19 buys, average method', '-55475.50')];

/** The output of Portfolio's tools; nothing for other tools. */
export function portfolioAnswer({ tool }: Params<'call_tool'>): Result<'call_tool'> | null {
  switch (tool) {
    case 'portfolio.positions':
      return answer(
        {
          positions,
          total: { symbol: 'Total without cash', currency: 'EUR', value: '62977.05', cost: '55475.50', gain: '7501.55', gain_percent: '13.5', share: '91.0' },
          problems: [
            {
              path: 'Portfolio/Positions/TSRB.md',
              problem: 'TSRB: Stooq answered with a web page instead of a quote. The last price, 71.25 from 12 Nov, is used',
              remedy: 'Enter a price, or fetch again.',
            },
          ],
        },
        positionNotes,
        [
          figure('/total/gain', 'Unrealised gain', '7501.55', 'EUR', {
            formula: 'Σ quantity × (price − average cost)',
            parts: gainParts,
            caution: '2 old quotes',
          }),
        ],
      );
    case 'portfolio.value':
      return {
        ...answer({ value: '69217.05', currency: 'EUR', gain: '7501.55', realised: '1284.60', income: '418.35' }, positionNotes, [
          figure('/value', 'Value with cash', '69217.05', 'EUR', { sources: [0, 1, 2, 3, 4, 5, 6], formula: 'Σ quantity × price + cash' }),
          figure('/gain', 'Unrealised gain', '7501.55', 'EUR', { formula: 'Σ quantity × (price − average cost)', parts: gainParts }),
          figure('/realised', 'Realised, 2026', '1284.60', 'EUR', { sources: [0, 1, 2] }),
          figure('/income', 'Dividends, 2026', '418.35', 'EUR', { sources: [3, 4] }),
        ]),
        sources: [
          ...positionNotes.map((path) => ({ kind: 'note' as const, path })),
          ...['ngtl', 'bwop', 'slvn', 'frnh', 'qln'].map((symbol) => ({ kind: 'web' as const, url: `https://stooq.com/q/l/?s=${symbol}`, at: closed })),
        ],
      };
    case 'portfolio.history':
      return answer({ currency: 'EUR', points: valuePoints() }, positionNotes);
    case 'portfolio.allocation':
      return answer({ shares }, positionNotes);
    case 'portfolio.watchlist':
      return answer({ watched: [] });
    default:
      return null;
  }
}
