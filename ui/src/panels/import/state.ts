// State of an import, from the choice of a file to its end. Pure, without the backend.

import type { GivenFileView, JsonValue, UserError } from '../../ipc';
import { isRow } from '../skill/answer';
import type { Entry, Mapping, Question, Review } from './review';

/** The user's decision about one line. */
export interface Decision {
  readonly import?: boolean;
  readonly category?: string;
  readonly rule?: boolean;
}

export interface ImportState {
  readonly file: GivenFileView | null;
  readonly run: { readonly id: string; readonly kind: 'reading' | 'importing' } | null;
  readonly review: Review | null;
  readonly error: UserError | null;
  /** The mapping as edited by the user; null for the detected one. */
  readonly mapping: Mapping | null;
  readonly account: string | null;
  readonly currency: string | null;
  /** By line number. */
  readonly decided: Readonly<Record<number, Decision>>;
  readonly remember: boolean;
  readonly columnsOpen: boolean;
}

export type ImportEvent =
  | { readonly type: 'chosen'; readonly file: GivenFileView }
  | { readonly type: 'begun'; readonly run: string; readonly kind: 'reading' | 'importing' }
  | { readonly type: 'reviewed'; readonly run: string; readonly review: Review }
  | { readonly type: 'refused'; readonly run: string | null; readonly error: UserError }
  | { readonly type: 'answered'; readonly about: string; readonly value: string }
  | { readonly type: 'mapped'; readonly column: string; readonly means: string | null }
  | { readonly type: 'decided'; readonly lines: readonly number[]; readonly decision: Decision }
  | { readonly type: 'remember'; readonly on: boolean }
  | { readonly type: 'columns'; readonly open: boolean };

export const firstImport: ImportState = {
  file: null,
  run: null,
  review: null,
  error: null,
  mapping: null,
  account: null,
  currency: null,
  decided: {},
  remember: true,
  columnsOpen: false,
};

export function reduceImport(state: ImportState, event: ImportEvent): ImportState {
  switch (event.type) {
    case 'chosen':
      return { ...firstImport, file: event.file };
    case 'begun':
      return { ...state, run: { id: event.run, kind: event.kind }, error: null };
    case 'reviewed':
      if (state.run?.id !== event.run) return state;
      return { ...state, run: null, review: event.review, columnsOpen: state.columnsOpen || lacksColumn(event.review) };
    case 'refused':
      return event.run !== null && state.run?.id !== event.run ? state : { ...state, run: null, error: event.error };
    case 'answered':
      if (event.about === 'account' || event.about === 'currency') return { ...state, [event.about]: event.value };
      return state.review === null ? state : { ...state, mapping: answered(state.review.mapping, event.about, event.value) };
    case 'mapped':
      return state.review === null ? state : { ...state, mapping: mapped(state.review, event.column, event.means) };
    case 'decided': {
      const lines = event.lines.map((line) => [line, { ...state.decided[line], ...event.decision }] as const);
      return { ...state, decided: { ...state.decided, ...Object.fromEntries(lines) } };
    }
    case 'remember':
      return { ...state, remember: event.on };
    case 'columns':
      return { ...state, columnsOpen: event.open };
  }
}

/** The format of a remapped column is redetected, as its cells may differ. */
function mapped({ mapping, meanings }: Review, column: string, means: string | null): Mapping {
  const columnKeys = new Set(meanings.map(([key]) => key));
  const drops = new Set<string>();
  if (means === 'amount') ['debit', 'credit'].forEach((key) => drops.add(key));
  if (means === 'debit' || means === 'credit') ['amount', 'side'].forEach((key) => drops.add(key));
  const before = Object.entries(mapping).filter(([key, value]) => columnKeys.has(key) && value === column).map(([key]) => key);
  before.forEach((key) => drops.add(key));
  for (const key of [...before, means]) {
    if (key === 'date') drops.add('date_format');
    if (key !== null && numbers.has(key)) ['decimal', 'expenses'].forEach((one) => drops.add(one));
  }
  const kept = Object.entries(mapping).filter(([key]) => !drops.has(key));
  return { ...Object.fromEntries(kept), ...(means === null ? {} : { [means]: column }) };
}

/** Meanings of columns whose cells tell how numbers are written. */
const numbers: ReadonlySet<string> = new Set(['amount', 'debit', 'credit', 'side', 'quantity', 'price', 'fee', 'more_fees', 'tax']);

/** `actions/Sparplan` is about one of the words of the file. */
function answered(mapping: Mapping, about: string, value: string): Mapping {
  const slash = about.indexOf('/');
  if (slash === -1) return { ...mapping, [about]: value };
  const key = about.slice(0, slash);
  const before = mapping[key];
  return { ...mapping, [key]: { ...(isRow(before) ? before : {}), [about.slice(slash + 1)]: value } };
}

function lacksColumn(review: Review): boolean {
  return review.questions.some(({ choices }) => choices.length === 0);
}

