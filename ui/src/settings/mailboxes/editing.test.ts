import { expect, test } from 'vitest';

import { failedTest, foundServers, sampleMailbox } from '../../testing/sample/mailboxes';
import { editingOf, encryptionOf, isComplete, newMailbox, offersProviders, reduceEditing, saveLabel, type Editing, type EditingAction } from './editing';

const after = (state: Editing, ...actions: EditingAction[]) => actions.reduce(reduceEditing, state);
const typed = after(newMailbox, { type: 'address', address: ' jane@example.org ' });

test('detected servers fill only their own fields of the form', () => {
  const { step, entry, busy } = after(typed, { type: 'find' }, { type: 'found', found: foundServers() });
  expect({ step, busy }).toEqual({ step: 'servers', busy: null });
  expect(entry).toEqual({ name: 'Fernhill Mail', imap: 'imap.example.org', smtp: 'smtp.example.org:587', user: 'jane@example.org', sign_in: null, address: '', checked_by: '', sending: false, read_only: false });
});

test('a user name that is no address keeps the address as the sender', () => {
  const { entry } = after(typed, { type: 'found', found: foundServers({ user: 'jane', provider: null }) });
  expect(entry).toMatchObject({ name: 'example.org', user: 'jane', address: 'jane@example.org' });
});

test('without a detection the servers are entered manually', () => {
  const nothing = { ...foundServers(), found: null };
  const expected = { name: 'example.org', imap: '', smtp: '', user: 'jane@example.org', address: '' };
  expect(after(typed, { type: 'found', found: nothing }).entry).toMatchObject(expected);
  expect(after(typed, { type: 'by hand' }).entry).toMatchObject(expected);
});

test('an edit discards the test of the previous entry', () => {
  const failed = after(typed, { type: 'found', found: foundServers() }, { type: 'password', password: 'x' }, { type: 'save' }, { type: 'failed', test: failedTest('sign_in', 'No.', true) });
  expect(failed.test).not.toBeNull();
  expect(after(failed, { type: 'entry', change: { imap: 'other.example.org' } }).test).toBeNull();
  expect(after(failed, { type: 'password', password: 'y' }).test).toBeNull();
});

test('a new mailbox needs a password, an edited one does not', () => {
  const filled = after(typed, { type: 'found', found: foundServers() });
  expect(isComplete(filled)).toBe(false);
  expect(isComplete(after(filled, { type: 'password', password: 'x' }))).toBe(true);
  expect(isComplete(after(filled, { type: 'password', password: 'x' }, { type: 'save' }))).toBe(false);
  const changed = editingOf(sampleMailbox().mailbox);
  expect(isComplete(changed)).toBe(true);
  expect(isComplete(after(changed, { type: 'entry', change: { imap: ' ' } }))).toBe(false);
});

test('another address starts again', () => {
  const begun = after(typed, { type: 'found', found: foundServers() }, { type: 'password', password: 'secret' }, { type: 'back' });
  expect(begun).toEqual({ ...newMailbox, address: ' jane@example.org ' });
});

test('encryption is named by how the server starts it', () => {
  expect(encryptionOf(foundServers().found, 'smtp')).toBe('encrypted by STARTTLS');
  expect(encryptionOf(foundServers({ smtp_starttls: false }).found, 'smtp')).toBe('encrypted from the first byte (TLS)');
  expect(encryptionOf(foundServers({ imap_starttls: true }).found, 'imap')).toBe('encrypted by STARTTLS');
  expect(encryptionOf(foundServers().found, 'imap')).toBe('encrypted from the first byte (TLS)');
});

test('a mailbox of a known provider is signed in to, without a password', () => {
  const gmail = after(typed, { type: 'found', found: foundServers({ sign_in: 'google' }) });
  expect(gmail.entry.sign_in).toBe('google');
  expect([isComplete(gmail), offersProviders(gmail), saveLabel(gmail)]).toEqual([true, true, 'Add']);
  const password = after(gmail, { type: 'entry', change: { sign_in: null } });
  expect([isComplete(password), offersProviders(password), saveLabel(password)]).toEqual([false, true, 'Test and add']);
});

test('servers of nobody in particular take a password', () => {
  expect(offersProviders(after(typed, { type: 'found', found: foundServers() }))).toBe(false);
  expect(offersProviders(after(typed, { type: 'by hand' }))).toBe(true);
  expect(offersProviders(editingOf(sampleMailbox({}, { sign_in: 'microsoft' }).mailbox))).toBe(true);
});
