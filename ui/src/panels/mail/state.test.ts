import { describe, expect, test } from 'vitest';

import type { Listing, MailProblem, Message } from './messages';
import { attachmentKey, firstMail, listAsked, messagesShown, namesOf, reduceMail, unreadIn, type MailChange, type MailState } from './state';

const message = (id: string, time = '10:00', more: Partial<Message> = {}): Message => ({
  id,
  mailbox: id.split('/')[0] ?? '',
  conversation: id,
  from: { name: 'Ilse', address: 'ilse@f.example' },
  to: '',
  subject: id,
  day: '2026-11-23',
  time,
  text: '',
  unread: true,
  flagged: false,
  answered: false,
  attachments: false,
  notVerified: false,
  ...more,
});

const listing = (messages: Message[], problems: MailProblem[] = []): Listing => ({ messages, total: messages.length, problems });
const listed = (of: Listing, at: string, key = 'inbox'): MailChange => ({ type: 'listed', key, listing: of, at });
const after = (...changes: MailChange[]): MailState => changes.reduce(reduceMail, firstMail);
const shownIn = (state: MailState) => messagesShown(state).map(({ id }) => id);
const home = { mailbox: 'Home', code: 'tool_failed', problem: 'Home: no answer.', remedy: '' };
const [a, b, c] = [message('Work/a', '12:00'), message('Work/b', '11:00'), message('Home/c', '11:30')];

describe('a mailbox that stops responding', () => {
  const state = after(listed(listing([a, c, b]), 't1'), listed(listing([a, b], [home]), 't2'));

  test('keeps its messages in place, with their time', () => {
    expect(shownIn(state)).toEqual(['Work/a', 'Home/c', 'Work/b']);
    expect(state.shown?.old).toEqual({ Home: 't1' });
    expect(reduceMail(state, listed(listing([a, b], [home]), 't3')).shown?.old).toEqual({ Home: 't1' });
  });

  test('shows current ones once it responds', () => {
    const again = reduceMail(state, listed(listing([a]), 't3'));
    expect([shownIn(again), again.shown?.old]).toEqual([['Work/a'], {}]);
  });

  test('keeps nothing in another folder', () => {
    expect(shownIn(reduceMail(state, listed(listing([b], [home]), 't3', 'sent')))).toEqual(['Work/b']);
  });
});

describe('a message that is moved away', () => {
  const open = after(listed(listing([a, c, b]), 't1'), { type: 'opened', message: c });

  test('leaves the list, and the next one opens', () => {
    const state = reduceMail(open, { type: 'gone', ids: ['Home/c'] });
    expect([shownIn(state), state.open?.id, state.unfolded]).toEqual([['Work/a', 'Work/b'], 'Work/b', ['Work/b']]);
  });

  test('at the end opens the previous one, and the only one none', () => {
    expect(reduceMail(open, { type: 'gone', ids: ['Home/c', 'Work/b'] }).open?.id).toBe('Work/a');
    expect(reduceMail(open, { type: 'gone', ids: ['Home/c', 'Work/b', 'Work/a'] }).open).toBeNull();
  });

  test('does not close another open one', () => {
    expect(reduceMail(open, { type: 'gone', ids: ['Work/a'] }).open?.id).toBe('Home/c');
  });
});

test('a mark holds until the list is reloaded', () => {
  const state = after(listed(listing([a]), 't1'), { type: 'marked', ids: ['Work/a'], unread: false });
  expect(messagesShown(state)[0]?.unread).toBe(false);
  expect(messagesShown(reduceMail(state, listed(listing([a]), 't2')))[0]?.unread).toBe(true);
});

test('Esc closes the form before the message', () => {
  const open = after({ type: 'opened', message: a }, { type: 'writes', writing: { kind: 'reply', to: a } });
  const closed = reduceMail(open, { type: 'closed' });
  expect([closed.writing, closed.open?.id]).toEqual([null, 'Work/a']);
  expect(reduceMail(closed, { type: 'closed' }).open).toBeNull();
});

test('a folder by name belongs to its mailbox', () => {
  const state = after({ type: 'chose_folder', folder: 'Projects', mailbox: 'Work' });
  expect([state.mailbox, state.folder]).toEqual(['Work', 'Projects']);
  expect(reduceMail(state, { type: 'chose_mailbox', mailbox: null }).folder).toBe('inbox');
  expect(reduceMail(after({ type: 'chose_folder', folder: 'sent' }), { type: 'chose_mailbox', mailbox: 'Home' }).folder).toBe('sent');
});

test('the call contains only chosen filters', () => {
  const tools = { list: 'mail.list', search: 'mail.search' };
  expect(listAsked(firstMail, tools, {})).toEqual({ tool: 'mail.list', args: { limit: 50, preview: true } });
  const sought = after({ type: 'chose_folder', folder: 'sent' }, { type: 'chose_mailbox', mailbox: 'Work' }, { type: 'searched', query: ' quote ' }, { type: 'more' });
  expect(listAsked(sought, tools, {})).toEqual({ tool: 'mail.search', args: { query: 'quote', folder: 'sent', mailbox: 'Work', limit: 100, preview: true } });
});

test('unread messages are counted by folder role', () => {
  const mailbox = (name: string, unread: number) => ({ name, address: null, readOnly: false, sends: false, folders: [{ name: 'INBOX', role: 'inbox', unread }, { name: 'Projects', role: null, unread: null }] });
  const both = [mailbox('Work', 3), mailbox('Home', 1)];
  expect([unreadIn(both, 'inbox'), unreadIn(both, 'Projects'), unreadIn([], 'inbox')]).toEqual([4, 0, 0]);
  const failing = after(listed(listing([], [{ ...home, mailbox: 'Club' }]), 't1')).shown;
  expect(namesOf(both, failing)).toEqual(['Work', 'Home', 'Club']);
});

describe('saved attachments', () => {
  const first = attachmentKey(a, 0);
  const second = attachmentKey(a, 1);
  const state = after({ type: 'saved', attachment: first, path: 'a.pdf' }, { type: 'saved', attachment: second, path: 'b.pdf' });

  test('are identified by message and index, also after a reload', () => {
    expect(reduceMail(state, listed(listing([b]), 't1')).saved).toEqual({ 'Work/a 0': 'a.pdf', 'Work/a 1': 'b.pdf' });
  });

  test('are dropped on undo', () => {
    expect(reduceMail(state, { type: 'unsaved', path: 'a.pdf' }).saved).toEqual({ [second]: 'b.pdf' });
  });
});
