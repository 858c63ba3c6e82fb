// The import tool's review of a file before anything is written.

import type { JsonValue } from '../../ipc';
import { isRow, textOf, type Row } from '../skill/answer';

/** A possible duplicate of an entry. */
export interface Twin {
  readonly path: string;
  readonly payee: string;
  readonly memo: string;
  /** YYYY-MM-DD */
  readonly date: string;
  readonly amount: string;
  /** "weekly"; null unless it recurs. */
  readonly repeats: string | null;
  /** Days by which it precedes the line of the file. */
  readonly days: number;
}

/** What a trade says besides; texts that are empty where it does not. */
export interface Trade {
  readonly symbol: string;
  readonly name: string;
  readonly quantity: string;
  readonly price: string;
  readonly fee: string;
  /** The currency it was paid in, if different. */
  readonly paidIn: string;
  /** The ISIN, if the symbol may be another one. */
  readonly isin: string;
}

export interface Entry {
  readonly line: number;
  readonly date: string;
  /** "income", "expense" or "transfer"; of a trade "buy" and the like. */
  readonly kind: string;
  /** Of a trade with a minus for what goes out. */
  readonly amount: string;
  readonly currency: string;
  readonly payee: string;
  readonly memo: string;
  readonly category: string | null;
  readonly categoryFrom: 'rule' | 'file' | 'user' | null;
  readonly mayBeTransfer: boolean;
  /** For a merged transfer. */
  readonly from: string;
  readonly to: string;
  readonly twin: Twin | null;
  readonly trade: Trade | null;
}

export interface Column {
  readonly name: string;
  /** Its name, or its number if the name is ambiguous. */
  readonly column: string;
  /** Its key in the mapping. */
  readonly means: string | null;
  readonly examples: readonly string[];
}

export interface Question {
  readonly about: string;
  readonly question: string;
  /** None if a column is missing. */
  readonly choices: readonly { readonly value: string; readonly label: string }[];
}

/** Names of columns and how cells are written; what words mean is an object of its own. */
export type Mapping = Readonly<Record<string, JsonValue>>;

export interface Review {
  /** What the entries are. */
  readonly of: 'payments' | 'trades';
  /** What a column may mean, with its words. */
  readonly meanings: readonly (readonly [string, string])[];
  readonly file: string;
  readonly rows: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly bank: string | null;
  readonly account: string | null;
  readonly currency: string | null;
  readonly encoding: string;
  readonly mapping: Mapping;
  readonly columns: readonly Column[];
  readonly questions: readonly Question[];
  /** Unreadable lines; `wrongLines` is their total. */
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
  readonly wrongLines: number;
  /** Symbols in use. */
  readonly symbols: readonly string[];
  readonly accounts: readonly string[];
  readonly categories: readonly string[];
  /** Number of new entries; `entries` may be truncated. */
  readonly total: number;
  readonly alreadyThere: number;
  readonly byRule: number;
  readonly entries: readonly Entry[];
  readonly sums: readonly { readonly currency: string; readonly kind: string; readonly amount: string }[];
}

/** Null for output that is not a review. */
export function readReview(value: JsonValue | null): Review | null {
  if (!isRow(value) || !Array.isArray(value['columns']) || !Array.isArray(value['entries'])) return null;
  const number = (key: string) => numberOf(value[key]);
  const of = value['of'] === 'trades' ? 'trades' : 'payments';
  return {
    of,
    meanings: of === 'trades' ? rows(value['meanings']).map((row) => [textOf(row['value']), textOf(row['label'])] as const) : ofPayments,
    file: textOf(value['file']),
    rows: number('rows'),
    from: orNull(value['from']),
    to: orNull(value['to']),
    bank: orNull(value['bank']),
    account: orNull(value['account']),
    currency: orNull(value['currency']),
    encoding: textOf(value['encoding']),
    mapping: isRow(value['mapping']) ? value['mapping'] : {},
    columns: rows(value['columns']).map((row) => ({
      name: textOf(row['name']),
      column: textOf(row['column']),
      means: orNull(row['means']),
      examples: texts(row['examples']),
    })),
    questions: rows(value['questions']).map((row) => ({
      about: textOf(row['about']),
      question: textOf(row['question']),
      choices: rows(row['choices']).map((choice) => ({ value: textOf(choice['value']), label: textOf(choice['label']) })),
    })),
    problems: rows(value['problems']).map((row) => ({ line: numberOf(row['line']), problem: textOf(row['problem']) })),
    wrongLines: number('wrong_lines'),
    symbols: texts(value['symbols']),
    accounts: texts(value['accounts']),
    categories: texts(value['categories']),
    total: number('total'),
    alreadyThere: number('already_there'),
    byRule: number('by_rule'),
    entries: rows(value['entries']).map((row) => entryOf(row, of)),
    sums: rows(value['sums']).map((row) => ({ currency: textOf(row['currency']), kind: textOf(row['kind']), amount: textOf(row['amount']) })),
  };
}

/** What a column of a bank's file may mean. */
const ofPayments: Review['meanings'] = [
  ['date', 'Date'],
  ['payee', 'Payee'],
  ['payer', 'Payer, of income'],
  ['memo', 'Memo'],
  ['amount', 'Amount'],
  ['debit', 'Money out'],
  ['credit', 'Money in'],
  ['side', 'In or out'],
  ['category', 'Category'],
  ['currency', 'Currency'],
  ['id', 'Bank reference'],
];

function entryOf(row: Row, of: Review['of']): Entry {
  const twin = row['twin'];
  return {
    line: numberOf(row['line']),
    date: textOf(row['date']),
    kind: textOf(row['kind']),
    amount: textOf(row['amount']),
    currency: textOf(row['currency']),
    payee: textOf(row['payee']),
    memo: textOf(row['memo']),
    category: orNull(row['category']),
    categoryFrom: orNull(row['category_from']) as Entry['categoryFrom'],
    mayBeTransfer: row['may_be_transfer'] === true,
    from: textOf(row['from']),
    to: textOf(row['to']),
    twin: isRow(twin)
      ? {
          path: textOf(twin['path']),
          payee: textOf(twin['payee']),
          memo: textOf(twin['memo']),
          date: textOf(twin['date']),
          amount: textOf(twin['amount']),
          repeats: orNull(twin['repeats']),
          days: numberOf(twin['days']),
        }
      : null,
    trade: of === 'payments' ? null : tradeOf(row),
  };
}

function tradeOf(row: Row): Trade {
  return {
    symbol: textOf(row['symbol']),
    name: textOf(row['name']),
    quantity: textOf(row['quantity']),
    price: textOf(row['price']),
    fee: textOf(row['fee']),
    paidIn: textOf(row['paid_in']),
    isin: textOf(row['isin']),
  };
}

function rows(value: JsonValue | undefined): Row[] {
  return Array.isArray(value) ? value.filter(isRow) : [];
}

function texts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.map((one) => textOf(one)) : [];
}

function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function orNull(value: JsonValue | undefined): string | null {
  const text = textOf(value);
  return text === '' ? null : text;
}
