import { expect, test } from 'vitest';

import { addressList, withoutRecipient } from './recipients';

const args = { to: ['Noor <noor@x.example>', 'ali@x.example'], cc: ['mia@x.example'], subject: 'Lunch', attachments: ['Files/a.pdf'] };

test('removes one recipient of its list, whatever name is shown', () => {
  expect(withoutRecipient(args, 'To', 'NOOR@x.example')).toEqual({ ...args, to: ['ali@x.example'] });
});

test('drops a list left empty', () => {
  expect(withoutRecipient(args, 'Cc', 'Mia <mia@x.example>')).toEqual({ to: args.to, subject: 'Lunch', attachments: ['Files/a.pdf'] });
});

test('the only recipient stays', () => {
  expect(withoutRecipient({ to: ['noor@x.example'], attachments: ['a.pdf'] }, 'To', 'noor@x.example')).toBeNull();
});

test.each([
  ['From', 'noor@x.example'],
  ['To', 'mia@x.example'],
  ['Attachments', 'Files/a.pdf'],
  ['Subject', 'Lunch'],
])('%s %s is no recipient of a list', (label, value) => {
  expect(withoutRecipient(args, label, value)).toBeNull();
});

test('a list of addresses has nothing else', () => {
  expect(addressList(['a@b.example', 'Jane'])).toBeNull();
  expect(addressList('a@b.example')).toBeNull();
  expect(addressList([])).toBeNull();
});
