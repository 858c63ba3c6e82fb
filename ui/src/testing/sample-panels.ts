// The panels of the sample skills, with the people and figures of the pictures; all of it is invented.

import type { JsonValue, PanelView, Params, Result } from '../ipc';
import { answer, figure, panelOf } from './panels';

export const crmPanel: PanelView = panelOf('crm', 'CRM', [
  {
    title: 'Pipeline',
    actions: [{ label: 'New deal', icon: 'plus', record: 'deal' }],
    parts: [
      {
        kind: 'summary',
        tool: 'pipeline',
        items: [
          { label: 'Open pipeline', at: '/open', format: 'money' },
          { label: 'Weighted by stage', at: '/weighted', format: 'money' },
          { label: 'Won this quarter', at: '/won', format: 'money' },
          { label: 'Follow-ups due', at: '/due', format: 'number', detail: '/overdue' },
        ],
      },
      {
        kind: 'board',
        tool: 'pipeline',
        columns: '/stages',
        rows: '/deals',
        column: 'stage',
        one: 'deal',
        many: 'deals',
        folded: ['lost'],
        title: 'title',
        detail: ['contact', 'company'],
        value: 'value',
        unit: 'currency',
        date: 'close_date',
        drop: { label: 'Move', tool: 'move_deal', args: { title: '{path}', stage: '{column}' } },
        actions: [{ label: 'Edit', icon: 'pencil', record: 'deal' }],
        empty: { text: 'No deals yet. A deal is a note in CRM/Deals.', action: { label: 'New deal', record: 'deal' } },
      },
      {
        kind: 'list',
        tool: 'follow_ups',
        place: 'side',
        heading: 'Follow-ups',
        rows: '/follow_ups',
        title: 'name',
        detail: ['company', 'about'],
        date: 'next_contact',
        group: 'group',
        groups: [
          { value: 'overdue', label: 'Overdue', late: true },
          { value: 'this_week', label: 'This week' },
          { value: 'later', label: 'Later' },
        ],
        sorts: [
          { label: 'Due first', by: 'next_contact' },
          { label: 'By name', by: 'name' },
        ],
        rest: { at: '/without_date', one: 'person without a date', many: 'people without a date', tab: 'People' },
        actions: [
          { label: 'Log contact', icon: 'check', tool: 'log_interaction', args: { name: '{path}' }, ask: true },
          { label: 'Move date', icon: 'calendar', tool: 'update_contact', args: { name: '{path}', next_contact: '{next_contact}' }, ask: true },
        ],
      },
    ],
  },
  {
    title: 'People',
    count: { tool: 'list_contacts', at: '/count' },
    actions: [{ label: 'New contact', icon: 'plus', record: 'contact' }],
    parts: [
      {
        kind: 'table',
        tool: 'list_contacts',
        rows: '/contacts',
        sort: 'name',
        columns: [
          { field: 'name', label: 'Name' },
          { field: 'company', label: 'Company', format: 'note' },
          { field: 'stage', label: 'Stage' },
          { field: 'email', label: 'E-mail' },
          { field: 'tags', label: 'Tags', format: 'tags' },
          { field: 'next_contact', label: 'Next contact', format: 'date' },
        ],
        actions: [
          { label: 'Log contact', icon: 'check', tool: 'log_interaction', args: { name: '{path}' }, ask: true },
          { label: 'Edit', icon: 'pencil', record: 'contact' },
        ],
      },
    ],
  },
]);

const deal = (title: string, stage: string, value: string, contact: string, company: string, close: string, late = false) => ({
  title,
  stage,
  value,
  currency: 'EUR',
  contact,
  company,
  close_date: close === '' ? null : close,
  ...(late ? { late } : {}),
  path: `CRM/Deals/${title}.md`,
});

const deals = [
  deal('Northgate retrofit', 'lead', '22000', '', 'Northgate Tooling', '2027-01-15'),
  deal('Solvane site survey', 'lead', '9400', '', 'Solvane Energy', ''),
  deal('Quillon licence renewal', 'contacted', '18500', 'Jane Doe', 'Quillon Labs', '2026-12-31'),
  deal('Brightwater line 2', 'qualified', '36000', 'Tomasz Wirek', 'Brightwater', '2027-02-28'),
  deal('Fernhill revised quote', 'proposal', '28000', 'Ilse Brandvik', 'Fernhill Dairy', '2026-11-17', true),
  deal('Pinecrest second clinic', 'proposal', '24000', 'Odile Farrow', 'Pinecrest', '2026-12-20'),
  deal('Harborline rollout', 'won', '48500', 'Mara Lindholt', 'Harborline', '2026-11-20'),
  deal('Pinecrest booking desk', 'won', '17800', 'Odile Farrow', 'Pinecrest', '2026-11-06'),
  deal('Tessel pilot', 'won', '12000', '', 'Tessel Robotics', '2026-10-22'),
  deal('Fernhill cold-chain audit', 'won', '8000', 'Ilse Brandvik', 'Fernhill Dairy', '2026-10-09'),
  deal('Solvane pilot', 'lost', '6200', '', 'Solvane Energy', '2026-09-30'),
  deal('Tessel second arm', 'lost', '9000', '', 'Tessel Robotics', '2026-08-12'),
];

