import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';

import { renderInApp } from '../testing/render';
import { sampleWorld } from '../testing/sample';
import { ModelMenu } from './ModelMenu';
import { WindowBanner } from './WindowBanner';

afterEach(() => vi.restoreAllMocks());

/** As reported by the web view. */
function network(there: boolean) {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(there);
  act(() => void window.dispatchEvent(new Event(there ? 'online' : 'offline')));
}

const agreed = { providers: sampleWorld().providers.map((row) => ({ ...row, agreed: true })) };
const using = (model: string) => ({ world: { ...agreed, status: { ...sampleWorld().status, model } } });

test('offline one banner says what still works, until the network is back', async () => {
  renderInApp(<WindowBanner />, using('ollama/qwen3:14b'));
  expect(screen.queryByText(/Offline/)).toBeNull();
  network(false);
  expect(screen.getByText('Offline. Notes and local tools work.')).toBeVisible();
  await act(() => Promise.resolve());
  // The chat's model is local: no need to switch.
  expect(screen.queryByRole('button')).toBeNull();
  network(true);
  expect(screen.queryByText(/Offline/)).toBeNull();
});

test('offers a local model instead of a remote one and switches by a click', async () => {
  const { backend } = renderInApp(<WindowBanner />, using('openai/gpt-5.2'));
  network(false);
  await userEvent.click(await screen.findByRole('button', { name: 'Use qwen3:14b' }));
  expect(backend.asked('set_model')).toEqual([{ session: null, model: 'ollama/qwen3:14b' }]);
  await waitFor(() => expect(screen.queryByRole('button')).toBeNull());
  expect(screen.getByText('Offline. Notes and local tools work.')).toBeVisible();
});

test('remote models are marked, local ones are not', async () => {
  renderInApp(<ModelMenu />, using('openai/gpt-5.2'));
  network(false);
  const button = await screen.findByRole('button', { name: 'Model: gpt-5.2, remote, api.openai.com, offline' });
  await userEvent.click(button);
  const menu = within(await screen.findByRole('menu'));
  expect((await menu.findByText(/^openai/)).textContent).toBe('openai, api.openai.comoffline');
  expect(menu.getByText(/^ollama/).textContent).toBe('ollama, on this machine');
  network(true);
  expect(menu.getByText(/^openai/).textContent).toBe('openai, api.openai.com');
});

test('a more severe problem replaces it', () => {
  renderInApp(<WindowBanner />, { app: { problem: { code: 'internal', message: 'The disk is full.', hint: 'Make room.' } } });
  network(false);
  expect(screen.getByText('The disk is full. Make room.')).toBeVisible();
  expect(screen.queryByText(/Offline/)).toBeNull();
});

test('an unmerged edit is shown with its copy and the remedy', async () => {
  const copy = "CRM/People/Jane (Nova's conflicted copy 2026-11-24).md";
  const { store } = renderInApp(<WindowBanner />, {
    app: { problems: { rows: [{ path: copy, line: 1, problem: 'it holds an edit', remedy: 'Compare it.' }], error: null } },
  });
  expect(await screen.findByText('1 edit made outside Nova could not be merged. Saved beside the note:')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: /conflicted copy/ }));
  expect(store.get().app.panel).toMatchObject({ tab: 'note' });
  await userEvent.click(screen.getByRole('button', { name: 'What to do' }));
  expect(store.get().app.panel).toMatchObject({ tab: 'problems' });
});
