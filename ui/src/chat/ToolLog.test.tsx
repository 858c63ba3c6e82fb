import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { Conversation } from './Conversation';
import { completed, openChat, started, turnStarted } from './fixture';

test('the card shows the tool’s log, with warnings also marked by a word', async () => {
  await openChat(<Conversation />, [
    turnStarted(),
    started('c1', 'dynamic.weather', 'read'),
    completed('c1', 'sunny', {
      log: [
        { level: 'info', message: 'asked twice' },
        { level: 'warn', message: 'no \u202eanswer' },
      ],
    }),
  ]);
  await userEvent.click(within(screen.getByTestId('tool-card')).getByRole('button', { name: /Open/ }));
  const log = within(screen.getByTestId('tool-log'));
  expect(log.getByText(/asked twice/)).toBeVisible();
  expect(log.getByText(/Warning:/).parentElement).toHaveTextContent(/^Warning: no .*answer$/);
});

test('without a log there is no section for it', async () => {
  await openChat(<Conversation />, [turnStarted(), started('c1', 'dynamic.weather', 'read'), completed('c1', 'sunny')]);
  await userEvent.click(within(screen.getByTestId('tool-card')).getByRole('button', { name: /Open/ }));
  expect(screen.queryByTestId('tool-log')).toBeNull();
});
