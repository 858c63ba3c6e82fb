import { expect, test } from 'vitest';

import type { Message } from './messages';
import { aboutText, groupsOf, recipientsText, shortDate, sizeText, timeText } from './words';

const at = (day: string) => ({ day, time: '18:03', subject: day }) as Message;
const today = '2026-11-25';

test('messages are grouped by day', () => {
  const days = ['2026-11-25', '2026-11-24', '2026-11-23', '2026-11-22', '2026-11-16', '2026-11-15', '2025-12-31', ''];
  expect(groupsOf(days.map(at), today).map(({ title, messages }) => [title, messages.length])).toEqual([
    ['Today', 1],
    ['Yesterday', 1],
    ['This week', 1],
    ['Last week', 2],
    ['November', 1],
    ['December 2025', 1],
    ['Without a date', 1],
  ]);
});

test('a time is as long as necessary', () => {
  expect(['2026-11-25', '2026-11-24', '2026-11-20', '2025-11-20', ''].map((day) => timeText({ day, time: '18:03' }, today))).toEqual(['18:03', '18:03', 'Fri 20 Nov', '20 Nov 2025', '18:03']);
  expect(['2026-11-25', '2026-11-12', '2025-11-20'].map((day) => shortDate({ day, time: '18:03' }, today))).toEqual(['18:03', '12 Nov', '20 Nov 2025']);
});

test('recipients are counted, and the user is "you"', () => {
  const read = (to: string, cc = '', moreRecipients = 0) => recipientsText({ to, cc, moreRecipients } as never, ['sam@okell.example']);
  expect(read('Sam <Sam@okell.example>', 'ida@okell.example')).toBe('to you and 1 more');
  expect(read('Ida <ida@okell.example>', '', 4)).toBe('to Ida and 4 more');
  expect(read('')).toBe('');
});

test('sizes are rounded', () => {
  expect([1, 900, 290_816, 1_048_576, 52_428_800].map(sizeText)).toEqual(['1 byte', '900 bytes', '284 KB', '1.0 MB', '50.0 MB']);
});

test('a question quotes untrusted text briefly, without invisible characters', () => {
  const message = { id: 'Work/INBOX/1.5', subject: `Pay\u202e ${'x'.repeat(100)}`, from: { name: 'A', address: 'a@b.example' } } as Message;
  expect(aboutText(message)).toBe(`About the mail “Pay[U+202E] ${'x'.repeat(68)}…” from a@b.example (Work/INBOX/1.5): `);
});
