// The panel of the sample's budget, with the entries of the screenshots; all invented.

import type { PanelView, Params, Result } from '../../ipc';
import { answer, figure, figurePart, panelOf } from '../panels';

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

/** Rows of cells with named columns; empty cells are omitted. */
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

/** The output of Budget's tools; nothing for other tools. */
export function budgetAnswer({ tool, args }: Params<'call_tool'>): Result<'call_tool'> | null {
  switch (tool) {
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
          figure('/left', 'Left', '723.05', 'EUR', { formula: 'income − spent', parts: [figurePart('Income', '2400.00'), figurePart('Spent', '-1676.95')] }),
        ],
      );
    case 'budget.list':
      return JSON.stringify(args) === '{"kind":"rule"}' ? answer({ rules }, rules.map(({ path }) => path)) : answer({ entries }, entryNotes);
    default:
      return null;
  }
}