const eur = (amount: string) => [{ amount, currency: 'EUR' }];
const dealNotes = deals.map(({ path }) => path);
const openNotes = [0, 1, 2, 3, 4, 5];

/** The pipeline with these deals; its totals are written by hand for the deals of the sample. */
const pipeline = answer(
  {
    stages: [
      { stage: 'lead', count: 2, total: eur('31400') },
      { stage: 'contacted', count: 1, total: eur('18500') },
      { stage: 'qualified', count: 1, total: eur('36000') },
      { stage: 'proposal', count: 2, total: eur('52000') },
      { stage: 'won', count: 4, total: eur('86300') },
      { stage: 'lost', count: 2, total: eur('15200') },
    ],
    deals,
    open: eur('137900'),
    weighted: eur('52440'),
    won: eur('86300'),
    due: 4,
    overdue: '2 overdue',
    problems: [
      {
        path: 'CRM/Deals/Arden fit-out.md',
        line: 4,
        problem: 'Arden fit-out is not on the board: stage “nego” is not one of the stages',
        remedy: 'Choose a stage.',
      },
    ],
  },
  dealNotes,
  [
    figure('/open/0/amount', 'Open pipeline', '137900', 'EUR', {
      formula: 'Σ value of the deals that are neither won nor lost',
      parts: ['lead 31400', 'contacted 18500', 'qualified 36000', 'proposal 52000'].map((text) => {
        const [label = '', value = ''] = text.split(' ');
        return { label, value, unit: 'EUR', caution: null };
      }),
      sources: openNotes,
    }),
    figure('/weighted/0/amount', 'Weighted by stage', '52440', 'EUR', { formula: 'Σ value × probability', sources: openNotes }),
    figure('/won/0/amount', 'Won this quarter', '86300', 'EUR', { sources: [6, 7, 8, 9] }),
  ],
);

const person = (name: string, company: string, about: string, next_contact: string, group: string) => ({
  name,
  company,
  about,
  next_contact,
  group,
  path: `CRM/People/${name}.md`,
});

const followUps = [
  person('Ilse Brandvik', 'Fernhill Dairy', 'revised quote', '2026-11-17', 'overdue'),
  person('Tomasz Wirek', 'Brightwater Optics', 'site visit', '2026-11-19', 'overdue'),
  person('Jane Doe', 'Quillon Labs', 'renewal terms', '2026-11-24', 'this_week'),
  person('Odile Farrow', 'Pinecrest Clinics', 'floor plan', '2026-11-26', 'this_week'),
  person('Mara Lindholt', 'Harborline Logistics', 'kick-off', '2026-12-01', 'later'),
  person('Ravi Penhale', 'Tessel Robotics', 'pilot review', '2026-12-03', 'later'),
  person('Noor Castellane', 'Solvane Energy', 'no deal yet', '2026-12-08', 'later'),
];

const contacts = followUps.map(({ name, company, next_contact, path }, at) => ({
  name,
  company: `[[${company}]]`,
  stage: ['customer', 'lead', 'customer', 'customer', 'customer', 'customer', 'lead'][at] ?? '',
  email: `${name.toLowerCase().replace(' ', '.')}@example.net`,
  tags: at % 3 === 0 ? ['food', 'north'] : ['north'],
  next_contact,
  path,
}));

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

/** A line that climbs from 57k to 69k with a wobble, each weekday from June on; the last days are carried forward. */
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

const part = (label: string, value: string, unit = 'EUR', caution: string | null = null) => ({ label, value, unit, caution });
const gainParts = [part('Value of 7 positions', '62977.05'), part('Cost, from 19 buys, average method', '-55475.50')];

