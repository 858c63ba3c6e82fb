import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';

import type { CredentialRow } from '../ipc';
import { renderInApp } from '../testing/render';
import type { World } from '../testing/fake-backend';
import { SettingsPage } from './SettingsPage';

const setup = (world: Partial<World> = {}) => ({
  ...renderInApp(<SettingsPage />, { world, app: { view: { kind: 'settings', page: 'credentials' } } }),
  user: userEvent.setup(),
});

const row = async (name: string) => within(await screen.findByRole('article', { name }));

it('lists stored, wanted and granted credentials', async () => {
  setup();
  const openai = await row('openai/key');
  expect(openai.getByText('kept')).toBeVisible();
  const [granted, changed] = openai.getAllByTestId('grant');
  expect(granted).toHaveTextContent('provider:openai may send it to https://api.openai.com:443');
  expect(granted).not.toHaveTextContent('no longer allowed');
  expect(changed).toHaveTextContent('changed, no longer allowed');
  expect((await row('weather/key')).getByText('missing')).toBeVisible();
  expect((await row('weather/key')).getByText(/requested by/)).toHaveTextContent('requested by tool:dynamic.weather');
  expect((await row('mail/login')).getByText(/Enter it again/)).toHaveTextContent('invalid_grant');
});

it('adds one by name, masked, once', async () => {
  const { backend, store, user } = setup();
  await user.click(await screen.findByTestId('credential-add'));
  const form = within(screen.getByRole('form', { name: 'Add a credential' }));
  await user.type(form.getByLabelText('Value'), 'canary-4711');
  await user.type(form.getByRole('textbox', { name: /Name/ }), 'no-slash');
  await user.click(form.getByRole('button', { name: 'Save' }));
  expect(backend.asked('set_credential')).toEqual([]);
  await user.clear(form.getByRole('textbox', { name: /Name/ }));
  await user.type(form.getByRole('textbox', { name: /Name/ }), 'bank/token');
  await user.dblClick(form.getByRole('button', { name: 'Save' }));
  expect(await row('bank/token')).toBeTruthy();
  expect(backend.asked('set_credential')).toEqual([{ name: 'bank/token', value: 'canary-4711' }]);
  expect(screen.queryByRole('form', { name: 'Add a credential' })).toBeNull();
  expect(JSON.stringify(store.get()) + document.body.innerHTML).not.toContain('canary-4711');
});

it('sets a missing value and then grants it', async () => {
  const { backend, user } = setup();
  await user.click((await row('weather/key')).getByRole('button', { name: 'Set' }));
  await user.type(screen.getByLabelText('Value'), 'v');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await user.click(await (await row('weather/key')).findByRole('button', { name: 'Allow' }));
  expect(backend.asked('grant_credential')).toEqual([{ name: 'weather/key', to: 'tool:dynamic.weather' }]);
  expect(await (await row('weather/key')).findByTestId('grant')).toHaveTextContent('tool:dynamic.weather');
});

it('revokes a grant', async () => {
  const { backend, user } = setup();
  await user.click((await row('openai/key')).getAllByRole('button', { name: 'Revoke' })[0]!);
  expect(backend.asked('revoke_credential')).toEqual([{ name: 'openai/key', to: 'provider:openai' }]);
  await waitFor(async () => expect((await row('openai/key')).getAllByTestId('grant')).toHaveLength(1));
});

it('asks before it removes', async () => {
  const { backend, user } = setup();
  await user.click((await row('openai/key')).getByRole('button', { name: 'Remove' }));
  await user.click(await screen.findByRole('button', { name: 'Cancel' }));
  expect(backend.asked('remove_credential')).toEqual([]);
  await user.click((await row('openai/key')).getByRole('button', { name: 'Remove' }));
  await user.click(await screen.findByTestId('credential-remove-confirm'));
  expect(backend.asked('remove_credential')).toEqual([{ name: 'openai/key' }]);
  await waitFor(() => expect(screen.queryByRole('article', { name: 'openai/key' })).toBeNull());
});

it('explains sign-ins, and nothing else', async () => {
  setup();
  expect((await row('mail/login')).getByTestId('sign-in-meaning')).toHaveTextContent(
    'You sign in at login.example.com with your browser; Nova keeps the token and renews it. Remove it to sign out.',
  );
  expect((await row('openai/key')).queryByTestId('sign-in-meaning')).toBeNull();
});

