// Remedies for a failed turn, and for a message that could not be sent.
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';

import type { ErrorCode, ProviderRow } from '../ipc';
import { renderInApp } from '../testing/render';
import { sampleWorld } from '../testing/sample';
import { Conversation } from './Conversation';
import { openChat, turnStarted } from './fixture';

test.each<[ErrorCode, string[]]>([
  ['model_without_tools', ['Try again', 'Switch model']],
  ['context_too_small', ['Try again', 'Switch model', 'New chat']],
  ['private', ['Try again', 'Switch model', 'New chat']],
  ['passphrase_needed', ['Try again', 'Unlock']],
  ['provider_refused_key', ['Try again', 'Change the key', 'Switch model']],
  ['no_model', ['Choose a model']],
  ['tool_failed', ['Try again']],
])('%s has its remedy', async (code, remedies) => {
  await openChat(<Conversation />, [turnStarted(), { type: 'turn_failed', code, message: 'It failed.', hint: 'Do this.' }]);
  const links = screen.getByTestId('banner').querySelectorAll('button');
  expect([...links].map((link) => link.textContent)).toEqual(remedies);
});

test('an error and its remedy are separate; commands are shown as code', async () => {
  const failure = { code: 'provider_unreachable', message: 'Cannot reach it', hint: 'Start it with `ollama serve`.' } as const;
  await openChat(<Conversation />, [turnStarted(), { type: 'turn_failed', ...failure }]);
  expect(screen.getByTestId('banner')).toHaveTextContent('Cannot reach it. Start it with ollama serve.');
  expect(screen.getByText('ollama serve').tagName).toBe('CODE');
});

test('a turn that asked for consent is no failure once the chat has continued', async () => {
  const asked = { code: 'provider_not_agreed', message: 'It is not on this machine.', hint: '' } as const;
  await openChat(<Conversation />, [turnStarted('Who to call?', 'openai/gpt-5.2'), { type: 'turn_failed', ...asked }]);
  await userEvent.click(await screen.findByRole('button', { name: 'Send notes to api.openai.com' }));
  expect(await screen.findByText('Not sent: Nova asked you first')).toBeVisible();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

test('a locked store that blocks a message is one click from its passphrase', async () => {
  const { backend, store } = renderInApp(<Conversation />);
  backend.fail('send_message', { code: 'passphrase_needed', message: 'The keys are locked.', hint: '' });
  await userEvent.type(screen.getByTestId('composer-input'), 'Hello{Enter}');
  await userEvent.click(await screen.findByRole('button', { name: 'Unlock' }));
  expect(store.get().app.view).toEqual({ kind: 'settings', page: 'credentials' });
});

test('a full chat offers a new one', async () => {
  const { store } = await openChat(<Conversation />, [turnStarted(), { type: 'turn_failed', code: 'context_too_small', message: 'Full.', hint: '' }]);
  act(() => screen.getByRole('button', { name: 'New chat' }).click());
  expect(store.get().app.open).toBeNull();
});

describe('a context size set too small', () => {
  const tooSmall = (provider: Partial<ProviderRow>) =>
    openChat(
      <Conversation />,
      [turnStarted(), { type: 'turn_failed', code: 'context_too_small', message: 'The context is 4096 tokens.', hint: '' }],
      { providers: sampleWorld().providers.map((row) => (row.id === 'ollama' ? { ...row, ...provider } : row)) },
    );

  test('is raised by one click, and the message is sent again', async () => {
    const { backend } = await tooSmall({ kind: 'ollama', context: 4096 });
    await userEvent.click(await screen.findByText('Raise to 32k'));
    expect(backend.asked('set_context')).toEqual([{ provider: 'ollama', context: 32_768 }]);
    await waitFor(() => expect(backend.asked('send_message')).toMatchObject([{ text: 'Move the deal' }]));
  });

  test.each<[string, Partial<ProviderRow>]>([
    ['nothing was set', { kind: 'ollama' }],
    ['it is large already', { kind: 'ollama', context: 65_536 }],
    ['it says what the model takes in', { kind: 'openai', context: 4096 }],
  ])('is not raised if %s', async (_why, provider) => {
    const { backend } = await tooSmall(provider);
    await waitFor(() => expect(backend.asked('list_providers').length).toBeGreaterThan(0));
    expect(await screen.findByText('New chat')).toBeVisible();
    expect(screen.queryByText('Raise to 32k')).toBeNull();
  });
});
