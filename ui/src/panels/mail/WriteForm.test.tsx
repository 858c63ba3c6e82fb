import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';

import { answer } from '../../testing/panels';
import { EVERY, failure, open, READING, rows } from './fixture';

afterEach(() => vi.unstubAllGlobals());

const SENT = answer({ sent: '2026-11-23 14:35', message_id: 'a@b', copy: 'Sent' });

test('R writes a reply, and Ctrl Enter sends it', async () => {
  const { press, asked } = await open({ tools: EVERY, answers: { 'mail.reply': () => SENT } });
  await userEvent.click(rows()[0]!);
  press('r');
  const form = screen.getByRole('form', { name: 'Reply to Ilse Brandvik' });
  expect(within(form).getByLabelText('Text')).toHaveFocus();
  await act(async () => {});
  // The actual recipient of the reply.
  expect(screen.getByTestId('mail-reply-to')).toHaveTextContent('orders@fernhill-sales.example');
  await userEvent.keyboard('Dear Ilse{Control>}{Enter}{/Control}');
  expect(asked('mail.reply')).toEqual([{ id: 'Work/INBOX/1.9', text: 'Dear Ilse' }]);
  expect(screen.queryByTestId('mail-write')).toBeNull();
  expect(screen.getByTestId('mail-conversation')).toBeVisible();
});

test('an unsent mail stays in the form', async () => {
  const { press } = await open({ tools: EVERY, answers: { 'mail.reply': () => failure('Denied by you.') } });
  await userEvent.click(rows()[0]!);
  press('r');
  await userEvent.keyboard('Dear Ilse');
  await userEvent.click(screen.getByRole('button', { name: /^Send…/ }));
  expect(screen.getByLabelText('Text')).toHaveValue('Dear Ilse');
  expect(screen.getByTestId('call-failed')).toHaveTextContent('Denied by you.');
});

test('Send again names the draft of a mail that may have been sent', async () => {
  const error = { code: 'tool_failed' as const, message: 'Work: it may have been sent.', hint: 'It is kept.', draft: 'Work/Drafts/1.4' };
  let lost = true;
  const { press, asked } = await open({ tools: EVERY, answers: { 'mail.reply': () => (lost ? { ...failure(''), error } : SENT) } });
  await userEvent.click(rows()[0]!);
  press('r');
  await userEvent.keyboard('Dear Ilse');
  await userEvent.click(screen.getByRole('button', { name: /^Send…/ }));
  expect(asked('mail.reply')).toHaveLength(1);
  // Also after the form was closed.
  await userEvent.keyboard('{Escape}');
  press('r');
  lost = false;
  await userEvent.click(screen.getByRole('button', { name: /^Send again…/ }));
  expect(asked('mail.reply')[1]).toEqual({ id: 'Work/INBOX/1.9', text: 'Dear Ilse', draft: 'Work/Drafts/1.4' });
  expect(screen.queryByTestId('mail-write')).toBeNull();
  press('r');
  expect(screen.getByRole('button', { name: /^Send…/ })).toBeVisible();
});

test('another mailbox does not send the draft of the first', async () => {
  const error = { code: 'tool_failed' as const, message: 'Work: it may have been sent.', hint: '', draft: 'Work/Drafts/1.4' };
  await open({ tools: EVERY, answers: { 'mail.send': () => ({ ...failure(''), error }) } });
  await userEvent.click(screen.getByTestId('mail-new'));
  await userEvent.type(screen.getByLabelText('To'), 'jane@a.example');
  await userEvent.type(screen.getByLabelText('Subject'), 'Hello');
  await userEvent.type(screen.getByLabelText('Text'), 'Hi');
  await userEvent.click(screen.getByRole('button', { name: /^Send…/ }));
  expect(screen.getByRole('button', { name: /^Send again…/ })).toBeVisible();
  await userEvent.click(within(screen.getByTestId('mail-write')).getByRole('radio', { name: 'Home' }));
  expect(screen.getByRole('button', { name: /^Send…/ })).toBeVisible();
});

test('the text is restored when the form is closed or left, until it is sent', async () => {
  const { press } = await open({ tools: EVERY, answers: { 'mail.reply': () => SENT } });
  await userEvent.click(rows()[0]!);
  press('r');
  await userEvent.keyboard('Dear Ilse');
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByTestId('mail-write')).toBeNull();
  press('r');
  expect(screen.getByLabelText('Text')).toHaveValue('Dear Ilse');
  await userEvent.click(rows()[1]!);
  press('r');
  expect(screen.getByLabelText('Text')).toHaveValue('');
  await userEvent.click(rows()[0]!);
  press('r');
  expect(screen.getByLabelText('Text')).toHaveValue('Dear Ilse');
  await userEvent.keyboard('{Control>}{Enter}{/Control}');
  press('r');
  expect(screen.getByLabelText('Text')).toHaveValue('');
});

test('a new mail says what is missing, and is stored as a draft of its mailbox', async () => {
  const { asked } = await open({ tools: EVERY, answers: { 'mail.draft': () => answer({ id: 'Work/Drafts/1.1' }) } });
  await userEvent.click(screen.getByTestId('mail-new'));
  expect(screen.getByLabelText('To')).toHaveFocus();
  await userEvent.type(screen.getByLabelText('Text'), 'Hello');
  await userEvent.click(screen.getByRole('button', { name: /^Send…/ }));
  expect(screen.getByRole('alert')).toHaveTextContent('Add a recipient.');
  expect(asked('mail.send')).toEqual([]);
  await userEvent.type(screen.getByLabelText('To'), 'jane@a.example');
  await userEvent.click(screen.getByRole('button', { name: 'Attach a file' }));
  await userEvent.keyboard('Files/a.pdf');
  await userEvent.click(screen.getByRole('button', { name: 'Save draft' }));
  await act(async () => {});
  expect(asked('mail.draft')).toEqual([{ mailbox: 'Work', to: ['jane@a.example'], text: 'Hello', attachments: ['Files/a.pdf'] }]);
  expect(screen.queryByTestId('mail-write')).toBeNull();
});

test('a mailbox with sending off disables Send and says why', async () => {
  const { store } = await open({ tools: EVERY });
  await userEvent.click(screen.getByTestId('mail-new'));
  await userEvent.click(within(screen.getByTestId('mail-write')).getByRole('radio', { name: 'Home' }));
  expect(screen.getByRole('button', { name: /^Send…/ })).toBeDisabled();
  expect(screen.getByTestId('mail-write')).toHaveTextContent('Sending is off for Home.');
  await userEvent.click(screen.getByRole('button', { name: 'Settings' }));
  expect(store.get().app.view).toMatchObject({ skill: 'mail' });
});

test('without a send tool there is no Send', async () => {
  await open({ tools: [...READING, 'draft'] });
  await userEvent.click(screen.getByTestId('mail-new'));
  expect(screen.getByRole('button', { name: 'Save draft' })).toBeVisible();
  expect(screen.queryByRole('button', { name: /^Send…/ })).toBeNull();
});