export const budgetPanel: PanelView = panelOf('budget', 'Budget', [
  {
    title: 'Month',
    inputs: [
      { name: 'month', label: 'Month', kind: 'month', default: 'today' },
      { name: 'first', label: 'Currency', kind: 'currency', among: ['/currency', '/other_currencies/*/currency'] },
    ],
    actions: [
      { label: 'Import', icon: 'import', tool: 'import_transactions', import: true },
      {
        label: 'Add expense',
        icon: 'plus',
        record: 'expense',
        more: [
          { label: 'Add income', icon: 'plus', record: 'income' },
          { label: 'Add transfer', icon: 'swap', record: 'transfer' },
          { label: 'Set limit', icon: 'sliders', tool: 'set_limit', ask: true },
        ],
      },
    ],
    parts: [
      {
        kind: 'summary',
        tool: 'month_summary',
        args: { month: '{month}', currency: '{first}', year: true },
        items: [
          { label: 'Income', at: '/income', format: 'money', unit: '/currency', detail: '/income_detail' },
          { label: 'Spent so far', at: '/spent', format: 'money', unit: '/currency', detail: '/spent_detail' },
          { label: 'Left today', at: '/left', format: 'money', unit: '/currency', detail: '/left_detail' },
          { label: 'Transfers', at: '/transferred', format: 'money', unit: '/currency', detail: '/transferred_detail', optional: true, line: true, icon: 'swap' },
        ],
      },
      {
        kind: 'chart',
        tool: 'month_summary',
        args: { month: '{month}', currency: '{first}', year: true },
        title: 'With a limit',
        detail: '/limits_detail',
        narrow: 'Categories',
        shape: 'progress',
        rows: '/categories',
        x: 'category',
        unit: '/currency',
        mark: 'limit',
        series: [{ field: 'spent', label: 'Spent', format: 'money' }],
        empty: { text: 'No limits yet.', action: { label: 'Set limit', tool: 'set_limit', ask: true } },
      },
      {
        kind: 'chart',
        tool: 'month_summary',
        args: { month: '{month}', currency: '{first}', year: true },
        place: 'beside',
        title: 'Without a limit',
        detail: '/without_limit_detail',
        narrow: 'Categories',
        shape: 'bars',
        rows: '/categories',
        when: { limit: null },
        x: 'category',
        unit: '/currency',
        series: [{ field: 'spent', label: 'Spent', format: 'money' }, { field: 'upcoming_spent', label: 'Upcoming', format: 'money' }],
        empty: { text: 'Nothing spent without a limit.' },
      },
      {
        kind: 'table',
        tool: 'list',
        args: { month: '{month}', limit: 100000 },
        rows: '/entries',
        sort: '-date',
        quiet: 'upcoming',
        columns: [
          { field: 'date', label: 'Date', format: 'date' },
          { field: 'payee', label: 'Payee', detail: 'detail' },
          { field: 'category', label: 'Category', format: 'tags' },
          { field: 'account', label: 'Account', roomy: true },
          { field: 'signed', label: 'Amount', format: 'signed', unit: 'currency' },
        ],
        actions: [
          { label: 'Edit', icon: 'pencil', edit: true, key: 'E' },
          { label: 'Change category', icon: 'list', edit: true, field: 'category', key: 'C', when: { kind: ['income', 'expense', 'refund'] } },
          { label: 'Change repeat', icon: 'refresh', edit: true, field: 'recurring', key: 'R', when: { kind: ['income', 'expense', 'refund'] } },
          { label: 'Join as transfer', icon: 'swap', tool: 'join_transfer', args: { paths: ['{path}'] }, when: { kind: ['income', 'expense'] } },
          { label: 'Split transfer', icon: 'swap', tool: 'split_transfer', args: { path: '{path}' }, when: { kind: 'transfer' } },
          { label: 'Delete', icon: 'trash', delete: true, key: 'Del' },
        ],
        empty: { text: 'No entries this month. Import a bank file or add an expense.', action: { label: 'Add expense', record: 'expense' } },
      },
      {
        kind: 'chart',
        tool: 'month_summary',
        args: { month: '{month}', currency: '{first}', year: true },
        title: 'Year',
        detail: '/year/left_detail',
        narrow: 'Year',
        shape: 'strip',
        choose: 'month',
        rows: '/year/months',
        x: 'month',
        unit: '/currency',
        series: [
          { field: 'income', label: 'Income', format: 'money' },
          { field: 'spent', label: 'Spent', format: 'money' },
          { field: 'left', label: 'Left', format: 'signed' },
        ],
      },
    ],
  },
  {
    title: 'Year',
    inputs: [
      { name: 'year', label: 'Year', kind: 'year', default: 'today' },
      { name: 'first', label: 'Currency', kind: 'currency', among: ['/currency', '/other_currencies/*/currency'] },
    ],
    actions: [{ label: 'Import', icon: 'import', tool: 'import_transactions', import: true }],
    parts: [
      {
        kind: 'summary',
        tool: 'month_summary',
        args: { month: '{year}-12', currency: '{first}', year: true },
        items: [
          { label: 'Income', at: '/year/income', format: 'money', unit: '/currency' },
          { label: 'Spent so far', at: '/year/spent', format: 'money', unit: '/currency' },
          { label: 'Left so far', at: '/year/left', format: 'money', unit: '/currency' },
        ],
      },
      {
        kind: 'chart',
        tool: 'month_summary',
        args: { month: '{year}-12', currency: '{first}', year: true },
        title: 'Month by month',
        shape: 'columns',
        rows: '/year/months',
        x: 'month',
        unit: '/currency',
        series: [{ field: 'income', label: 'Income', format: 'money' }, { field: 'spent', label: 'Spent', format: 'money' }],
      },
      {
        kind: 'table',
        tool: 'month_summary',
        args: { month: '{year}-12', currency: '{first}', year: true },
        rows: '/year/months',
        columns: [
          { field: 'month', label: 'Month', format: 'date' },
          { field: 'income', label: 'Income', format: 'money' },
          { field: 'spent', label: 'Spent', format: 'money' },
          { field: 'left', label: 'Left', format: 'signed' },
        ],
      },
    ],
  },
  {
    title: 'Limits',
    count: { tool: 'month_summary', at: '/limits' },
    inputs: [{ name: 'month', label: 'Month', kind: 'month', default: 'today' }],
    actions: [
      { label: 'Set limit', icon: 'plus', tool: 'set_limit', ask: true },
    ],
    parts: [
      {
        kind: 'table',
        tool: 'month_summary',
        args: { month: '{month}' },
        title: 'Categories',
        rows: '/categories',
        more: '/other_currencies/*/categories',
        columns: [
          { field: 'category', label: 'Category', detail: 'limit_detail' },
          { field: 'spent', label: 'Spent', format: 'money', unit: 'currency' },
          { field: 'upcoming_spent', label: 'Upcoming', format: 'money', unit: 'currency' },
          { field: 'limit', label: 'Limit', format: 'money', unit: 'currency' },
          { field: 'used', label: 'Used', format: 'bar' },
          { field: 'last_month', label: 'Month before', format: 'money', unit: 'currency' },
          { field: 'average', label: 'Average', format: 'money', unit: 'currency' },
        ],
        actions: [{ label: 'Set limit', tool: 'set_limit', ask: true, args: { category: '{category}', currency: '{currency}' } }],
        empty: { text: 'No categories yet.', action: { label: 'Set limit', tool: 'set_limit', ask: true } },
      },
    ],
  },
  {
    title: 'Rules',
    count: { tool: 'list', args: { kind: 'rule' }, at: '/rules' },
    actions: [
      { label: 'Add rule', icon: 'plus', record: 'rule' },
      { label: 'Apply rules', tool: 'apply_rules', ask: true, args: { dry_run: true } },
    ],
    parts: [
      {
        kind: 'table',
        tool: 'list',
        args: { kind: 'rule' },
        rows: '/rules',
        columns: [
          { field: 'match', label: 'Payee contains' },
          { field: 'category', label: 'Category', format: 'tags' },
          { field: 'priority', label: 'Priority', format: 'number' },
        ],
        actions: [
          { label: 'Edit', icon: 'pencil', edit: true, key: 'E' },
          { label: 'Delete', icon: 'trash', delete: true, key: 'Del' },
        ],
        empty: { text: 'No rules yet. A rule gives each payee its category.', action: { label: 'Add rule', record: 'rule' } },
      },
    ],
  },
]);

