import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { answer } from '../../testing/panels';
import { mailRows } from '../../testing/sample/mail-panel';
import { open, rows } from './fixture';

test('one row stands for a conversation, and acts on its listed mails', async () => {
  // The third names the conversation, too, under a subject of its own.
  const subjects = ['Re: Offer', 'Offer'];
  const together = mailRows.map((row, at) => ({ ...row, subject: subjects[at] ?? String(row.subject), conversation: at < 3 ? 'x@a' : `${at}@a`, id: `Work/INBOX/1.${at}` }));
  const { press, asked, panel } = await open({ tools: ['list', 'show', 'thread', 'folders', 'archive'], answers: { 'mail.list': () => answer({ total: 4, messages: together }) } });
  expect(rows()).toHaveLength(3);
  expect(rows()[0]).toHaveTextContent(/Ilse Brandvik, Mara Lindholt ?2/);
  expect(rows()[0]).toHaveTextContent('2 mails, unread');
  await userEvent.click(rows()[0]!);
  press('e');
  await act(async () => {});
  expect(asked('mail.archive')).toEqual([{ ids: ['Work/INBOX/1.0', 'Work/INBOX/1.1'] }]);
  press('g', panel);
  expect(screen.getByTestId('mail-folder')).toHaveFocus();
});
