import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { answer } from '../../testing/panels';
import { mailRead } from '../../testing/sample/mail-panel';
import { failure, open, rows } from './fixture';

const PNG = 'data:image/png;base64,iVBORw0KGgo=';

test('a picture is previewed in place, and nothing else', async () => {
  const attachments = [
    { name: 'Site.png', type: 'image/png', bytes: 4_096, kind: 'attachment' },
    { name: 'Drawing.svg', type: 'image/svg+xml', bytes: 4_096, kind: 'attachment' },
    { name: 'Loads.pdf', type: 'application/pdf', bytes: 4_096, kind: 'attachment' },
  ];
  const { asked } = await open({ answers: { 'mail.show': () => answer({ ...mailRead, attachments }), 'mail.show_attachment': () => answer({ picture: PNG }) } });
  await userEvent.click(rows()[0]!);
  expect(screen.getAllByRole('button', { name: /^Preview/ })).toHaveLength(1);
  await userEvent.click(screen.getByRole('button', { name: 'Preview Site.png' }));
  expect(await screen.findByRole('img', { name: 'Site.png' })).toHaveAttribute('src', PNG);
  expect(asked('mail.show_attachment')).toEqual([{ id: 'Work/INBOX/1.9', at: 0 }]);
  await userEvent.click(screen.getByRole('button', { name: 'Hide Site.png' }));
  expect(screen.queryByRole('img', { name: 'Site.png' })).toBeNull();
});

test('a file that is no picture says so', async () => {
  const attachments = [{ name: 'Site.png', type: 'image/png', bytes: 4_096, kind: 'attachment' }];
  await open({ answers: { 'mail.show': () => answer({ ...mailRead, attachments }), 'mail.show_attachment': () => failure('The attachment is not shown: it is damaged.', 'Save it to the vault instead.') } });
  await userEvent.click(rows()[0]!);
  await userEvent.click(screen.getByRole('button', { name: 'Preview Site.png' }));
  expect(await screen.findByRole('alert')).toHaveTextContent(/it is damaged\..*Save it/);
});