/** Lines of cells, with names for the columns; an empty cell is left out. */
const table = (names: string, lines: readonly string[]) =>
  lines.map((line) => Object.fromEntries(line.split('|').flatMap((cell, place) => (cell === '' ? [] : [[names.split('|')[place] ?? '', cell]]))));

const categories = table('category|spent|limit|upcoming_spent', [
  'rent|1180.00',
  'groceries|279.25|280.00',
  'transport|87.40|80.00',
  'utilities|71.40|75.00',
  'insurance|24.90',
  'eating out|23.50|120.00',
  'office|10.50||3.50',
  'travel|0.00|200.00',
]);
const months = table('month|income|spent|left', [
  '2026-01|2400.00|1112.00|1288.00',
  '2026-02|1900.00|1231.00|669.00',
  '2026-03|2900.00|1054.00|1846.00',
  '2026-04|1800.00|1866.00|-66.00',
  '2026-05|2400.00|1188.00|1212.00',
  '2026-06|2650.00|1054.00|1596.00',
  '2026-07|2200.00|1258.00|942.00',
  '2026-08|3400.00|943.00|2457.00',
  '2026-09|2700.00|912.00|1788.00',
  '2026-10|4600.00|1034.00|3566.00',
  '2026-11|2400.00|1676.95|723.05',
  '2026-12|0.00|0.00|0.00',
]);
const entries = table('date|payee|category|account|signed|detail', [
  '2026-11-27|Vault Backup|office|Current account|-3.50|repeats weekly, due 27 Nov',
  '2026-11-20|Vault Backup|office|Current account|-3.50|repeats weekly',
  '2026-11-18|Corner Market|groceries|Current account|12.30|refund',
  '2026-11-16|Cafe Ember|eating out|Card|-23.50',
  '2026-11-14|Metro Transit|transport|Card|-49.00|repeats monthly',
  '2026-11-14|Corner Market|groceries|Card|-158.90',
  '2026-11-13|Quillon Labs|retainer|Current account|2400.00|repeats monthly',
  '2026-11-12|Northlight Rail|transport|Card|-38.40',
  '2026-11-10|Current account → Savings|transfer|between accounts|300.00',
  '2026-11-09|Northlight Power|utilities|Current account|-71.40',
  '2026-11-01|Harbor Insurance|insurance|Current account|-24.90|repeats monthly',
]).map((row) => ({
  ...row,
  currency: 'EUR',
  kind: row['category'] === 'transfer' ? 'transfer' : row['signed']?.startsWith('-') === true ? 'expense' : 'income',
  ...(row['date'] === '2026-11-27' ? { upcoming: true } : {}),
  path: `Budget/Expenses/2026/${row['date']} ${row['payee']}.md`,
}));
const rules = [
  { match: '/metro|night bus|railway/', category: 'transport', priority: 20, path: 'Budget/Rules/Trains and buses are transport.md' },
  { match: '/cafe|osteria|bistro/', category: 'eating out', priority: 10, path: 'Budget/Rules/Cafes are eating out.md' },
  { match: 'corner market', category: 'groceries', priority: 10, path: 'Budget/Rules/Corner Market is groceries.md' },
];
const entryNotes = entries.map(({ path }) => path);

