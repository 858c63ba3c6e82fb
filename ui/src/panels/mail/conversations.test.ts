import { expect, test } from 'vitest';

import { conversationsOf, neighbourOf, togetherWith, writersOf } from './conversations';
import type { Message } from './messages';

const message = (id: string, conversation: string, more: Partial<Message> = {}): Message => ({
  id,
  conversation,
  mailbox: 'Work',
  from: { name: id, address: `${id}@a.example` },
  to: '',
  subject: '',
  day: '2026-11-23',
  time: '10:00',
  text: '',
  unread: false,
  flagged: false,
  answered: false,
  attachments: false,
  notVerified: false,
  ...more,
});

const list = [message('a', 'x'), message('b', 'y'), message('c', 'x', { unread: true, attachments: true }), message('d', 'x', { mailbox: 'Home' })];
const ids = (messages: readonly Message[]) => messages.map(({ id }) => id);

test('a conversation stands where its newest message is, with the marks of all', () => {
  const [first, ...others] = conversationsOf(list);
  expect([first?.id, ids(first?.messages ?? []), first?.unread, first?.attachments, first?.flagged]).toEqual(['a', ['a', 'c'], true, true, false]);
  expect(ids(others)).toEqual(['b', 'd']);
  expect(conversationsOf([])).toEqual([]);
});

test('each writer is named once', () => {
  const again = message('e', 'x', { from: { name: 'A again', address: 'a@a.example' } });
  expect(conversationsOf([...list, again]).map(writersOf)).toEqual(['A again, c', 'b', 'd']);
});

test('a message is together with the listed ones of its mailbox', () => {
  expect(ids(togetherWith(list[2]!, list))).toEqual(['a', 'c']);
  expect(ids(togetherWith(message('old', 'x'), list))).toEqual(['old']);
});

test('the next conversation follows one that is gone, else the previous one', () => {
  const next = (id: string, gone: string[]) => neighbourOf(id, list, gone)?.id;
  expect([next('a', ['a', 'c']), next('a', ['a']), next('c', ['c']), next('d', ['d']), next('d', ['a', 'b', 'd'])]).toEqual(['b', 'b', 'b', 'b', 'c']);
  expect(neighbourOf('a', [list[0]!], ['a'])).toBeUndefined();
});
