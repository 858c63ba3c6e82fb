import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test, vi } from 'vitest';

import type { Envelope, EventBody, GlanceView } from '../ipc';
import { renderInApp } from '../testing/render';
import { sampleNow, sampleWorld } from '../testing/sample';
import { samplePanels } from '../testing/sample-panels';
import { ChatList } from './ChatList';
import { Rail } from './Rail';

function show(options: Parameters<typeof renderInApp>[1] = {}) {
  const onFold = vi.fn();
  return { ...renderInApp(<ChatList now={sampleNow} onFold={onFold} />, options), onFold, user: userEvent.setup() };
}

const started = (text: string, after: string | null): EventBody => ({ type: 'turn_started', text, model: 'm', skills: [], tool: null, after });

const titles = () => [...document.querySelectorAll('[data-chat] > :first-child')].map((title) => title.textContent);

test('chats are grouped by day, and the running one is marked', () => {
  show();
  const today = screen.getByRole('region', { name: 'Today' });
  expect(within(today).getAllByRole('button', { name: /Harborline|groceries|bank/i }).length).toBeGreaterThanOrEqual(3);
  expect(within(today).getByRole('button', { name: 'Harborline signed running' })).toBeInTheDocument();
  expect(within(today).getByRole('button', { name: 'Import bank CSV, October 09:05' })).toBeInTheDocument();
  expect(screen.getByRole('region', { name: 'Yesterday' })).toHaveTextContent('Who knows someone at Solvane?');
});

test('a new chat has a name, too', async () => {
  const { backend } = show();
  backend.world.sessions = backend.world.sessions.map((row) => (row.id === 'lisbon' ? { ...row, title: '' } : row));
  act(() => backend.emit({ type: 'session_changed', id: 'lisbon' }));
  expect(await screen.findByRole('button', { name: /^New chat/ })).toBeInTheDocument();
});

test('a search finds text, shows matches, and Esc clears it', async () => {
  const { user, backend } = show();
  const row = backend.world.sessions.find(({ id }) => id === 'lisbon');
  if (!row) throw new Error('the sample has the chat');
  const snippet = [{ text: 'at the ', hit: false }, { text: 'harbour', hit: true }];
  backend.on('search_sessions', ({ query }) =>
    query === 'harb' ? [{ row, title: null, said: [{ turn: 't7', by: 'nova', at: row.updated_at, snippet }] }] : [],
  );
  await user.type(screen.getByLabelText('Search chats'), 'harb');
  expect(await screen.findByTestId('found-place')).toHaveTextContent('Nova: at the harbour');
  expect(document.querySelector('mark')).toHaveTextContent('harbour');
  expect(titles()).toContain('Trip costs, Lisbon offsite');
  await user.keyboard('zz');
  expect(await screen.findByText(/Nothing found for “harbzz”/)).toBeInTheDocument();
  await user.keyboard('{Escape}');
  expect(titles()).toHaveLength(9);
});

test('a match opens its chat at the message, in its branch', async () => {
  const { user, backend, store } = show();
  const row = backend.world.sessions.find(({ id }) => id === 'lisbon');
  if (!row) throw new Error('the sample has the chat');
  const events: EventBody[] = [started('One', null), started('Two', null)];
  backend.world.events['lisbon'] = events.map(
    (body, at) => ({ ...body, v: 1, seq: at + 1, at: row.updated_at, session: 'lisbon', turn: `t${at}` }) as Envelope,
  );
  backend.on('search_sessions', () => [{ row, title: null, said: [{ turn: 't0', by: 'user', at: row.updated_at, snippet: [] }] }]);
  await user.type(screen.getByLabelText('Search chats'), 'one');
  await user.click(await screen.findByTestId('found-place'));
  await waitFor(() => expect(store.get().app.scrollTarget).toEqual({ session: 'lisbon', turn: 't0' }));
  expect(backend.asked('choose_branch')).toEqual([{ session: 'lisbon', turn: 't0' }]);
  expect(store.get().streams['lisbon']?.turns.map(({ text }) => text)).toEqual(['One']);
});