export const samplePanels = [crmPanel, portfolioPanel, budgetPanel];

/** What the tools of the sample skills answer; nothing for a tool that is none of theirs. */
export function sampleAnswer({ tool, args }: Params<'call_tool'>): Result<'call_tool'> | null {
  switch (tool) {
    case 'crm.pipeline':
      return pipeline;
    case 'crm.follow_ups':
      return answer({ follow_ups: followUps, without_date: 31 }, followUps.map(({ path }) => path));
    case 'crm.list_contacts':
      return answer({ contacts, count: contacts.length }, contacts.map(({ path }) => path));
    case 'crm.move_deal':
      return { ...answer({ stage: 'won' }), changes: [{ path: 'CRM/Deals/Pinecrest second clinic.md', kind: 'modified' }], change_set: 'set9' };
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
    case 'budget.month_summary':
      return answer(
        {
          currency: 'EUR',
          income: '2400.00',
          spent: '1676.95',
          left: '723.05',
          spent_detail: '+ 3.50 EUR upcoming',
          left_detail: '719.55 EUR on 30 Nov',
          transferred: '300.00',
          transferred_detail: 'moved between accounts in 1 transfer, not counted as income or spent',
          limits: 5,
          limits_detail: '462 of 755',
          without_limit_detail: '1215.40 EUR',
          categories,
          months: months.slice(5, 11),
          other_currencies: [{ currency: 'USD' }],
          year: { income: '29350.00', spent: '13328.95', left: '16021.05', left_detail: '16021 EUR left', months },
        },
        entryNotes,
        [
          figure('/income', 'Income', '2400.00', 'EUR', { sources: [6] }),
          figure('/spent', 'Spent', '1676.95', 'EUR', { sources: [1, 2, 3, 4, 5, 7, 9, 10] }),
          figure('/left', 'Left', '723.05', 'EUR', { formula: 'income − spent', parts: [part('Income', '2400.00'), part('Spent', '-1676.95')] }),
        ],
      );
    case 'budget.list':
      return JSON.stringify(args) === '{"kind":"rule"}' ? answer({ rules }, rules.map(({ path }) => path)) : answer({ entries }, entryNotes);
    default:
      return null;
  }
}
