import { expect, it } from 'vitest';

import type { RecordTypeRow } from '../../ipc';
import { begin, ownOf, problemsIn, problemsOf, type NewType } from './new-type';

const trip = { skill: 'crm', record_type: 'contact', label: 'Contact', folder: 'CRM/People' } as RecordTypeRow;
const problems = (change: Partial<NewType>) => problemsOf({ ...begin, name: 'supplier', folder: 'Firms', ...change }, [trip], () => 'CRM');

it('refuses an existing name, ignoring case', () => {
  expect(problems({ name: ' Contact' })).toEqual({ name: 'CRM has a record type `contact` already. Choose another name.' });
  expect(problems({ name: 'contacts' })).toEqual({});
});

it('requires name, folder and fields', () => {
  expect(Object.keys(problems({ name: ' ', folder: '', fields: [] }))).toEqual(['name', 'folder', 'fields']);
});

it('refuses duplicate fields', () => {
  const field = { name: 'since', kind: 'date', choices: [] };
  expect(problems({ fields: [field, { ...field, name: 'Since ' }] })).toEqual({ 'fields.Since': '`Since` is named twice.' });
});

it('creates the configuration of the type, with its notes named by the first field', () => {
  const fields = [{ name: 'name', kind: 'text', choices: [] }, { name: ' state', kind: 'choice', choices: ['new', 'old'] }, { name: '', kind: 'text', choices: [] }];
  expect(ownOf({ name: 'supplier', folder: 'CRM/Suppliers/', fields })).toEqual({
    folder: 'CRM/Suppliers',
    title: 'name',
    fields: { name: { kind: 'text' }, state: { kind: 'choice', choices: ['new', 'old'] } },
  });
});

it('assigns errors of the settings to their fields', () => {
  const faults = [{ key: '', reason: 'cannot be used: the folder `../x` leaves the vault.' }, { key: 'fields.state', reason: 'cannot be used: a choice needs choices.' }];
  expect(problemsIn(faults)).toEqual({ folder: 'It cannot be used: the folder `../x` leaves the vault.', 'fields.state': 'It cannot be used: a choice needs choices.' });
});
