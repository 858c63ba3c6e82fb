import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';

import { renderInApp } from '../testing/render';
import { sampleNow } from '../testing/sample';
import { ChatList } from './ChatList';

function show(options: Parameters<typeof renderInApp>[1] = {}) {
  const onFold = vi.fn();
  return { ...renderInApp(<ChatList now={sampleNow} onFold={onFold} />, options), onFold, user: userEvent.setup() };
}

const titles = () => [...document.querySelectorAll('[data-chat] > :first-child')].map((title) => title.textContent);

test('chats stand under their day, the running one says so', () => {
  show();
  const today = screen.getByRole('region', { name: 'Today' });
  expect(within(today).getAllByRole('button', { name: /Harborline|groceries|bank/i }).length).toBeGreaterThanOrEqual(3);
  expect(within(today).getByRole('button', { name: 'Harborline signed running' })).toBeInTheDocument();
  expect(within(today).getByRole('button', { name: 'Import bank CSV, October 09:05' })).toBeInTheDocument();
  expect(screen.getByRole('region', { name: 'Yesterday' })).toHaveTextContent('Who knows someone at Solvane?');
});

test('search keeps the titles that contain it; Esc clears it', async () => {
  const { user } = show();
  await user.type(screen.getByLabelText('Search chats'), 'solv');
  expect(titles()).toEqual(['Who knows someone at Solvane?']);
  await user.keyboard('zz');
  expect(screen.getByText('No chat is called “solvzz”.')).toBeInTheDocument();
  await user.keyboard('{Escape}');
  expect(titles()).toHaveLength(9);
});

test('from the search, Enter goes to the first chat, J and K move, Enter opens', async () => {
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
    const field = await screen.findByLabelText('Title of the chat');
    await user.clear(field);
    await user.type(field, typed);
  };
  await rename('Nothing{Escape}');
  expect(backend.asked('rename_session')).toEqual([]);
  await rename('Lisbon 2026{Enter}');
  expect(await screen.findByText('Lisbon 2026')).toBeInTheDocument();
  expect(backend.asked('rename_session')).toEqual([{ session: 'lisbon', title: 'Lisbon 2026' }]);
});

test('deleting asks a second time in the same menu', async () => {
  const { user, backend } = show();
  await user.click(screen.getByRole('button', { name: 'More for Watchlist clean-up' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete chat' }));
  expect(backend.asked('delete_session')).toEqual([]);
  await user.click(screen.getByRole('menuitem', { name: 'Delete its messages for good' }));
  await waitFor(() => expect(screen.queryByText('Watchlist clean-up')).not.toBeInTheDocument());
  expect(backend.asked('delete_session')).toEqual([{ session: 'watchlist' }]);
});

test('a turn elsewhere marks its chat', () => {
  const { backend } = show();
  const act = () => backend.emit({ type: 'turn_started', text: 'x', model: 'm', skills: [], tool: null }, { session: 'lisbon', turn: 't' });
  act();
  return waitFor(() => expect(screen.getByRole('button', { name: 'Trip costs, Lisbon offsite running' })).toBeInTheDocument());
});

test('the footer tells the vault, or that there is none', () => {
  show();
  expect(screen.getByText('412 notes, watching')).toBeInTheDocument();
});

test('without chats the list says how one comes', () => {
  show({ app: { sessions: [] } });
  expect(screen.getByText('No chats yet. The first message starts one.')).toBeInTheDocument();
});
