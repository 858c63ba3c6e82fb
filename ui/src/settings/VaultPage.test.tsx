import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { OpenVaultQuestion } from '../shared/OpenVaultQuestion';
import type { AppState } from '../state/app';
import { renderInApp } from '../testing/render';
import { SettingsPage } from './SettingsPage';

const setup = async (app: Partial<AppState> = {}) => {
  const rendered = renderInApp(
    <>
      <SettingsPage />
      <OpenVaultQuestion />
    </>,
    { app: { view: { kind: 'settings', page: 'vault' }, ...app } },
  );
  await screen.findByText('Nova sample');
  return { ...rendered, user: userEvent.setup() };
};

const list = (name: string) => within(screen.getByRole('list', { name }));

test('recent vault is opened once running chats stop', async () => {
  const { backend, user } = await setup();
  await user.click(screen.getByRole('button', { name: 'Open House' }));
  expect(backend.asked('open_vault')).toEqual([]);
  await user.click(await screen.findByRole('button', { name: 'Stop and open' }));
  await waitFor(() => expect(backend.asked('open_vault')).toEqual([{ choice: { kind: 'folder', path: '/home/mara/Documents/House' }, model: null }]));
  expect(backend.asked('stop_turn')).toEqual([{ session: 'harborline' }]);
});

test('cancelled question opens nothing and stops nothing', async () => {
  const { backend, user } = await setup();
  await user.click(screen.getByRole('button', { name: 'Open House' }));
  await user.click(await screen.findByRole('button', { name: 'Cancel' }));
  expect(screen.queryByRole('dialog')).toBeNull();
  expect([backend.asked('open_vault'), backend.asked('stop_turn')]).toEqual([[], []]);
});

test('picked folder is opened as another vault', async () => {
  const { backend, store, user } = await setup();
  backend.on('pick_folder', () => ({ path: '/home/mara/Notes', shown: '~/Notes', notes: 3 }));
  backend.world.sessions = [];
  await store.actions.start();
  await user.click(screen.getByTestId('vault-open'));
  await waitFor(() => expect(backend.asked('open_vault')).toEqual([{ choice: { kind: 'folder', path: '/home/mara/Notes' }, model: null }]));
  expect(store.get().app.status?.vault?.path).toBe('/home/mara/Notes');
});

test('missing vault is removed from the list', async () => {
  const { backend, user } = await setup();
  expect(list('Recent vaults').getByText(/^not found since 3 Nov/)).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Remove Archive 2024 from the list' }));
  await waitFor(() => expect(screen.queryByText('Archive 2024')).toBeNull());
  expect(backend.asked('forget_vault')).toEqual([{ path: '/media/backup/Archive 2024' }]);
});

test('folder is revealed in the file manager', async () => {
  const { backend, user } = await setup();
  await user.click(screen.getByRole('button', { name: 'Reveal' }));
  expect(backend.asked('show_vault_folder')).toHaveLength(1);
});

test('private folder is removed by Del, with Undo', async () => {
  const { backend, user } = await setup();
  screen.getByRole('button', { name: 'Remove Health from the private notes' }).focus();
  await user.keyboard('{Delete}');
  await user.click(await screen.findByTestId('vault-undo'));
  await waitFor(() => expect(list('Private notes and folders').getByText('Health')).toBeVisible());
  expect(backend.asked('set_private')).toEqual([
    { entry: 'Health', private: false },
    { entry: 'Health', private: true },
  ]);
});

test('note found by name becomes private', async () => {
  const { backend, user } = await setup();
  await user.click(screen.getByTestId('private-note'));
  await user.type(screen.getByTestId('note-finder-field'), 'mara');
  await screen.findByRole('option', { name: /Mara Lindholt/ });
  await user.keyboard('{Enter}');
  expect(await list('Private notes and folders').findByText('CRM/People/Mara Lindholt.md')).toBeVisible();
  expect(backend.asked('set_private')).toEqual([{ entry: 'CRM/People/Mara Lindholt.md', private: true }]);
});