it('names the server of a sign-in', async () => {
  const signIn: CredentialRow = { name: 'mcp-sign-in/docs', state: 'kept', reason: null, sign_in: true, host: 'docs.example', server: 'docs', wanted_by: [], grants: [] };
  setup({ credentials: { kept_in: 'keychain', problem: null, credentials: [signIn] } });
  const shown = await row('mcp-sign-in/docs');
  expect(shown.getByTestId('sign-in-meaning')).toHaveTextContent('For the MCP server docs. You sign in with your browser; Nova keeps the token and renews it, and sends it to docs.example only.');
  expect(shown.queryByRole('button', { name: 'Replace' })).toBeNull();
});

it('signs in with the browser', async () => {
  const { backend, user } = setup();
  await user.click((await row('mail/login')).getByRole('button', { name: 'Sign in' }));
  expect(backend.asked('sign_in')).toEqual([{ name: 'mail/login' }]);
  expect(await (await row('mail/login')).findByText('kept')).toBeVisible();
});

it('unlocks the encrypted file with its passphrase', async () => {
  const problem = { code: 'passphrase_needed', message: 'The credentials are in an encrypted file.', hint: '' } as const;
  const { backend, user } = setup({ credentials: { kept_in: null, problem, credentials: [] } });
  const form = within(await screen.findByRole('form', { name: 'Passphrase' }));
  backend.fail('unlock_credentials', { code: 'passphrase_needed', message: 'The passphrase does not open it.' });
  await user.type(form.getByLabelText(/Passphrase of the encrypted file/), 'wrong');
  await user.click(form.getByRole('button', { name: 'Open' }));
  expect(await form.findByRole('alert')).toHaveTextContent('The passphrase does not open it.');
  await user.clear(form.getByLabelText(/Passphrase of the encrypted file/));
  backend.on('unlock_credentials', () => (backend.world.credentials = { kept_in: 'file', problem: null, credentials: [] }));
  await user.type(form.getByLabelText(/Passphrase of the encrypted file/), 'right');
  await user.click(form.getByRole('button', { name: 'Open' }));
  expect(await screen.findByText('No credentials yet. Skills and models that need one are listed here.')).toBeVisible();
  expect(backend.asked('unlock_credentials')).toEqual([{ passphrase: 'wrong' }, { passphrase: 'right' }]);
});

it('requires a new passphrase twice', async () => {
  const { backend, user } = setup();
  backend.fail('set_credential', { code: 'no_credential_store', message: 'There is no place to keep credentials.' });
  await user.click(await screen.findByTestId('credential-add'));
  await user.type(screen.getByRole('textbox', { name: /Name/ }), 'bank/token');
  await user.type(screen.getByLabelText('Value'), 'v');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  const form = within(await screen.findByRole('form', { name: 'Passphrase' }));
  await user.type(form.getByLabelText(/Passphrase for a new encrypted file/), 'right');
  await user.type(form.getByLabelText(/Repeat/), 'rigth');
  expect(form.getByText('The passphrases differ.')).toBeVisible();
  expect(form.getByRole('button', { name: 'Create file' })).toBeDisabled();
  await user.clear(form.getByLabelText(/Repeat/));
  await user.type(form.getByLabelText(/Repeat/), 'right');
  backend.on('set_credential', () => backend.world.credentials!);
  await user.click(form.getByRole('button', { name: 'Create file' }));
  await waitFor(() => expect(backend.asked('set_credential')).toHaveLength(2));
  expect(backend.asked('unlock_credentials')).toEqual([{ passphrase: 'right' }]);
  expect(screen.queryByRole('form', { name: 'Add a credential' })).toBeNull();
});

it('shows errors', async () => {
  const { backend, user } = setup();
  backend.fail('revoke_credential', { message: 'The data folder is read-only.' });
  await user.click((await row('openai/key')).getAllByRole('button', { name: 'Revoke' })[0]!);
  expect(await (await row('openai/key')).findByRole('alert')).toHaveTextContent('The data folder is read-only.');
});

it('has nothing to allow for a client that a sign-in asks for', async () => {
  const client: CredentialRow = { name: 'sign-in/GOOGLE_MAIL_CLIENT_ID', state: 'kept', reason: null, sign_in: false, host: null, server: null, wanted_by: ['sign_in:mail/home'], grants: [] };
  setup({ credentials: { kept_in: 'keychain', problem: null, credentials: [client] } });
  const shown = await row('sign-in/GOOGLE_MAIL_CLIENT_ID');
  expect(shown.getByText('sign_in:mail/home')).toBeVisible();
  expect(shown.queryByRole('button', { name: 'Allow' })).toBeNull();
});
