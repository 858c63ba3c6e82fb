import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { NoteView, ToolRow, UserError } from '../ipc';
import { firstState } from '../state/app';
import { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { sampleWorld } from '../testing/sample';
import { NotePanel } from './NotePanel';

const path = 'CRM/People/Jane Doe.md';
const jane = (more: Partial<NoteView> = {}): NoteView => ({
  path,
  name: 'Jane Doe',
  properties: [
    ['company', '[[Quillon Labs|Quillon]]'],
    ['stage', 'lead'],
  ],
  html: '<p>See <a data-note="Rollout">Rollout</a></p>',
  broken: null,
  ...more,
});

function open(note: string | null, view = jane(), tools: readonly ToolRow[] = []) {
  const backend = new FakeBackend({ ...sampleWorld(), notes: { [path]: view }, tools: [...tools] });
  return renderInApp(<NotePanel />, { backend, app: { panel: { ...firstState.panel, open: true, tab: 'note', note } } });
}

test('shows properties and text; links open other notes', async () => {
  const { store } = open(path);
  expect(await screen.findByRole('heading', { name: 'Jane Doe' })).toBeVisible();
  expect(screen.getByLabelText('Properties')).toHaveTextContent('companyQuillonstagelead');
  await userEvent.click(screen.getByText('Quillon'));
  expect(store.get().app.panel.note).toBe('Quillon Labs');
});

test('a record can be edited in its form; another note has no such button', async () => {
  const { store, unmount } = open(path, jane({ record: { skill: 'crm', record_type: 'contact', label: 'Contact' } }));
  await userEvent.click(await screen.findByRole('button', { name: 'Edit contact' }));
  expect(store.get().app.recordForm).toEqual({ skill: 'crm', type: 'contact', path });
  unmount();
  open(path);
  await screen.findByRole('heading', { name: 'Jane Doe' });
  expect(screen.queryByRole('button', { name: /^Edit/ })).toBeNull();
});

test('opens the note in Obsidian', async () => {
  const { backend } = open('Jane Doe');
  await userEvent.click(await screen.findByTestId('open-in-obsidian'));
  expect(backend.asked('open_note')).toEqual([{ path }]);
});

test('mentions in the note are listed by their tool’s form before any becomes a link', async () => {
  const { backend, store, unmount } = open(path);
  await screen.findByRole('heading', { name: 'Jane Doe' });
  expect(screen.queryByRole('button', { name: 'Suggest links' })).toBeNull();
  unmount();
  expect(backend.asked('list_tools')).toHaveLength(1);
  const again = open(path, jane(), sampleWorld().tools.slice(0, 1).map((tool) => ({ ...tool, name: 'vault.suggest_links' })));
  await userEvent.click(await screen.findByRole('button', { name: 'Suggest links' }));
  expect(again.store.get().app.view).toEqual({ kind: 'run-tool', tool: 'vault.suggest_links', args: { path, dry_run: true } });
  expect(store.get().app.view.kind).toBe('chat');
});

test('reports a missing Obsidian in one sentence, with the remedy', async () => {
  const { backend } = open('Jane Doe');
  const missing: UserError = { code: 'io', message: 'Obsidian is not installed, or did not open.', hint: 'Install it from obsidian.md, or read the note in Nova.' };
  backend.on('open_note', () => {
    throw missing;
  });
  await userEvent.click(await screen.findByTestId('open-in-obsidian'));
  expect(await screen.findByRole('alert')).toHaveTextContent(/^Obsidian is not installed, or did not open.Install it from obsidian.md, or read the note in Nova.$/);
  expect(screen.getByRole('heading', { name: 'Jane Doe' })).toBeVisible();
});

test.each([path, 'Jane Doe', 'jane doe#Log'])('opened as %s it is reloaded when the note changes, and marked', async (asked) => {
  const { backend } = open(asked);
  backend.on('read_note', () => backend.world.notes[path] ?? jane());
  await waitFor(() => expect(screen.getByTestId('note-preview')).toHaveTextContent(/Jane Doe|no note/));
  backend.world.notes = { [path]: jane({ properties: [['stage', 'won']] }) };
  act(() => void backend.emit({ type: 'vault_changed', kind: 'modified', path, from: null, by: 'outside', summary: 'stage: lead → won' }));
  await waitFor(() => expect(screen.getByLabelText('Properties')).toHaveTextContent('stagewon'));
  expect(screen.getByText(/^changed \d\d:\d\d$/)).toBeVisible();
});

test('a change of another note reloads nothing', async () => {
  const { backend } = open(path);
  await screen.findByRole('heading', { name: 'Jane Doe' });
  act(() => void backend.emit({ type: 'vault_changed', kind: 'modified', path: 'A.md', from: null, by: 'outside', summary: null }));
  expect(backend.asked('read_note')).toHaveLength(1);
});

test('a broken note shows position and remedy, and the rest', async () => {
  open(path, jane({ properties: [], broken: { path, line: 4, problem: 'A tab cannot indent.', remedy: 'Use spaces.' } }));
  expect(await screen.findByText(/Line 4: A tab cannot indent\./)).toHaveTextContent('Use spaces.');
  expect(screen.getByText('Rollout')).toBeVisible();
});

test('a deleted note says so', async () => {
  open('Nobody');
  expect(await screen.findByRole('alert')).toHaveTextContent('There is no note “Nobody”.');
});

test('no note is open', () => {
  const { backend } = open(null);
  expect(screen.getByTestId('note-preview')).toHaveTextContent('No note open.');
  expect(backend.asked('read_note')).toEqual([]);
});