/** The arguments for reading the file; null without a file. */
export function argsOf({ file, mapping, account, currency }: ImportState): Readonly<Record<string, JsonValue>> | null {
  if (file === null) return null;
  return {
    path: file.path,
    ...(mapping === null ? {} : { mapping: { ...mapping } }),
    ...(account === null ? {} : { account }),
    ...(currency === null ? {} : { currency }),
  };
}

/** The arguments of the import, as shown. */
export function importArgsOf(state: ImportState): Readonly<Record<string, JsonValue>> | null {
  const { review, decided, remember } = state;
  const args = argsOf(state);
  if (args === null || review === null) return null;
  const lines = Object.entries(decided).map(([line, decision]) => ({ line: Number(line), ...decision }));
  const known = { ...(review.account === null ? {} : { account: review.account }), ...(review.currency === null ? {} : { currency: review.currency }) };
  return { ...known, ...args, mapping: { ...review.mapping }, lines, ...(remember ? {} : { remember: false }) };
}

/** A question: one of the file, or whether a line and an entry are the same payment. */
export type Asked =
  | { readonly kind: 'file'; readonly question: Question }
  | { readonly kind: 'twin'; readonly entry: Entry };

/** Open questions, in order. */
export function openQuestions({ review, decided }: ImportState): Asked[] {
  if (review === null) return [];
  const ofFile = review.questions.filter(({ choices }) => choices.length > 0).map((question) => ({ kind: 'file', question }) as const);
  const twins = review.entries.filter(({ line, twin }) => twin !== null && decided[line]?.import === undefined);
  return [...ofFile, ...twins.map((entry) => ({ kind: 'twin', entry }) as const)];
}

/** Unreadable lines that were not skipped. */
export function openProblems({ review, decided }: ImportState): Review['problems'] {
  return review?.problems.filter(({ line }) => decided[line]?.import !== false) ?? [];
}

export interface Counts {
  readonly toImport: number;
  readonly leftOut: number;
  readonly withoutCategory: number;
}

export function countsOf({ review, decided }: ImportState): Counts {
  if (review === null) return { toImport: 0, leftOut: 0, withoutCategory: 0 };
  const out = review.entries.filter(({ line }) => decided[line]?.import === false).length;
  const wrong = review.problems.filter(({ line }) => decided[line]?.import === false).length;
  const without = review.entries.filter((entry) => entry.trade === null && decided[entry.line]?.import !== false && entry.kind !== 'transfer' && categoryOf(entry, decided) === null);
  return { toImport: review.total - out, leftOut: out + wrong, withoutCategory: without.length };
}

export function categoryOf(entry: Entry, decided: ImportState['decided']): string | null {
  return decided[entry.line]?.category ?? entry.category;
}

/** Whether closing would lose answers. */
export function hasAnswers({ decided, mapping, account, currency }: ImportState): boolean {
  return Object.keys(decided).length > 0 || mapping !== null || account !== null || currency !== null;
}

/** The primary button's action. */
export type Primary =
  | { readonly kind: 'answer'; readonly count: number }
  | { readonly kind: 'import'; readonly count: number }
  | { readonly kind: 'close' }
  | { readonly kind: 'none' };

export function primaryOf(state: ImportState): Primary {
  const { review, run } = state;
  if (run !== null || review === null) return { kind: 'none' };
  const open = openQuestions(state).length;
  if (open > 0) return { kind: 'answer', count: open };
  if (blockOf(state) !== null) return { kind: 'none' };
  const { toImport } = countsOf(state);
  return toImport === 0 ? { kind: 'close' } : { kind: 'import', count: toImport };
}

/** Why the file cannot be imported yet, and the click that resolves it. */
export interface Block {
  readonly message: string;
  readonly remedy: { readonly label: string; readonly does: 'columns' } | { readonly label: string; readonly does: 'leave-out'; readonly lines: readonly number[] } | null;
}

export function blockOf(state: ImportState): Block | null {
  const { review, error } = state;
  if (error !== null) return { message: [error.message, error.hint].filter((one) => one !== '').join(' '), remedy: null };
  if (review === null) return null;
  const missing = review.questions.find(({ choices }) => choices.length === 0);
  if (missing) return { message: missingColumn(missing.about), remedy: { label: 'Choose it', does: 'columns' } };
  const [first, ...more] = openProblems(state);
  if (!first) return null;
  const line = `Line ${first.line}: ${first.problem}.`;
  if (review.wrongLines > review.problems.length) return { message: `${review.wrongLines} lines cannot be read. ${line}`, remedy: { label: 'Check the columns', does: 'columns' } };
  if (more.length === 0) return { message: line, remedy: { label: 'Leave it out', does: 'leave-out', lines: [first.line] } };
  const lines = [first, ...more].map((one) => one.line);
  return { message: `${line} ${more.length} more lines cannot be read.`, remedy: { label: `Leave out ${lines.length} lines`, does: 'leave-out', lines } };
}

function missingColumn(about: string): string {
  const words: Readonly<Record<string, string>> = { date: 'dates', amount: 'amounts', debit: 'money out', credit: 'money in', quantity: 'quantities', price: 'prices' };
  return `No column has ${words[about] ?? about}.`;
}
