import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { CredentialRow } from '../ipc';
import { violations } from '../testing/axe';
import { renderInApp } from '../testing/render';
import { SkillSignIns } from './SkillSignIns';

const google: CredentialRow = { name: 'calendar/google', state: 'needs_sign_in', reason: null, sign_in: true, host: 'accounts.google.com', server: null, wanted_by: [], grants: [] };
const others: CredentialRow[] = [
  { ...google, name: 'calendar/work', sign_in: false, state: 'kept' },
  { ...google, name: 'mail/home' },
];

const setup = (rows: CredentialRow[]) => ({
  ...renderInApp(
    <main>
      <h1>Skills</h1>
      <h2>Calendar</h2>
      <SkillSignIns skill="calendar" />
    </main>,
    { world: { credentials: { kept_in: 'keychain', problem: null, credentials: rows } } },
  ),
  user: userEvent.setup(),
});

test('a calendar is signed in to and out of, and an error stands beside it', async () => {
  const { backend, user } = setup([google, ...others]);
  const line = within(await screen.findByTestId('skill-sign-in'));
  expect(screen.getByTestId('skill-sign-in')).toHaveTextContent('calendar/googleneeds sign-inat accounts.google.com');
  expect(await violations()).toEqual([]);
  backend.fail('sign_in', { message: 'The credential sign-in/GOOGLE_CALENDAR_CLIENT_ID is missing.' });
  await user.click(line.getByTestId('sign-in'));
  expect(await line.findByRole('alert')).toHaveTextContent('GOOGLE_CALENDAR_CLIENT_ID is missing');
  backend.on('sign_in', () => (backend.world.credentials = { kept_in: 'keychain', problem: null, credentials: [{ ...google, state: 'kept' }] }));
  await user.click(line.getByTestId('sign-in'));
  await user.click(await screen.findByRole('button', { name: 'Sign out of calendar/google' }));
  await waitFor(() => expect(backend.asked('remove_credential')).toEqual([{ name: 'calendar/google' }]));
  expect(backend.asked('sign_in')).toEqual([{ name: 'calendar/google' }, { name: 'calendar/google' }]);
});

test('a skill without a sign-in has no such part', async () => {
  const { backend } = setup(others);
  await waitFor(() => expect(backend.asked('list_credentials')).not.toEqual([]));
  expect(screen.queryByText('Sign-ins')).toBeNull();
});
