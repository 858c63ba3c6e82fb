import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import { fireEvent } from '@testing-library/react';
import type { SettingsPageName } from '../state/app';
import { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { sampleWorld } from '../testing/sample';
import { SettingsPage } from './SettingsPage';

const setup = (page: SettingsPageName) => ({
  ...renderInApp(<SettingsPage />, { app: { view: { kind: 'settings', page } } }),
  user: userEvent.setup(),
});

describe('Models', () => {
  const provider = async (id: string) => within(await screen.findByRole('article', { name: id }));

  it('shows for each provider whether notes are sent elsewhere', async () => {
    setup('models');
    expect((await provider('ollama')).getByText('stays on this machine')).toBeVisible();
    expect((await provider('openai')).getByText('nothing is sent')).toBeVisible();
    expect((await provider('lab')).getByText('notes may go to models.lab.example')).toBeVisible();
    expect((await provider('lab')).getByRole('alert')).toHaveTextContent(
      'models.lab.example did not answer.Check that it runs.',
    );
  });

  it('does not claim that everything stays local for an unresponsive local server', async () => {
    const world = sampleWorld();
    const problem = { code: 'provider_unreachable', message: 'Cannot reach it.', hint: 'Start it.' } as const;
    const backend = new FakeBackend({ ...world, providers: world.providers.map((row) => (row.id === 'ollama' ? { ...row, models: [], problem } : row)) });
    renderInApp(<SettingsPage />, { backend, app: { view: { kind: 'settings', page: 'models' } } });
    expect((await provider('ollama')).getByText('does not answer')).toBeVisible();
    expect((await provider('ollama')).queryByText('stays on this machine')).toBeNull();
  });

  it('approves a remote provider and revokes that', async () => {
    const { backend, user } = setup('models');
    await user.click((await provider('openai')).getByTestId('provider-agree'));
    expect(backend.asked('agree_provider')).toEqual([{ provider: 'openai', host: 'api.openai.com' }]);
    await user.click(await (await provider('openai')).findByTestId('provider-revoke'));
    expect(backend.asked('revoke_provider')).toEqual([{ provider: 'openai', host: 'api.openai.com' }]);
    expect(await (await provider('openai')).findByText('nothing is sent')).toBeVisible();
  });

  it('approves each host that a local server passes models on to, and revokes that', async () => {
    const world = sampleWorld();
    const passed_on = [
      { model: 'qwen3:4b', host: 'ollama.com', agreed: false },
      { model: 'gpt-oss:120b-cloud', host: 'far.example', agreed: true },
    ];
    const providers = world.providers.map((row) => (row.id === 'ollama' ? { ...row, passed_on } : row));
    const backend = new FakeBackend({ ...world, providers });
    renderInApp(<SettingsPage />, { backend, app: { view: { kind: 'settings', page: 'models' } } });
    const user = userEvent.setup();
    const ollama = await provider('ollama');
    expect(ollama.queryByText('stays on this machine')).toBeNull();
    expect(within(ollama.getByRole('list', { name: 'Models of ollama' })).getByText('qwen3:4b').closest('li')).toHaveTextContent('at ollama.com');
    await user.click(ollama.getByRole('button', { name: 'Allow notes to go to ollama.com' }));
    expect(backend.asked('agree_provider')).toEqual([{ provider: 'ollama', host: 'ollama.com' }]);
    expect(await ollama.findByText('notes may go to ollama.com')).toBeVisible();
    const far = ollama.getByText('notes may go to far.example').closest('li');
    if (!far) throw new Error('no line');
    await user.click(within(far).getByRole('button', { name: 'Stop sending' }));
    expect(backend.asked('revoke_provider')).toEqual([{ provider: 'ollama', host: 'far.example' }]);
    expect(await ollama.findByRole('button', { name: 'Allow notes to go to far.example' })).toBeVisible();
  });

  it('never offers to revoke a local server', async () => {
    setup('models');
    expect((await provider('ollama')).queryByTestId('provider-revoke')).toBeNull();
  });

  it('sets the default model, whichever chat is open', async () => {
    const { backend, user } = setup('models');
    const line = (await provider('ollama')).getByText('qwen3:4b').closest('li');
    if (!line) throw new Error('no line');
    await user.click(within(line).getByRole('button', { name: 'Use for new chats' }));
    expect(backend.asked('set_model')).toEqual([{ session: null, model: 'ollama/qwen3:4b' }]);
    expect(await within(line).findByText('used for new chats')).toBeVisible();
  });

  it('names the models that cannot call tools', async () => {
    const world = sampleWorld();
    const providers = world.providers.map((row) => (row.id === 'ollama' ? { ...row, without_tools: ['qwen3:4b'] } : row));
    const backend = new FakeBackend({ ...world, providers });
    renderInApp(<SettingsPage />, { backend, app: { view: { kind: 'settings', page: 'models' } } });
    const ollama = await provider('ollama');
    expect(ollama.getByText('qwen3:4b').closest('li')).toHaveTextContent('cannot call tools');
    expect(ollama.getByText('qwen3:14b').closest('li')).not.toHaveTextContent('cannot call tools');
  });

  it.each([
    ['Anthropic', 'anthropic', 'anthropic', 'api.anthropic.com'],
    ['Gemini', 'gemini', 'gemini', 'generativelanguage.googleapis.com'],
    ['OpenAI Responses', 'openai-responses', 'openai_responses', 'api.openai.com'],
  ] as const)('adds %s when it answers, and lists its models', async (name, id, kind, host) => {
    const { backend, user } = setup('models');
    await user.click(await screen.findByTestId('provider-add'));
    await user.selectOptions(screen.getByLabelText('Provider'), name);
    expect(screen.getByTestId('new-provider')).toHaveTextContent(`${host} gets a one-word test request.`);
    await user.type(screen.getByLabelText('Key'), 'sk-canary{Enter}');
    const added = { id, kind, key: 'sk-canary' };
    expect((await provider(id)).getByText('gpt-5.2-mini')).toBeVisible();
    expect(backend.asked('check_provider')).toEqual([added]);
    expect(backend.asked('add_provider')).toEqual([added]);
    expect(screen.queryByTestId('provider-adding')).toBeNull();
  });

  it('stores nothing for a provider that refuses the key', async () => {
    const { backend, user } = setup('models');
    backend.fail('check_provider', { message: 'openai refused the key', hint: 'Copy the key again.' });
    await user.click(await screen.findByTestId('provider-add'));
    await user.selectOptions(screen.getByLabelText('Provider'), 'OpenAI');
    await user.type(screen.getByLabelText('Key'), 'wrong');
    await user.click(screen.getByTestId('provider-keep'));
    expect(await screen.findByText('openai refused the key')).toBeVisible();
    expect(backend.asked('add_provider')).toEqual([]);
    expect(screen.getByLabelText('Key')).toHaveValue('wrong');
  });

  it('unlocks credentials in place and keeps the same provider', async () => {
    const { backend, user } = setup('models');
    backend.fail('add_provider', { code: 'no_credential_store', message: 'There is no keychain.', hint: '' });
    await user.click(await screen.findByTestId('provider-add'));
    await user.selectOptions(screen.getByLabelText('Provider'), 'OpenAI');
    await user.type(screen.getByLabelText('Key'), 'k{Enter}');
    await user.type(await screen.findByTestId('passphrase'), 'correct horse');
    await user.type(screen.getByTestId('passphrase-again'), 'correct horse');
    await user.click(screen.getByRole('button', { name: 'Create file' }));
    await waitFor(() => expect(backend.asked('add_provider')).toHaveLength(2));
    expect(backend.asked('check_provider')).toHaveLength(1);
  });

  it('asks every provider on reload', async () => {
    const { backend, user } = setup('models');
    await provider('ollama');
    await user.click(screen.getByRole('button', { name: 'Refresh' }));
    await waitFor(() => expect(backend.asked('list_providers')).toContainEqual({ again: true }));
  });

  it('marks and unmarks a favourite', async () => {
    const { backend, user } = setup('models');
    await user.click((await provider('ollama')).getByRole('button', { name: 'Add qwen3:4b to favourites' }));
    const marked = await (await provider('ollama')).findByRole('button', { name: 'Remove qwen3:4b from favourites' });
    expect(marked).toHaveAttribute('aria-pressed', 'true');
    await user.click(marked);
    expect(await (await provider('ollama')).findByRole('button', { name: 'Add qwen3:4b to favourites' })).toBeVisible();
    expect(backend.asked('set_favourite').map(({ favourite }) => favourite)).toEqual([true, false]);
  });

  it('shows a configured price, and the result of the last request', async () => {
    const world = sampleWorld();
    const price = { model: 'qwen3:4b', currency: 'EUR', input: '0.5', cached: null, output: '2' };
    const health = { state: 'rate_limited', at: '2026-11-22T10:02:00Z', message: 'Too much.' } as const;
    const providers = world.providers.map((row) => (row.id === 'ollama' ? { ...row, prices: [price], health } : row));
    const backend = new FakeBackend({ ...world, providers });
    renderInApp(<SettingsPage />, { backend, app: { view: { kind: 'settings', page: 'models' } } });
    const ollama = await provider('ollama');
    expect(ollama.getByText('qwen3:4b').closest('li')).toHaveTextContent('€0.50 in, €2.00 out per million tokens');
    expect(ollama.getByText('qwen3:14b').closest('li')).not.toHaveTextContent('per million');
    expect(ollama.getByText(/rate limited since/)).toBeVisible();
    // Newer than the list.
    backend.emit({ type: 'provider_health', provider: 'ollama', health: { state: 'answered', at: '2026-11-22T10:03:00Z', message: null } });
    expect(await ollama.findByText(/^answered/)).toBeVisible();
  });

  it('reports a missing key of a provider, and accepts one for it', async () => {
    const { backend, user } = setup('models');
    const lab = await provider('lab');
    expect(lab.getByTestId('provider-key')).toHaveTextContent('lab has no key.');
    await user.click(lab.getByRole('button', { name: 'Set the key' }));
    await user.type(lab.getByLabelText('Value'), 'k');
    await user.click(lab.getByRole('button', { name: 'Save' }));
    expect(backend.asked('set_credential')).toEqual([{ name: 'lab/key', value: 'k', grant_to: 'provider:lab' }]);
    expect((await provider('openai')).queryByTestId('provider-key')).toBeNull();
    expect((await provider('ollama')).queryByTestId('provider-key')).toBeNull();
  });

  it('grants a stored key for the current address', async () => {
    const { backend, user } = setup('models');
    backend.world.providers = backend.world.providers.map((row) =>
      row.id === 'lab' ? { ...row, key: { credential: 'lab/key', state: 'not_granted' } } : row,
    );
    await user.click(screen.getByRole('button', { name: 'Refresh' }));
    await user.click(await (await provider('lab')).findByRole('button', { name: 'Allow it for models.lab.example' }));
    expect(backend.asked('grant_credential')).toEqual([{ name: 'lab/key', to: 'provider:lab' }]);
  });

  it('shows errors', async () => {
    const { backend, user } = setup('models');
    backend.fail('agree_provider', { message: 'The settings file is read-only.' });
    await user.click((await provider('openai')).getByTestId('provider-agree'));
    expect(await (await provider('openai')).findByRole('alert')).toHaveTextContent('The settings file is read-only.');
  });
});

describe('Appearance', () => {
  it('changes theme, text size and the activity line at once', async () => {
    const { backend, user } = setup('appearance');
    await user.click(screen.getByRole('radio', { name: 'Dark' }));
    fireEvent.change(screen.getByRole('slider', { name: 'Text size' }), { target: { value: '17' } });
    await user.click(screen.getByRole('switch', { name: 'Activity line' }));
    await waitFor(() =>
      expect(backend.asked('set_appearance').at(-1)).toEqual({ theme: 'dark', text_size: 17, activity_line: false }),
    );
    expect(screen.getByTestId('text-size')).toHaveTextContent('17 px');
    await user.click(screen.getByRole('button', { name: 'Reset' }));
    expect(screen.getByTestId('text-size')).toHaveTextContent('14 px');
  });

  it('zooms in, out and back', async () => {
    const { user } = setup('appearance');
    await user.click(screen.getByRole('button', { name: 'Larger' }));
    await user.click(screen.getByRole('button', { name: 'Larger' }));
    await user.click(screen.getByRole('button', { name: 'Smaller' }));
    expect(screen.getByTestId('zoom')).toHaveTextContent('110 %');
    await user.click(screen.getByRole('button', { name: 'Reset zoom' }));
    expect(screen.getByTestId('zoom')).toHaveTextContent('100 %');
  });
});

describe('Notifications', () => {
  it('are off by default', () => {
    setup('notifications');
    expect(screen.getByRole('combobox', { name: 'Events' })).toHaveValue('');
    expect(screen.getByRole('switch', { name: 'Morning notification' })).not.toBeChecked();
    expect(screen.queryByLabelText('Time of the morning notification')).toBeNull();
  });

  it('are set with their times, at once', async () => {
    const { backend, user } = setup('notifications');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Events' }), '10 min before');
    await user.click(screen.getByRole('switch', { name: 'Morning notification' }));
    fireEvent.change(screen.getByLabelText('Time of the morning notification'), { target: { value: '07:30' } });
    await waitFor(() => expect(backend.asked('set_reminders').at(-1)).toEqual({ events: 10, morning: '07:30' }));
    fireEvent.change(screen.getByLabelText('Time of the morning notification'), { target: { value: '' } });
    expect(backend.asked('set_reminders')).toHaveLength(3);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Events' }), 'Never');
    await waitFor(() => expect(backend.asked('set_reminders').at(-1)).toEqual({ events: null, morning: '07:30' }));
  });

  it('Nova quits with its window unless it is to keep running', async () => {
    const { backend, user } = setup('notifications');
    const closing = within(screen.getByRole('radiogroup', { name: 'When the window is closed' }));
    expect(closing.getByRole('radio', { name: 'Quit' })).toBeChecked();
    await user.click(closing.getByRole('radio', { name: 'Keep running' }));
    expect(backend.asked('set_background')).toEqual([{ keep_running: true }]);
    backend.fail('set_background', { message: 'The settings file is read-only.' });
    await user.click(closing.getByRole('radio', { name: 'Quit' }));
    await waitFor(() => expect(closing.getByRole('radio', { name: 'Keep running' })).toBeChecked());
  });

  it('reverts a setting that could not be saved', async () => {
    const { backend, user } = setup('notifications');
    backend.fail('set_reminders', { message: 'The settings file is read-only.' });
    await user.selectOptions(screen.getByRole('combobox', { name: 'Events' }), '1 h before');
    await waitFor(() => expect(screen.getByRole('combobox', { name: 'Events' })).toHaveValue(''));
  });
});
