import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { sampleNow, sampleWorld } from '../testing/sample';
import { ChatList } from './ChatList';
import { TrashPage } from './TrashPage';

async function show(...deleted: string[]) {
  const backend = new FakeBackend(sampleWorld(), () => '2026-11-20T14:33:00Z');
  const app = renderInApp(
    <>
      <ChatList now={sampleNow} onFold={() => undefined} />
      <TrashPage />
    </>,
    { backend, app: { view: { kind: 'trash' } } },
  );
  for (const session of deleted) await act(() => app.store.actions.deleteSession(session));
  await act(() => app.store.actions.loadSessions());
  const rows = () => screen.queryAllByTestId('trash-row').map((row) => row.firstElementChild?.nextSibling?.textContent);
  return { ...app, backend, rows, user: userEvent.setup() };
}

const head = () => screen.getByTestId('trash').querySelector('header');

test('the last deleted chat comes first, with its remaining time', async () => {
  const { rows } = await show('lisbon', 'bank');
  expect(rows()).toEqual(['Import bank CSV, October', 'Trip costs, Lisbon offsite']);
  expect(screen.getAllByTestId('trash-row')[0]).toHaveTextContent(/deleted .*, kept until Sun 20 Dec/);
  expect(screen.getByTestId('nav-trash')).toHaveTextContent('Deleted chats2');
});

test('a restored chat is in the list again', async () => {
  const { rows, user } = await show('lisbon', 'bank');
  const list = within(screen.getByTestId('chat-list'));
  expect(list.queryByRole('button', { name: /^Trip costs/ })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Restore Trip costs, Lisbon offsite' }));
  expect(await list.findByRole('button', { name: /^Trip costs/ })).toBeVisible();
  expect(rows()).toEqual(['Import bank CSV, October']);
});

test('nothing is deleted permanently without confirmation', async () => {
  const { backend, rows, user } = await show('lisbon', 'bank');
  const remove = screen.getByRole('button', { name: 'Delete permanently: Trip costs, Lisbon offsite' });
  await user.click(remove);
  expect(screen.getByRole('dialog', { name: 'Delete “Trip costs, Lisbon offsite” for good?' })).toBeVisible();
  await user.keyboard('{Escape}');
  expect(remove).toHaveFocus();
  await user.click(remove);
  await user.click(screen.getByRole('button', { name: 'Keep' }));
  expect(backend.asked('purge_sessions')).toEqual([]);

  await user.click(remove);
  await user.click(screen.getByTestId('purge-confirm'));
  expect(backend.asked('purge_sessions')).toEqual([{ session: 'lisbon' }]);
  expect(rows()).toEqual(['Import bank CSV, October']);
});

test('the trash is emptied entirely, and the list offers no Undo', async () => {
  const { backend, rows, user } = await show('lisbon', 'bank');
  expect(screen.getByTestId('undo-delete')).toBeVisible();
  await user.click(screen.getByTestId('empty-trash'));
  expect(screen.getByRole('dialog')).toHaveTextContent('Delete 2 chats for good?');
  await user.click(screen.getByTestId('purge-confirm'));
  expect(backend.asked('purge_sessions')).toEqual([{}]);
  expect(rows()).toEqual([]);
  expect(screen.getByText('No deleted chats')).toBeVisible();
  expect(screen.queryByTestId('undo-delete')).toBeNull();
});

test('the focus moves to the next chat, else the previous, finally to the heading', async () => {
  const { user } = await show('lisbon', 'bank', 'harborline');
  const restore = (title: RegExp) => screen.getByRole('button', { name: title });
  await user.click(screen.getByRole('button', { name: 'Restore Import bank CSV, October' }));
  await waitFor(() => expect(restore(/^Restore Trip costs/)).toHaveFocus());
  await user.tab();
  await user.keyboard('{Enter}');
  await user.click(screen.getByTestId('purge-confirm'));
  await waitFor(() => expect(screen.getByTestId('restore-chat')).toHaveFocus());
  await user.keyboard('{Enter}');
  await waitFor(() => expect(head()).toHaveFocus());
});

test('the focus is on the page’s heading after the trash was emptied', async () => {
  const { user } = await show('lisbon', 'bank');
  await user.click(screen.getByTestId('empty-trash'));
  await user.click(screen.getByTestId('purge-confirm'));
  await waitFor(() => expect(head()).toHaveFocus());
});

test('a chat that could not be deleted stays, with the reason', async () => {
  const { backend, rows, user } = await show('lisbon');
  backend.fail('purge_sessions', { message: 'The disk is full.' });
  await user.click(screen.getByRole('button', { name: /^Delete permanently/ }));
  await user.click(screen.getByTestId('purge-confirm'));
  expect(await screen.findByText(/The disk is full/)).toBeVisible();
  expect(rows()).toEqual(['Trip costs, Lisbon offsite']);
});
