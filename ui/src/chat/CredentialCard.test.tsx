import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { Conversation } from './Conversation';
import { commandFor } from './CredentialCard';
import { openChat, turnStarted } from './fixture';

const needed = (credential: string, consumer: string) => ({ type: 'credential_needed', credential, consumer }) as const;

test('shows the credential, its tool, and the command', async () => {
  const user = userEvent.setup();
  await openChat(<Conversation />, [turnStarted(), needed('weather/key', 'tool:dynamic.weather')]);
  const card = screen.getByRole('group', { name: 'A credential is needed: weather/key' });
  expect(card).toHaveTextContent('dynamic.weather needs the credential weather/key');
  expect(card).toHaveTextContent('nova credential set weather/key');
  await user.click(screen.getByRole('button', { name: 'Copy the command' }));
  expect(await navigator.clipboard.readText()).toBe('nova credential set weather/key');
  expect(card).toHaveTextContent('Copied');
});

test('takes the value on the card and sends it only to the store', async () => {
  const user = userEvent.setup();
  const { backend, store } = await openChat(<Conversation />, [turnStarted(), needed('weather/key', 'tool:dynamic.weather')]);
  await user.click(screen.getByRole('button', { name: 'Enter it here' }));
  const field = screen.getByLabelText('Value');
  expect(field).toHaveAttribute('type', 'password');
  await user.type(field, 'canary-4711');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Saved. Ask again.')).toBeVisible();
  expect(backend.asked('set_credential')).toEqual([{ name: 'weather/key', value: 'canary-4711' }]);
  expect(JSON.stringify(store.get())).not.toContain('canary-4711');
  expect(document.body.innerHTML).not.toContain('canary-4711');
});

test('asks for a key of a service, and accepts no other name', async () => {
  const user = userEvent.setup();
  const { backend } = await openChat(<Conversation />, [turnStarted(), needed('finnhub', 'skill:lookup')]);
  await user.click(screen.getByRole('button', { name: 'Enter it here' }));
  await user.type(screen.getByLabelText('Value'), 'x');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(backend.asked('set_credential')).toEqual([]);
  await user.type(screen.getByRole('textbox', { name: /Name/ }), 'token');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(backend.asked('set_credential')).toEqual([{ name: 'finnhub/token', value: 'x' }]);
});

test('offers the sign-in for a credential that needs one', async () => {
  const user = userEvent.setup();
  const { backend } = await openChat(<Conversation />, [turnStarted(), needed('mail/login', 'skill:mail')]);
  await user.click(await screen.findByRole('button', { name: 'Sign in' }));
  expect(backend.asked('sign_in')).toEqual([{ name: 'mail/login' }]);
  expect(await screen.findByText('Saved. Ask again.')).toBeVisible();
});

test('a refused value can be retried, and is not repeated', async () => {
  const user = userEvent.setup();
  const { backend } = await openChat(<Conversation />, [turnStarted(), needed('weather/key', 'tool:dynamic.weather')]);
  backend.fail('set_credential', { message: 'The keychain refused: it is locked.' });
  await user.click(screen.getByRole('button', { name: 'Enter it here' }));
  await user.type(screen.getByLabelText('Value'), 'canary-4711');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('The keychain refused: it is locked.');
  expect(screen.getByRole('button', { name: 'Save' })).toBeEnabled();
});

test('names a skill by its display name', async () => {
  await openChat(<Conversation />, [turnStarted(), needed('finnhub', 'skill:lookup')]);
  expect(screen.getByTestId('credential-needed')).toHaveTextContent('Lookup needs the credential finnhub');
  expect(screen.getByTestId('credential-needed')).toHaveTextContent('with the key’s name instead of KEY');
});

test.each<[string, string | null]>([
  ['weather/key', 'nova credential set weather/key'],
  ['my-service.v2/api_key', 'nova credential set my-service.v2/api_key'],
  ['weather', 'nova credential set weather/KEY'],
  ['weather/key; rm -rf ~', null],
  ['weather/$(id)', null],
  ['weather/key\nrm', null],
  ['--help', null],
  ['weather/-x', null],
  ['a/b/c', null],
  ['', null],
])('the command for %j is %j', (credential, command) => expect(commandFor(credential)).toBe(command));

test('a name with shell syntax is shown but not offered as a command', async () => {
  await openChat(<Conversation />, [turnStarted(), needed('weather/key; rm -rf ~', 'tool:dynamic.weather')]);
  expect(screen.getByTestId('credential-needed')).toHaveTextContent('Invalid credential name.');
  expect(screen.queryByRole('button', { name: 'Copy the command' })).toBeNull();
});
