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

export interface Entry {
  readonly line: number;
  readonly date: string;
  readonly kind: 'income' | 'expense' | 'transfer';
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

export type Mapping = Readonly<Record<string, string>>;

export interface Review {
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
  return {
    file: textOf(value['file']),
    rows: number('rows'),
    from: orNull(value['from']),
    to: orNull(value['to']),
    bank: orNull(value['bank']),
    account: orNull(value['account']),
    currency: orNull(value['currency']),
    encoding: textOf(value['encoding']),
    mapping: isRow(value['mapping']) ? Object.fromEntries(Object.entries(value['mapping']).map(([key, one]) => [key, textOf(one)])) : {},
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
    accounts: texts(value['accounts']),
    categories: texts(value['categories']),
    total: number('total'),
    alreadyThere: number('already_there'),
    byRule: number('by_rule'),
    entries: rows(value['entries']).map(entryOf),
    sums: rows(value['sums']).map((row) => ({ currency: textOf(row['currency']), kind: textOf(row['kind']), amount: textOf(row['amount']) })),
  };
}

function entryOf(row: Row): Entry {
  const twin = row['twin'];
  return {
    line: numberOf(row['line']),
    date: textOf(row['date']),
    kind: textOf(row['kind']) as Entry['kind'],
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
