import { describe, expect, it } from 'vitest';

import { reviewValue } from '../../testing/import-review';
import { readReview, type Review } from './review';
import { blockOf, countsOf, firstImport, hasAnswers, importArgsOf, openQuestions, primaryOf, reduceImport, type ImportEvent, type ImportState } from './state';

const file = { path: 'given:1/bank.csv', name: 'bank.csv', folder: '~/Downloads', size: 900 };

function review(more: Parameters<typeof reviewValue>[0] = {}): Review {
  const read = readReview(reviewValue(more));
  if (read === null) throw new Error('not a review');
  return read;
}

function after(state: ImportState, ...events: ImportEvent[]): ImportState {
  return events.reduce(reduceImport, state);
}

function reviewed(more: Parameters<typeof reviewValue>[0] = {}): ImportState {
  return after(firstImport, { type: 'chosen', file }, { type: 'begun', run: 'r1', kind: 'reading' }, { type: 'reviewed', run: 'r1', review: review(more) });
}

describe('an import', () => {
  it('asks about duplicates before it imports', () => {
    const open = reviewed();
    expect(openQuestions(open).map(({ kind }) => kind)).toEqual(['twin']);
    expect(primaryOf(open)).toEqual({ kind: 'answer', count: 1 });
    const same = after(open, { type: 'decided', lines: [9], decision: { import: false } });
    expect(primaryOf(same)).toEqual({ kind: 'import', count: 3 });
    expect(countsOf(same)).toEqual({ toImport: 3, leftOut: 1, withoutCategory: 1 });
    const both = after(open, { type: 'decided', lines: [9], decision: { import: true } });
    expect(primaryOf(both)).toEqual({ kind: 'import', count: 4 });
  });

  it('asks the file’s questions first and rereads it with the answer', () => {
    const question = { about: 'date_format', question: 'Which day is 03/04/2026?', choices: [{ value: 'DD/MM/YYYY', label: '3 April 2026' }] };
    const open = reviewed({ questions: [question] });
    expect(openQuestions(open).map(({ kind }) => kind)).toEqual(['file', 'twin']);
    const answered = after(open, { type: 'answered', about: 'date_format', value: 'DD/MM/YYYY' });
    expect(answered.mapping).toEqual({ ...open.review?.mapping, date_format: 'DD/MM/YYYY' });
    expect(after(open, { type: 'answered', about: 'account', value: 'Giro' }).account).toBe('Giro');
  });

  it('redetects the format of a remapped column', () => {
    const open = reviewed();
    const moved = after(open, { type: 'mapped', column: 'Saldo', means: 'amount' });
    expect(moved.mapping).toEqual({ date: 'Buchungstag', payee: 'Auftraggeber / Begünstigter', date_format: 'DD.MM.YY', amount: 'Saldo' });
    const unused = after(open, { type: 'mapped', column: 'Buchungstag', means: null });
    expect(unused.mapping).toEqual({ payee: 'Auftraggeber / Begünstigter', amount: 'Betrag (EUR)', decimal: ',' });
  });

  it('says why a file cannot be imported, with the remedy', () => {
    const missing = reviewed({ questions: [{ about: 'date', question: 'Which column has the day?', choices: [] }], entries: [] });
    expect(blockOf(missing)).toEqual({ message: 'No column has dates.', remedy: { label: 'Choose it', does: 'columns' } });
    expect(missing.columnsOpen).toBe(true);
    expect(primaryOf(missing)).toEqual({ kind: 'none' });

    const wrong = reviewed({ problems: [{ line: 31, problem: '"12,5O" is not an amount' }], wrong_lines: 1, entries: [], total: 0 });
    expect(blockOf(wrong)).toEqual({ message: 'Line 31: "12,5O" is not an amount.', remedy: { label: 'Leave it out', does: 'leave-out', lines: [31] } });
    expect(blockOf(after(wrong, { type: 'decided', lines: [31], decision: { import: false } }))).toBe(null);

    const pdf = after(firstImport, { type: 'chosen', file }, { type: 'refused', run: null, error: { code: 'tool_failed', message: 'bank.csv is a PDF.', hint: 'Export CSV at your bank.' } });
    expect(blockOf(pdf)?.message).toBe('bank.csv is a PDF. Export CSV at your bank.');
  });

  it('closes if nothing is new', () => {
    expect(primaryOf(reviewed({ entries: [], total: 0, already_there: 44 }))).toEqual({ kind: 'close' });
  });

  it('imports what was shown, with the decisions', () => {
    const state = after(
      reviewed(),
      { type: 'decided', lines: [9], decision: { import: false } },
      { type: 'decided', lines: [5], decision: { category: 'office' } },
      { type: 'decided', lines: [5], decision: { rule: true } },
      { type: 'remember', on: false },
    );
    expect(importArgsOf(state)).toEqual({
      path: 'given:1/bank.csv',
      account: 'Giro',
      currency: 'EUR',
      mapping: state.review?.mapping,
      lines: [{ line: 5, category: 'office', rule: true }, { line: 9, import: false }],
      remember: false,
    });
  });

  it('discards answers with the file, and ignores late responses', () => {
    const decided = after(reviewed(), { type: 'decided', lines: [9], decision: { import: false } });
    expect(hasAnswers(decided)).toBe(true);
    const other = after(decided, { type: 'chosen', file: { ...file, path: 'given:2/other.csv' } });
    expect(hasAnswers(other)).toBe(false);
    const late = after(other, { type: 'begun', run: 'r2', kind: 'reading' }, { type: 'reviewed', run: 'r1', review: review() });
    expect(late.review).toBe(null);
  });
});
