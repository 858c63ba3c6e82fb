import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { ChangeSetView, FinishResult } from '../ipc';
import { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { interruptedSet, sampleWorld } from '../testing/sample';
import { ChangesPanel } from './ChangesPanel';

/** The panel of another chat than that of the sets, as after a start. */
async function open(...sets: ChangeSetView[]) {
  const backend = new FakeBackend({ ...sampleWorld(), changes: sets });
  const app = renderInApp(<ChangesPanel />, { backend, app: { open: 'bank' } });
  await act(() => app.store.actions.start());
  return { ...app, user: userEvent.setup() };
}

const cards = () => screen.findAllByTestId('interrupted-change');

test('is first in every chat with its notes and choices; does nothing by itself', async () => {
  const { backend, store, user } = await open(interruptedSet(41));
  const [card] = await cards();
  expect(within(card!).getByRole('heading')).toHaveTextContent('Nova was interrupted while it changed 41 notes');
  expect(card).toHaveTextContent('Tag the contacts by region');
  await user.click(within(card!).getByRole('button', { name: '35 more' }));
  await user.click(within(card!).getByRole('button', { name: 'Contact 41' }));
  expect(store.get().app.panel.note).toBe('CRM/People/Contact 41.md');
  expect(backend.asked('finish_changes')).toEqual([]);
  expect(backend.asked('undo_changes')).toEqual([]);
});

test.each([
  ['Finish', 'finish_changes', 'Tag the contacts by region: 2 notes finished'],
  ['Undo', 'undo_changes', 'Tag the contacts by region: 2 notes undone'],
] as const)('%s settles it and shows the result until dismissed', async (button, method, said) => {
  const { backend, user } = await open(interruptedSet(2));
  const [card] = await cards();
  await user.click(within(card!).getByRole('button', { name: button }));
  expect(backend.asked(method)).toEqual([{ change_set: 'cut' }]);
  expect(await screen.findByText(said)).toBeVisible();
  await waitFor(() => expect(screen.queryByTestId('interrupted-change')).toBeNull());
  await user.click(screen.getByRole('button', { name: 'Hide' }));
  expect(screen.queryByTestId('settled-change')).toBeNull();
});

test('notes edited before a finish show both sides, and the set still waits', async () => {
  const { backend, user } = await open(interruptedSet(2));
  const path = 'CRM/People/Contact 1.md';
  backend.on('finish_changes', (): FinishResult => ({
    change_set: 'rest',
    finished: ['CRM/People/Contact 2.md'],
    conflicts: [{ path, what: ['region'], mine: 'region: north', theirs: 'region: south' }],
  }));
  await user.click(within((await cards())[0]!).getByRole('button', { name: 'Finish' }));
  expect(await screen.findByText('Contact 1 left as it is.')).toBeVisible();
  const card = within((await cards())[0]!);
  expect(card.getByRole('group', { name: 'Nova’s change' })).toHaveTextContent('region: north');
  expect(card.getByRole('group', { name: 'In Obsidian, now' })).toHaveTextContent('region: south');
  await user.click(card.getByRole('button', { name: 'Use Nova’s' }));
  expect(backend.asked('resolve_conflict')).toEqual([{ session: 'dividends', change_set: 'cut', note: path, keep: 'mine' }]);
  expect(await screen.findByTestId('conflict-decided')).toBeVisible();
  expect(card.getByRole('button', { name: 'Undo' })).toBeEnabled();
});

test('a failed finish says why and can be retried', async () => {
  const { backend, user } = await open(interruptedSet(2));
  backend.fail('finish_changes', { message: 'It is still open in a running Nova.', hint: 'Close it.' });
  const [card] = await cards();
  await user.click(within(card!).getByRole('button', { name: 'Finish' }));
  expect(await within(card!).findByRole('alert')).toHaveTextContent('It is still open in a running Nova.Close it.');
  expect(within(card!).getByRole('button', { name: 'Finish' })).toBeEnabled();
});

test('each of several is settled separately', async () => {
  const { backend, user } = await open(interruptedSet(1), interruptedSet(3, { id: 'other', label: 'Move the deals' }));
  const [, second] = await cards();
  await user.click(within(second!).getByRole('button', { name: 'Undo' }));
  expect(backend.asked('undo_changes')).toEqual([{ change_set: 'other' }]);
  await waitFor(async () => expect((await cards()).map((one) => one.getAttribute('aria-label'))).toEqual(['Interrupted: Tag the contacts by region']));
});
