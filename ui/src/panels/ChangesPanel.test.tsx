import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { ChangedNoteView, ChangeSetView, EventBody, UndoResult } from '../ipc';
import { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { envelopes, sampleWorld } from '../testing/sample';
import { ChangesPanel } from './ChangesPanel';

const note = (path: string, more: Partial<ChangedNoteView> = {}): ChangedNoteView => ({
  path,
  kind: 'modified',
  call: 'c1',
  undone: false,
  edited_since: false,
  diff: { path, kind: 'modified', properties: [{ key: 'stage', line: 5, before: 'lead', after: 'won' }], hunks: [], tail_skipped: 0, summary: '' },
  ...more,
});

const set = (id: string, notes: ChangedNoteView[], more: Partial<ChangeSetView> = {}): ChangeSetView => ({
  id,
  kind: 'turn',
  at: '2020-11-20T14:31:00Z',
  author: 'you',
  label: `Label of ${id}`,
  state: 'committed',
  session: 'groceries',
  undone_at: null,
  notes,
  ...more,
});

const turn: EventBody[] = [
  { type: 'turn_started', text: 'Move it', model: 'm', skills: [], tool: null },
  { type: 'tool_call_started', call: 'c1', tool: 'crm.move_deal', args: {}, effect: 'write', principal: { kind: 'user', name: 'you' } },
  { type: 'approval_decided', call: 'c1', decision: 'once', by: 'you', reason: null },
  {
    type: 'tool_call_completed',
    call: 'c1',
    ok: true,
    output: null,
    sources: [],
    ms: 1,
    changes: [{ path: 'CRM/Deals/Rollout.md', kind: 'modified' }],
    change_set: 'now',
    merged: [],
  },
];

async function open(changes: ChangeSetView[]) {
  const sample = sampleWorld();
  const backend = new FakeBackend({ ...sample, changes, events: { groceries: envelopes('groceries', 't1', turn) } });
  const app = renderInApp(<ChangesPanel />, { backend });
  await act(() => app.store.actions.openSession('groceries'));
  await waitFor(() => expect(screen.queryByRole('status', { name: 'Reading the changes' })).toBeNull());
  return app;
}

test('a file that is no note shows its content and Undo, and does not open', async () => {
  await open([set('now', [note('Files/Plan.csv', { kind: 'created' })])]);
  const file = within(noteOf('Files/Plan.csv'));
  expect(file.getByText('Plan.csv')).toBeVisible();
  expect(file.queryByRole('button', { name: 'Plan.csv' })).toBeNull();
  expect(noteOf('Files/Plan.csv')).not.toHaveAttribute('data-note-path');
  expect(file.getByRole('button', { name: 'Undo Plan.csv' })).toBeEnabled();
});

const noteOf = (path: string) => screen.getAllByTestId('change-note').find((one) => one.dataset['path'] === path) as HTMLElement;

test('the last turn is expanded with who allowed it, earlier changes are collapsed', async () => {
  await open([set('now', [note('CRM/Deals/Rollout.md'), note('Daily/2026-11-20.md')]), set('old', [note('CRM/People/Odile Farrow.md')])]);
  expect(await screen.findByRole('heading', { name: 'This turn changed 2 notes' })).toBeVisible();
  expect(screen.getByText(/^Allowed once at \d\d:\d\d, by you$/)).toBeVisible();
  expect(screen.getAllByTestId('change-note').map((one) => one.dataset['path'])).toEqual(['CRM/Deals/Rollout.md', 'Daily/2026-11-20.md']);
  expect(screen.getByTestId('earlier-change')).toHaveTextContent('Label of old1 note, 20 Nov 2020');
  await userEvent.click(screen.getByRole('button', { name: /Label of old/ }));
  expect(noteOf('CRM/People/Odile Farrow.md')).toBeVisible();
});

test('Undo reverts one note, without confirmation', async () => {
  const { backend } = await open([set('now', [note('CRM/Deals/Rollout.md'), note('Daily/2026-11-20.md')])]);
  await userEvent.click(within(noteOf('Daily/2026-11-20.md')).getByTestId('undo-note'));
  expect(backend.asked('undo_changes')).toEqual([{ change_set: 'now', note: 'Daily/2026-11-20.md' }]);
  await waitFor(() => expect(noteOf('Daily/2026-11-20.md')).toHaveTextContent(/undone at \d\d:\d\d/));
  expect(within(noteOf('CRM/Deals/Rollout.md')).getByTestId('undo-note')).toBeEnabled();
});

test('Undo turn reverts all of it', async () => {
  const { backend } = await open([set('now', [note('CRM/Deals/Rollout.md'), note('Daily/2026-11-20.md')])]);
  await userEvent.click(screen.getByTestId('undo-turn'));
  expect(backend.asked('undo_changes')).toEqual([{ change_set: 'now' }]);
  await waitFor(() => expect(screen.queryByTestId('undo-turn')).toBeNull());
  expect(screen.queryByTestId('undo-note')).toBeNull();
});

test('a conflicting note shows both sides; the other notes are undone meanwhile', async () => {
  const rollout = 'CRM/Deals/Rollout.md';
  const { backend, store } = await open([set('now', [note(rollout, { edited_since: true }), note('Daily/2026-11-20.md')])]);
  expect(noteOf(rollout)).toHaveTextContent('Edited in Obsidian since. Undo will show both versions first.');
  backend.on('undo_changes', (): UndoResult => {
    backend.world.changes = [set('now', [note(rollout, { edited_since: true }), note('Daily/2026-11-20.md', { undone: true })])];
    return {
      change_set: 'undo',
      undone: ['Daily/2026-11-20.md'],
      merged: [],
      conflicts: [{ path: rollout, what: ['stage'], mine: 'stage: lead', theirs: 'stage: proposal' }],
    };
  });
  await userEvent.click(screen.getByTestId('undo-turn'));
  const card = await screen.findByTestId('conflict-card');
  expect(card).toHaveTextContent('Both of you changed stage');
  expect(within(card).getByRole('group', { name: 'In Obsidian, now' })).toHaveTextContent('stage: proposal');
  expect(within(card).getByRole('group', { name: 'Before Nova’s change' })).toHaveTextContent('stage: lead');
  expect(screen.getByText('1 note undone, Rollout left as it is.')).toBeVisible();
  expect(noteOf('Daily/2026-11-20.md')).toHaveTextContent('undone');
  await userEvent.click(within(card).getByText('Keep Obsidian’s'));
  expect(backend.asked('resolve_conflict')).toEqual([{ session: 'groceries', change_set: 'now', note: rollout, keep: 'theirs' }]);
  expect(await within(noteOf(rollout)).findByTestId('conflict-decided')).toHaveTextContent(/^Rollout stays as it is, nothing was written, by you\d\d:\d\d$/);
  expect(screen.queryByTestId('conflict-card')).toBeNull();
  expect(screen.queryByText(/left as it is/)).toBeNull();
  await userEvent.click(within(noteOf(rollout)).getByRole('button', { name: 'Rollout' }));
  expect(store.get().app.panel.note).toBe(rollout);
});

test('a note that could not be read says why without sides; undo can be retried', async () => {
  const away = 'Team/Rollout.md';
  const { backend } = await open([set('now', [note(away)])]);
  backend.on('undo_changes', (): UndoResult => ({
    change_set: null,
    undone: [],
    merged: [],
    conflicts: [{ path: away, what: ['its folder leads nowhere'], mine: '', theirs: '', unreadable: true }],
  }));
  await userEvent.click(screen.getByTestId('undo-note'));
  const card = await screen.findByTestId('unreadable-note');
  expect(card).toHaveTextContent('Rollout could not be read');
  expect(card).toHaveTextContent('its folder leads nowhere. The note was not touched. Once it can be read, it can be undone.');
  expect(screen.queryByTestId('conflict-card')).toBeNull();
  await userEvent.click(within(card).getByText('Undo again'));
  expect(screen.getByTestId('unreadable-note')).toBeVisible();
  backend.on('undo_changes', (): UndoResult => ({ change_set: 'undo', undone: [away], merged: [], conflicts: [] }));
  await userEvent.click(screen.getByTestId('undo-again'));
  expect(backend.asked('undo_changes')).toEqual(Array(3).fill({ change_set: 'now', note: away }));
  await waitFor(() => expect(screen.queryByTestId('unreadable-note')).toBeNull());
});

test('a decision about a note stays when the panel is reopened', async () => {
  const rollout = 'CRM/Deals/Rollout.md';
  const { backend, store, unmount } = await open([set('now', [note(rollout)])]);
  backend.on('undo_changes', (): UndoResult => ({
    change_set: null,
    undone: [],
    merged: [],
    conflicts: [{ path: rollout, what: ['stage'], mine: 'stage: lead', theirs: 'stage: proposal' }],
  }));
  await userEvent.click(screen.getByTestId('undo-note'));
  await userEvent.click(await screen.findByText('Use the version before'));
  expect(backend.asked('resolve_conflict')).toEqual([{ session: 'groceries', change_set: 'now', note: rollout, keep: 'mine' }]);
  await screen.findByTestId('conflict-decided');
  const { conflicts } = store.get().app;
  unmount();
  renderInApp(<ChangesPanel />, { backend, app: { open: 'groceries', conflicts } });
  await userEvent.click(await screen.findByRole('button', { name: /Label of now/ }));
  expect(screen.getByTestId('conflict-decided')).toHaveTextContent('Nova’s side is written to Rollout, by you');
});

test('a failed undo says so and can be retried', async () => {
  const { backend } = await open([set('now', [note('CRM/Deals/Rollout.md')])]);
  backend.fail('undo_changes', { message: 'The vault folder is gone.', hint: 'Find it.' });
  await userEvent.click(screen.getByTestId('undo-note'));
  expect(await screen.findByRole('alert')).toHaveTextContent('The vault folder is gone.Find it.');
  expect(screen.getByTestId('undo-note')).toBeEnabled();
});

test('an interrupted change set of another process says so in its place', async () => {
  await open([set('cut', [note('A.md')], { state: 'interrupted' })]);
  expect(await screen.findByTestId('earlier-change')).toHaveTextContent('interrupted, 1 note');
});

test('an undo is listed as a separate change', async () => {
  await open([set('u', [note('A.md')], { kind: 'undo', label: 'Undo of Label' }), set('now', [note('A.md', { undone: true })], { state: 'undone', undone_at: '2020-11-20T14:40:00Z' })]);
  expect(await screen.findByTestId('earlier-change')).toHaveTextContent('Undo of Label');
  expect(screen.queryByTestId('undo-turn')).toBeNull();
});

test('without changes it describes what will be listed', async () => {
  await open([]);
  expect(await screen.findByText(/No changes in this chat/)).toBeVisible();
});
