import { describe, expect, test } from 'vitest';

import { listingIn, mailboxesIn, mailboxOf, peopleIn, personIn, readIn } from './messages';

describe('a sender', () => {
  test.each([
    ['Ilse Brandvik <ilse@fernhill.example>', 'Ilse Brandvik', 'ilse@fernhill.example'],
    ['Ilse@Fernhill.example', 'Ilse@Fernhill.example', 'ilse@fernhill.example'],
    ['<a@b.example>', 'a@b.example', 'a@b.example'],
    ['Doe, Jane <jane@a.example>', 'Doe, Jane', 'jane@a.example'],
    ['Bank <pay@bank.example> <x@evil.example>', 'Bank <pay@bank.example>', 'x@evil.example'],
    ['', '', ''],
  ])('%s is named and has its own address', (header, name, address) => {
    expect(personIn(header)).toEqual({ name, address });
  });

  test('several senders are separate', () => {
    expect(peopleIn('Sam <s@a.example>, ida@a.example').map(({ address }) => address)).toEqual(['s@a.example', 'ida@a.example']);
    expect(peopleIn('')).toEqual([]);
  });
});

test('a message id belongs to the mailbox with the longest matching prefix', () => {
  expect(mailboxOf('Work/2/INBOX/1.5', ['Work', 'Work/2'])).toBe('Work/2');
  expect(mailboxOf('Home/INBOX/1.5', [])).toBe('Home');
});

describe('tool output', () => {
  test('a list has messages, their total, and what is missing', () => {
    const row = { id: 'Work/INBOX/1.5', from: 'Ilse <i@f.example>', subject: 'Quote', received: '2026-11-23 14:12 +01:00', unread: true, text: 'Hello', attachments: true };
    const problem = { mailbox: 'Home', code: 'tool_failed', problem: 'Home: no answer.', remedy: 'Try again later.' };
    const { messages, total, problems } = listingIn({ total: 7, messages: [row, { subject: 'no id' }, 'nonsense'], problems: [problem] }, ['Work']);
    expect(messages).toEqual([
      { id: 'Work/INBOX/1.5', mailbox: 'Work', conversation: 'Work/INBOX/1.5', from: { name: 'Ilse', address: 'i@f.example' }, to: '', subject: 'Quote', day: '2026-11-23', time: '14:12', text: 'Hello', unread: true, flagged: false, answered: false, attachments: true, notVerified: false },
    ]);
    expect([total, problems]).toEqual([7, [problem]]);
  });

  test('invalid output is empty', () => {
    for (const nonsense of [null, undefined, 'text', 3, [], { messages: 'x' }]) expect(listingIn(nonsense, [])).toEqual({ messages: [], total: 0, problems: [] });
    expect(mailboxesIn({ mailboxes: [{ folders: null }] })).toEqual([{ name: '', address: null, readOnly: false, sends: false, folders: [] }]);
    expect([readIn(null), readIn({ subject: 'without a text' })]).toEqual([null, null]);
  });

  test('a message without checks is neither verified nor unverified', () => {
    const read = (more: object) => readIn({ from: 'a@b.example', text: 'Hi', ...more })?.verified;
    expect([read({}), read({ verified: true }), read({ verified: false }), read({ verified: 'yes' })]).toEqual([null, true, false, null]);
  });
});
