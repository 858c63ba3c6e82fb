import { expect, test } from 'vitest';

import { failedTest, passedTest, sampleMailbox } from '../../testing/sample/mailboxes';
import { cannotSend, mayText, stateOf } from './mailbox-rows';

const at = new Date('2026-11-26T10:00:00Z');

test.each([
  [sampleMailbox(), /^Ready · tested Tue 24 Nov, 3 unread messages then$/, 'bg-ok'],
  [sampleMailbox({ tested: null }), /^Not tested yet$/, 'border border-fg-3'],
  [sampleMailbox({ servers: [] }, { imap: 'imap.example.org:99999' }), /^Not used: its IMAP server is invalid. Edit it$/, 'bg-danger'],
  [sampleMailbox({ password: 'missing' }), /^Password missing$/, 'bg-warn'],
  [sampleMailbox({ password: 'not_granted' }), /^Password not allowed for these servers yet$/, 'bg-warn'],
  [sampleMailbox({ password: 'unknown', reason: 'The keychain is locked.' }), /^Password not readable: The keychain is locked\.$/, 'bg-warn'],
  [sampleMailbox({ password: 'missing' }, { sign_in: 'google' }), /^Needs sign-in$/, 'bg-warn'],
  [sampleMailbox({ password: 'needs_sign_in', reason: 'mail/home needs a sign-in: it was revoked.' }, { sign_in: 'google' }), /^Needs sign-in: mail\/home needs a sign-in: it was revoked\.$/, 'bg-warn'],
  [sampleMailbox({ password: 'not_granted' }, { sign_in: 'google' }), /^Sign-in not allowed for these servers yet$/, 'bg-warn'],
  [sampleMailbox({ tested: failedTest('sign_in', 'No.', true) }), /^Sign-in refused · tested Tue 24 Nov$/, 'bg-danger'],
  [sampleMailbox({ tested: failedTest('connect', 'Gone.') }), /^Not reached · /, 'bg-danger'],
  [sampleMailbox({ tested: failedTest('folders', 'Odd.') }), /^Does not work · /, 'bg-danger'],
  [sampleMailbox({ tested: failedTest('connect_to_send', 'Gone.') }), /^Can be read; the SMTP server does not work · /, 'bg-danger'],
  [sampleMailbox({ tested: failedTest('sign_in_to_send', 'No.', true) }), /^Can be read; sign-in to send refused · /, 'bg-danger'],
])('a mailbox shows its state: %#', (row, text, dot) => {
  const state = stateOf(row, at);
  expect(state.text).toMatch(text);
  expect(state.dot).toBe(dot);
});

test('one unread message is counted as one', () => {
  expect(stateOf(sampleMailbox({ tested: { ...passedTest, unread: 1 } }), at).text).toMatch(/, 1 unread message then$/);
});

test('Nova’s rights follow the switches', () => {
  expect(mayText({ read_only: false, sending: false })).toBe('Nova reads it, asks before it moves, marks or deletes messages or saves a draft, and sends nothing.');
  expect(mayText({ read_only: false, sending: true })).toMatch(/asks before each mail it sends\.$/);
  expect(mayText({ read_only: true, sending: true })).toBe('Nova reads it. It changes nothing and sends nothing.');
});

test('sending needs a server and a writable mailbox', () => {
  expect(cannotSend({ read_only: false, smtp: 'smtp.example.org' })).toBeNull();
  expect(cannotSend({ read_only: false, smtp: '' })).toBe('Needs an SMTP server');
  expect(cannotSend({ read_only: true, smtp: 'smtp.example.org' })).toBe('Not from a read-only mailbox');
});