test('from the search, Enter focuses the first chat, J and K move, Enter opens', async () => {
  const { user, store } = show();
  await user.click(screen.getByLabelText('Search chats'));
  await user.keyboard('{Enter}');
  expect(document.activeElement).toHaveTextContent('Harborline signed');
  await user.keyboard('jjk{Enter}');
  await waitFor(() => expect(store.get().app.open).toBe('groceries'));
  expect(document.activeElement).toHaveAttribute('aria-current', 'page');
});

test('a chat is renamed in its row; Esc keeps the old title', async () => {
  const { user, backend } = show();
  const rename = async (typed: string) => {
    await user.click(screen.getByRole('button', { name: /^More for (Trip costs|Lisbon)/ }));
    await user.click(await screen.findByRole('menuitem', { name: 'Rename' }));
    const field = await screen.findByLabelText('Chat title');
    await user.clear(field);
    await user.type(field, typed);
  };
  await rename('Nothing{Escape}');
  expect(backend.asked('rename_session')).toEqual([]);
  await rename('Lisbon 2026{Enter}');
  expect(await screen.findByText('Lisbon 2026')).toBeInTheDocument();
  expect(backend.asked('rename_session')).toEqual([{ session: 'lisbon', title: 'Lisbon 2026' }]);
});

test('a deleted chat is restored by Undo', async () => {
  const { user, backend } = show();
  await user.click(screen.getByRole('button', { name: 'More for Watchlist clean-up' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete chat' }));
  await waitFor(() => expect(titles()).not.toContain('Watchlist clean-up'));
  expect(backend.asked('delete_session')).toEqual([{ session: 'watchlist' }]);
  expect(screen.getByText('“Watchlist clean-up” is deleted')).toBeInTheDocument();
  await user.click(screen.getByTestId('undo-delete'));
  await waitFor(() => expect(titles()).toContain('Watchlist clean-up'));
  expect(screen.queryByTestId('undo-delete')).not.toBeInTheDocument();
});

test('a pinned chat is first, an archived one is collapsed', async () => {
  const { user, backend } = show();
  const choose = async (chat: RegExp, what: string) => {
    await user.click(screen.getByRole('button', { name: chat }));
    await user.click(await screen.findByRole('menuitem', { name: what }));
  };
  await choose(/^More for Watchlist/, 'Pin');
  await waitFor(() => expect(titles()[0]).toBe('Watchlist clean-up'));
  expect(screen.getByRole('region', { name: 'Pinned' })).toHaveTextContent('Watchlist clean-up');
  await choose(/^More for Onboard/, 'Archive');
  await waitFor(() => expect(titles()).not.toContain('Onboard the new designer'));
  await user.click(screen.getByTestId('archived'));
  expect(titles().at(-1)).toBe('Onboard the new designer');
  expect(backend.asked('set_session')).toEqual([
    { session: 'watchlist', pinned: true },
    { session: 'designer', archived: true },
  ]);
});

test('a right click opens the menu of a chat, which exports it', async () => {
  const { user, backend } = show();
  await user.pointer({ keys: '[MouseRight]', target: screen.getByText('Watchlist clean-up') });
  await user.click(await screen.findByRole('menuitem', { name: 'Export…' }));
  expect(backend.asked('export_session')).toEqual([{ session: 'watchlist' }]);
});

test('a turn in another process marks its chat', () => {
  const { backend } = show();
  const act = () => backend.emit({ type: 'turn_started', text: 'x', model: 'm', skills: [], tool: null }, { session: 'lisbon', turn: 't' });
  act();
  return waitFor(() => expect(screen.getByRole('button', { name: 'Trip costs, Lisbon offsite running' })).toBeInTheDocument());
});

test('the footer shows the vault, or that there is none', () => {
  show();
  expect(screen.getByText('412 notes, watching')).toBeInTheDocument();
});

test('without chats the list says how to start one', () => {
  show({ app: { sessions: [] } });
  expect(screen.getByText('No chats yet. The first message starts one.')).toBeInTheDocument();
});

describe('due items', () => {
  const overdue: GlanceView['badge'] = [{ value: 2, format: 'text', unit: '', words: 'overdue' }];
  const glances: GlanceView[] = [{ skill: 'crm', name: 'CRM', icon: null, late: false, ask: null, says: [], badge: overdue, today: null }];

  test('are shown beside their skill, in the list and in the rail’s tooltips', () => {
    show({ app: { skillPanels: samplePanels, glances } });
    expect(screen.getByRole('button', { name: 'CRM 2 overdue' })).toBeVisible();
    expect(screen.getByRole('button', { name: 'Portfolio' })).toBeVisible();
    renderInApp(<Rail onUnfold={() => {}} onSearch={() => {}} />, { app: { skillPanels: samplePanels, glances } });
    expect(screen.getByRole('button', { name: /^CRM, 2 overdue/ })).toBeVisible();
  });

  test('are reloaded when notes change: once for changes during a load', async () => {
    const { backend, store } = show({ app: { skillPanels: samplePanels } });
    backend.on('list_glances', () => glances);
    const changed: EventBody = { type: 'vault_changed', kind: 'modified', path: 'CRM/People/Jane Doe.md', from: null, by: 'outside', summary: null };
    act(() => {
      for (let times = 0; times < 5; times++) backend.emit(changed);
    });
    expect(await screen.findByRole('button', { name: 'CRM 2 overdue' })).toBeVisible();
    await act(() => store.actions.loadGlances());
    expect(backend.asked('list_glances').length).toBeLessThanOrEqual(3);
  });

  test('a glance that fails to load is ignored; the previous one stays', async () => {
    const { backend, store } = show();
    backend.fail('list_glances', { message: 'No.' });
    await act(() => store.actions.loadGlances());
    expect(store.get().app).toMatchObject({ glances: [], problem: null });
    backend.on('list_glances', () => glances);
    await act(() => store.actions.loadGlances());
    backend.fail('list_glances', { message: 'No.' });
    await act(() => store.actions.loadGlances());
    expect(store.get().app.glances).toEqual(glances);
  });

  test('a slow tool keeps its last glance; an empty result removes it', async () => {
    const { backend, store } = show({ app: { glances } });
    backend.on('list_glances', () => glances.map((one) => ({ ...one, late: true, badge: [] })));
    await act(() => store.actions.loadGlances());
    expect(store.get().app.glances?.[0]?.badge).toEqual(overdue);
    backend.on('list_glances', () => glances.map((one) => ({ ...one, badge: [] })));
    await act(() => store.actions.loadGlances());
    expect(store.get().app.glances?.[0]?.badge).toEqual([]);
  });

  test('of the previous vault are not shown for the current one', async () => {
    const { backend, store } = show();
    let answer = (_glances: GlanceView[]) => {};
    backend.on('list_glances', () => new Promise((done) => (answer = done)));
    const reading = store.actions.loadGlances();
    await vi.waitFor(() => expect(backend.asked('list_glances')).toHaveLength(1));
    act(() => store.actions.clearGlances());
    await act(async () => {
      answer(glances);
      await reading;
    });
    expect(store.get().app.glances).toBeNull();
  });
});

test('menu at the vault’s name opens a recent vault', async () => {
  const { backend, store } = renderInApp(<ChatList now={sampleNow} onFold={() => undefined} />, { world: { sessions: [] } });
  await userEvent.click(screen.getByTestId('vault-menu'));
  expect(await screen.findByTestId('vault-open-another')).toBeVisible();
  await userEvent.click(await screen.findByRole('menuitem', { name: /^House/ }));
  await waitFor(() => expect(backend.asked('open_vault')).toEqual([{ choice: { kind: 'folder', path: '/home/mara/Documents/House' }, model: null }]));
  await waitFor(() => expect(store.get().app.status?.vault?.name).toBe('House'));
});

test('menu at the vault’s name leads to suggested links between notes', async () => {
  const tools = sampleWorld().tools.slice(0, 1).map((tool) => ({ ...tool, name: 'vault.suggest_links' }));
  const { store } = renderInApp(<ChatList now={sampleNow} onFold={() => undefined} />, { world: { sessions: [], tools } });
  await userEvent.click(screen.getByTestId('vault-menu'));
  await userEvent.click(await screen.findByTestId('vault-suggest-links'));
  expect(store.get().app.view).toEqual({ kind: 'run-tool', tool: 'vault.suggest_links', args: { dry_run: true } });
});
