import { expect, test } from 'vitest';

import type { Message } from './messages';
import type { Writing } from './state';
import { addressesIn, draftArgs, emptyWritten, missingIn, pathsIn, sendArgs } from './writing';

const fresh: Writing = { kind: 'new', mailbox: null };
const reply: Writing = { kind: 'reply', to: { id: 'Work/INBOX/1.5' } as Message };
const written = { ...emptyWritten('Work'), to: '"Doe, Jane" <jane@a.example>, joe@b.example', subject: ' Hello ', text: 'Hi' };

test('addresses are split at commas outside of names', () => {
  expect(addressesIn(' "Doe, Jane" <jane@a.example>; joe@b.example,, ')).toEqual(['"Doe, Jane" <jane@a.example>', 'joe@b.example']);
  expect(addressesIn('  ')).toEqual([]);
});

test('attachments are paths or note links', () => {
  expect(pathsIn('CRM/Files/a.pdf\n\n ![[b c.png]] ')).toEqual(['CRM/Files/a.pdf', 'b c.png']);
});

test('a new mail is sent and stored as filled in', () => {
  const to = ['"Doe, Jane" <jane@a.example>', 'joe@b.example'];
  expect(sendArgs(written, fresh)).toEqual({ mailbox: 'Work', to, subject: 'Hello', text: 'Hi' });
  expect(sendArgs({ ...written, bcc: 'x@y.example', attachments: 'a.pdf' }, fresh)).toEqual({ mailbox: 'Work', to, bcc: ['x@y.example'], subject: 'Hello', text: 'Hi', attachments: ['a.pdf'] });
  expect(draftArgs(emptyWritten('Work'), fresh)).toEqual({ mailbox: 'Work', text: '' });
});

test('a reply names its message and no recipients', () => {
  expect(sendArgs(written, reply)).toEqual({ id: 'Work/INBOX/1.5', text: 'Hi' });
  expect(sendArgs({ ...written, all: true }, reply)).toEqual({ id: 'Work/INBOX/1.5', text: 'Hi', all: true });
  expect(draftArgs(written, reply)).toEqual({ reply_to: 'Work/INBOX/1.5', text: 'Hi' });
  expect(draftArgs({ ...written, all: true }, reply)).toEqual({ reply_to: 'Work/INBOX/1.5', text: 'Hi', all: true });
});

test.each([
  [{ text: ' ' }, fresh, 'Enter a text.'],
  [{ to: '' }, fresh, 'Add a recipient.'],
  [{ subject: ' ' }, fresh, 'Add a subject.'],
  [{ to: 'jane' }, fresh, '“jane” is not an address.'],
  [{ cc: 'Jane <jane>' }, fresh, '“Jane <jane>” is not an address.'],
  [{}, fresh, ''],
  [{ to: '' }, reply, ''],
] as const)('%j: %#', (part, kind, missing) => {
  expect(missingIn({ ...written, ...part }, kind)).toBe(missing);
});
