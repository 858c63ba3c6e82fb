// What the importing tool of the portfolio answers to a review.

import type { JsonValue } from '../ipc';

export function tradeReviewValue(more: { readonly [key: string]: JsonValue } = {}): JsonValue {
  const entry = (line: number, date: string, kind: string, symbol: string | null, own: { readonly [key: string]: JsonValue }) => ({
    line,
    date,
    kind,
    symbol,
    name: null,
    quantity: null,
    price: null,
    fee: null,
    currency: 'EUR',
    left_out: false,
    ...own,
  });
  const column = (name: string, means: string | null, examples: readonly string[]) => ({ name, column: name, means, examples: [...examples] });
  return {
    of: 'trades',
    imported: 0,
    file: 'depot.csv',
    rows: 3,
    from: '2026-03-10',
    to: '2026-11-20',
    bank: null,
    account: null,
    currency: null,
    encoding: 'utf-8',
    mapping: { date: 'Datum', action: 'Vorgang', quantity: 'Stück', price: 'Kurs', date_format: 'DD.MM.YYYY', decimal: ',', actions: { Zeichnung: 'buy' } },
    columns: [column('Datum', 'date', ['20.11.2026']), column('Vorgang', 'action', ['Verkauf']), column('Stück', 'quantity', ['50']), column('Kurs', 'price', ['42,00']), column('Notiz', null, ['x'])],
    meanings: [
      { value: 'date', label: 'Date' },
      { value: 'action', label: 'Action' },
      { value: 'quantity', label: 'Quantity' },
      { value: 'price', label: 'Price' },
    ],
    questions: [],
    problems: [],
    wrong_lines: 0,
    accounts: [],
    categories: [],
    total: 3,
    already_there: 0,
    by_rule: 0,
    entries: [
      entry(2, '2026-11-20', 'sell', 'NGTL', { name: 'Northgate Tooling', quantity: '50', price: '42.00', fee: '4.00', amount: '2096.00' }),
      entry(3, '2026-03-13', 'buy', 'NGTL', {
        quantity: '200',
        price: '30.00',
        fee: '5.00',
        amount: '-6005.00',
        is_open: true,
        twin: { path: 'Portfolio/Trades/2026-03-12 NGTL buy.md', payee: '2026-03-12 NGTL buy', date: '2026-03-12', amount: '-6005.00', days: 1 },
      }),
      entry(4, '2026-03-10', 'deposit', null, { amount: '7000.00' }),
    ],
    sums: [
      { currency: 'EUR', kind: 'buy', amount: '6005.00' },
      { currency: 'EUR', kind: 'deposit', amount: '7000.00' },
      { currency: 'EUR', kind: 'sell', amount: '2096.00' },
    ],
    ...more,
  };
}
