// The import tool's review of the screenshot's file, cut to four entries.

import type { JsonValue } from '../ipc';

export function reviewValue(more: { readonly [key: string]: JsonValue } = {}): JsonValue {
  const entry = (line: number, date: string, payee: string, amount: string, own: { readonly [key: string]: JsonValue }) => ({
    line,
    date,
    kind: 'expense',
    amount,
    currency: 'EUR',
    payee,
    memo: `Card ${4700 + line}`,
    category: null,
    category_from: null,
    left_out: false,
    ...own,
  });
  const column = (name: string, means: string | null, examples: readonly string[]) => ({ name, column: name, means, examples: [...examples] });
  return {
    imported: 0,
    file: 'bank.csv',
    rows: 5,
    from: '2026-11-02',
    to: '2026-11-20',
    bank: null,
    account: 'Giro',
    currency: 'EUR',
    encoding: 'windows-1252',
    mapping: { date: 'Buchungstag', payee: 'Auftraggeber / Begünstigter', amount: 'Betrag (EUR)', date_format: 'DD.MM.YY', decimal: ',' },
    columns: [
      column('Buchungstag', 'date', ['20.11.26', '19.11.26', '18.11.26']),
      column('Auftraggeber / Begünstigter', 'payee', ['Corner Market', 'Ostler & Finch', 'Quillon Labs']),
      column('Betrag (EUR)', 'amount', ['−54,20', '−182,00', '2.400,00']),
      column('Saldo', null, ['4.182,10', '4.236,30', '4.307,70']),
    ],
    questions: [],
    problems: [],
    wrong_lines: 0,
    accounts: ['Giro', 'Savings'],
    categories: ['groceries', 'office', 'retainer'],
    total: 4,
    already_there: 0,
    of_no_amount: 0,
    by_rule: 2,
    entries: [
      entry(4, '2026-11-20', 'Corner Market', '54.20', { category: 'groceries', category_from: 'rule' }),
      entry(5, '2026-11-17', 'Ostler & Finch', '182.00', {}),
      entry(9, '2026-11-16', 'Quillon Labs', '2400.00', {
        kind: 'income',
        memo: 'Invoice 2026-114',
        category: 'retainer',
        category_from: 'rule',
        is_open: true,
        twin: { path: 'Budget/Incomes/2026/Q.md', payee: 'Quillon Labs', memo: 'retainer', date: '2026-11-13', amount: '2400.00', repeats: 'monthly', days: 3 },
      }),
      entry(11, '2026-11-12', 'Savings', '150.00', { kind: 'transfer', from: 'Giro', to: 'Savings' }),
    ],
    sums: [
      { currency: 'EUR', kind: 'expense', amount: '236.20' },
      { currency: 'EUR', kind: 'income', amount: '2400.00' },
      { currency: 'EUR', kind: 'transfer', amount: '150.00' },
    ],
    ...more,
  };
}