test('refused folder is explained and changes nothing', async () => {
  const { backend, user } = await setup();
  backend.on('pick_folder', () => ({ path: '/etc', shown: '/etc', notes: 0 }));
  backend.fail('set_private', { message: 'The vault has no note or folder "/etc".', hint: 'Choose one inside the vault.' });
  await user.click(screen.getByTestId('private-folder'));
  expect(await screen.findByRole('alert')).toHaveTextContent('The vault has no note or folder "/etc".');
});

test('extra root without a link says so and is removed', async () => {
  const { backend, user } = await setup();
  expect(list('Extra roots').getByText('as Invoices')).toBeVisible();
  expect(list('Extra roots').getByText('no link at the top of the vault')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Remove ~/Code/site from the extra roots' }));
  expect(backend.asked('set_root')).toEqual([{ path: '/home/mara/Code/site', listed: false }]);
});

test('history is pruned after it says what goes', async () => {
  const { backend, user } = await setup();
  expect(screen.getByRole('meter', { name: 'History used' })).toHaveAttribute('aria-valuetext', '212 MB of 1 GB');
  await user.click(screen.getByTestId('vault-prune'));
  expect(await screen.findByText('96 MB, 402 changes can no longer be undone. The notes stay as they are.')).toBeVisible();
  await user.click(screen.getByRole('radio', { name: '7 days' }));
  expect(backend.asked('prune_changes')).toEqual([]);
  await user.click(screen.getByTestId('vault-prune-confirm'));
  expect(backend.asked('prune_changes')).toEqual([{ days: 7 }]);
});

test('history that cannot be pruned says why', async () => {
  const { backend, user } = await setup();
  backend.fail('prune_changes', { message: 'The history cannot be written.' });
  await user.click(screen.getByTestId('vault-prune'));
  await user.click(await screen.findByTestId('vault-prune-confirm'));
  expect(await screen.findByRole('alert')).toHaveTextContent('The history cannot be written.');
});

test('checked note says why it is private', async () => {
  const { user, backend } = await setup();
  backend.on('suggest_notes', () => [{ name: 'May', path: 'Health/May.md', record_type: null }]);
  await user.click(screen.getByTestId('check-note'));
  await user.click(await screen.findByRole('option', { name: /May/ }));
  expect(await screen.findByText('Private: listed as Health.')).toBeVisible();
});

test('an unreadable note and the last outside change are named', async () => {
  const problem = { path: 'Budget/Invoice 2091.md', line: 4, problem: 'a quotation mark is not closed', remedy: 'Close it.' };
  const change = { by: 'outside', summary: null, count: 1 } as const;
  const noteChanges = {
    'CRM/People/Theo Marsh.md': { ...change, at: '2026-11-24T08:00:00Z' },
    'CRM/People/Jane Doe.md': { ...change, at: '2026-11-24T09:00:00Z' },
    'CRM/People/Pia.md': { ...change, by: { change_set: 's-1', principal: 'you', skill: null }, at: '2026-11-24T10:00:00Z' },
  } as const;
  const { user } = await setup({ problems: { rows: [problem], error: null }, noteChanges });
  const open = within(screen.getByRole('region', { name: 'Open vault' }));
  expect(open.getByText('Invoice 2091, line 4: a quotation mark is not closed')).toBeVisible();
  expect(open.getByText(/Last: Jane Doe in Obsidian, /)).toBeVisible();
  await user.click(open.getByRole('button', { name: 'Open the note' }));
  expect(await screen.findByTestId('note-popover')).toBeVisible();
});

test('retention is saved when its field is left, and only as a number', async () => {
  const { backend, user } = await setup();
  const days = screen.getByRole('textbox', { name: 'Days of history' });
  await user.clear(days);
  await user.type(days, 'soon');
  await user.tab();
  expect(backend.asked('keep_history')).toEqual([]);
  expect(days).toBeInvalid();
  await user.clear(days);
  await user.type(days, '90{Enter}');
  await waitFor(() => expect(backend.asked('keep_history')).toEqual([{ days: 90, bytes: 1_000_000_000 }]));
  const size = await screen.findByRole('textbox', { name: 'Gigabytes of history' });
  await user.clear(size);
  await user.type(size, '2,5');
  await user.tab();
  await waitFor(() => expect(backend.asked('keep_history')[1]).toEqual({ days: 90, bytes: 2_500_000_000 }));
});
