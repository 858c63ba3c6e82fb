import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';

import type { ProviderRow } from '../ipc';
import { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { sampleWorld } from '../testing/sample';
import { ModelMenu } from './ModelMenu';

async function open(change: (row: ProviderRow) => ProviderRow = (row) => row, shown = 'qwen3:14b') {
  const world = sampleWorld();
  const backend = new FakeBackend({ ...world, providers: world.providers.map(change) });
  renderInApp(<ModelMenu />, { backend });
  const user = userEvent.setup();
  await user.click(await screen.findByTestId('model-menu'));
  const menu = within(await screen.findByRole('menu'));
  await menu.findByText(shown);
  const items = () => [...document.querySelectorAll('[role^=menuitem]')].map((item) => item.textContent);
  return { backend, user, menu, items };
}

it('has no favourites before one is marked', async () => {
  const { menu } = await open();
  expect(menu.queryByText('Favourites')).toBeNull();
});

it('begins with the favourites, which switch the model', async () => {
  const { backend, items, menu, user } = await open((row) => (row.id === 'openai' ? { ...row, favourites: ['gpt-5.2-mini'] } : row));
  expect(menu.getByText('Favourites')).toBeVisible();
  expect(items()[0]).toContain('gpt-5.2-mini, openai');
  await user.click(menu.getByText('gpt-5.2-mini, openai'));
  expect(backend.asked('set_model').map(({ model }) => model)).toEqual(['openai/gpt-5.2-mini']);
});

it('does not switch to a favourite that cannot call tools', async () => {
  const { menu } = await open((row) => (row.id === 'openai' ? { ...row, favourites: ['gpt-5.2'], without_tools: ['gpt-5.2'] } : row));
  expect(menu.getByText('gpt-5.2, openai').closest('[role^=menuitem]')).toHaveAttribute('aria-disabled', 'true');
});

it('recognises a favourite in another spelling than its provider’s', async () => {
  const change = (row: ProviderRow) =>
    row.id === 'ollama' ? { ...row, models: ['qwen3:14b', 'llama3:latest'], favourites: ['Qwen3:14B', 'Llama3'], without_tools: ['llama3:latest'] } : row;
  const { backend, menu, user } = await open(change);
  const item = (label: string) => menu.getByText(label).closest('[role^=menuitem]');
  expect(item('Qwen3:14B, ollama')).toHaveAttribute('aria-checked', 'true');
  expect(item('Llama3, ollama')).toHaveAttribute('aria-disabled', 'true');
  await user.click(menu.getByText('Qwen3:14B, ollama'));
  expect(backend.asked('set_model').map(({ model }) => model)).toEqual(['ollama/qwen3:14b']);
});

it('shows the result of a provider’s last request', async () => {
  const health = { state: 'unreachable', at: '2026-11-22T10:02:00Z', message: 'Cannot reach it.' } as const;
  const { menu } = await open((row) => (row.id === 'openai' ? { ...row, health } : row));
  expect(menu.getByText(/not answering since/)).toBeVisible();
});

it('marks remote models while offline', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  const passed_on = [{ model: 'qwen3:4b', host: 'ollama.com', agreed: true }];
  const { items } = await open((row) => (row.id === 'ollama' ? { ...row, passed_on } : row));
  expect(items()).toEqual(expect.arrayContaining(['qwen3:14b', 'qwen3:4bat ollama.com, offline', 'gpt-5.2offline, asks before it sends']));
  vi.restoreAllMocks();
});

it('shows no location for the models of an unresponsive server', async () => {
  const problem = { code: 'provider_unreachable', message: 'Nothing answers.', hint: '' } as const;
  const { items } = await open((row) => (row.id === 'ollama' ? { ...row, problem } : row));
  expect(document.querySelector('[data-testid=model-menu]')).toHaveAttribute('aria-label', 'Model: qwen3:14b, unknown host');
  expect(items()).toContain('qwen3:14bunknown host');
});

it('checks the model in use, also in another spelling', async () => {
  await open((row) => (row.id === 'ollama' ? { ...row, models: ['Qwen3:14B', 'qwen3:4b', 'qwen3:14b-q8'] } : row), 'Qwen3:14B');
  const checked = [...document.querySelectorAll('[aria-checked=true]')].map((item) => item.textContent);
  expect(checked).toEqual([expect.stringContaining('Qwen3:14B')]);
});
