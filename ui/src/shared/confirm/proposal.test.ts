import { expect, test } from 'vitest';

import type { Field } from '../form';
import { alikeImport, importDone, importTool, previewedImport, proposedImport, proposedMapping } from '../../testing/import';
import { proposalOf } from './proposal';

const of = (answer: Parameters<typeof proposalOf>[0], args = { path: 'a.csv' }) => proposalOf(answer, importTool.input_schema, args);
const mapping = (fields: readonly Field[] = []) => {
  const [first] = fields;
  return first?.kind === 'object' ? first.fields : [];
};
const options = (field: Field | undefined) => (field?.kind === 'choice' ? field.options.map(({ value, label }) => [value, label]) : null);

test('a result needs no confirmation', () => {
  expect(of(importDone)).toBeNull();
  expect(of({ dry_run: false, rows: 3 })).toBeNull();
  expect(of(null)).toBeNull();
});

test('a proposed argument prefills the form; given arguments stay unchanged', () => {
  const proposal = of(proposedImport, { path: 'a.csv' });
  expect(proposal?.plan.fields.map(({ key }) => key)).toEqual(['mapping', 'account']);
  expect(proposal?.initial).toEqual({ mapping: proposedMapping });
  expect(proposal?.fixed).toEqual({ path: 'a.csv' });
  expect(proposal?.count).toBe(7);
});

test('questions come first and must be answered', () => {
  const [first, second] = mapping(of(proposedImport)?.plan.fields);
  expect(first).toMatchObject({ key: 'decimal', label: 'Which sign separates the cents?', required: true });
  expect(options(first)).toEqual([
    [',', 'Comma'],
    ['.', 'Point'],
  ]);
  expect(second?.key).toBe('date');
});

test('a tool’s choices are shown as labels', () => {
  const answer = { ...(proposedImport as object), mapping: {}, questions: [{ about: 'decimal', question: 'Leave it out?', choices: ['leave_out', 'import', 'DD.MM.YYYY'] }] };
  expect(options(mapping(of(answer)?.plan.fields)[0])).toEqual([
    ['leave_out', 'Leave out'],
    ['import', 'Import'],
    ['DD.MM.YYYY', 'DD.MM.YYYY'],
  ]);
  const alike = { type: 'object', properties: { alike: { enum: ['leave_out', 'import', null] } } };
  const schema = { type: 'object', properties: { mapping: alike } };
  const chosen = proposalOf({ dry_run: true, mapping: { alike: 'import' } }, schema, {});
  expect(options(mapping(chosen?.plan.fields)[0])).toEqual([
    ['leave_out', 'Leave out'],
    ['import', 'Import'],
  ]);
});

test('a possible duplicate is listed with its entry, also beyond the preview', () => {
  const proposal = of(alikeImport);
  expect(proposal?.twins).toEqual([
    { text: '2026-11-02, 1180.00 EUR, Linden', name: 'Rent', on: '2026-11-01', comesAgain: true, path: 'Budget/Expenses/2026/Rent.md' },
    { text: '2026-11-20, 3.00 EUR', name: 'Coffee', on: '2026-11-18', comesAgain: false, path: 'Budget/Expenses/2026/Coffee.md' },
  ]);
  expect(proposal?.alike).toBe(60);
  expect(proposal?.preview).toEqual([{ date: '2026-11-02', payee: 'Linden' }]);
});

test('a column is chosen by name, or by number if the name is ambiguous', () => {
  const payee = mapping(of(proposedImport)?.plan.fields).find(({ key }) => key === 'payee');
  expect(options(payee)).toEqual([
    ['Buchungstag', 'Buchungstag'],
    ['Betrag', 'Betrag'],
    ['3', 'Column 3, Text'],
    ['4', 'Column 4, Text'],
  ]);
});

test('a column in another spelling stays a choice', () => {
  const answer = { needs_confirmation: true, header: ['Datum', 'Betrag'], mapping: { date: 'DATUM' } };
  const date = mapping(of(answer)?.plan.fields).find(({ key }) => key === 'date');
  expect(options(date)?.at(-1)).toEqual(['DATUM', 'DATUM']);
});

test('after a dry run the count is of new entries, and no further dry run is offered', () => {
  const proposal = proposalOf(previewedImport, importTool.input_schema, { path: 'a.csv', dry_run: true, account: 'giro' });
  expect(proposal).toMatchObject({ count: 4, open: 0, fixed: { path: 'a.csv', account: 'giro' }, canLook: true });
  expect(proposal?.preview).toHaveLength(1);
  expect(proposal?.plan.fields.map(({ key }) => key)).toEqual(['mapping']);
});
