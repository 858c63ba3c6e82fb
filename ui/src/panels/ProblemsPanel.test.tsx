import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { ProblemView } from '../ipc';
import { renderInApp } from '../testing/render';
import { ProblemsPanel } from './ProblemsPanel';

const problem = (path: string, line: number, what = 'A tab cannot indent.', remedy = 'Use spaces.'): ProblemView => ({ path, line, problem: what, remedy });

async function open(problems: ProblemView[]) {
  const app = renderInApp(<ProblemsPanel />, { world: { problems } });
  await act(() => app.store.actions.loadProblems());
  return { ...app, user: userEvent.setup() };
}

const notes = () => screen.getAllByTestId('note-problems').map((one) => one.dataset['path']);

test('are grouped by note, each with line, problem and remedy', async () => {
  await open([
    problem('CRM/Arden.md', 4, 'Stage “nego” is not one of the stages.', 'Choose lead or won.'),
    problem('CRM/Arden.md', 7),
    problem('CRM/Arden.md', 9, '`value` is not a plain decimal', 'Write it as 12.'),
    problem('A (conflict).md', 1, 'A copy by a sync program.', 'Delete it.'),
  ]);
  expect(screen.getByRole('heading')).toHaveTextContent('4 problems in 2 notes');
  expect(notes()).toEqual(['CRM/Arden.md', 'A (conflict).md']);
  const arden = within(screen.getByRole('article', { name: 'Arden' })).getAllByRole('listitem');
  expect(arden.map((line) => line.textContent)).toEqual([
    'Line 4Stage “nego” is not one of the stages. Choose lead or won.',
    'Line 7A tab cannot indent. Use spaces.',
    'Line 9value is not a plain decimal. Write it as 12.',
  ]);
  expect(screen.getByText('value').tagName).toBe('CODE');
});

test('opens the note in Obsidian, or says why it cannot', async () => {
  const { backend, user } = await open([problem('CRM/Arden.md', 4)]);
  await user.click(screen.getByRole('button', { name: 'Open in Obsidian: Arden' }));
  expect(backend.asked('open_note')).toEqual([{ path: 'CRM/Arden.md' }]);
  backend.fail('open_note', { message: 'Obsidian is not installed.', hint: 'Install it.' });
  await user.click(screen.getByRole('button', { name: 'Open in Obsidian: Arden' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('Obsidian is not installed.');
});

test('J and K move between notes, O opens in Obsidian, Enter shows the note here', async () => {
  const { backend, store, user } = await open([problem('A.md', 1), problem('B.md', 1), problem('C.md', 1)]);
  await user.tab();
  expect(document.activeElement).toHaveTextContent('A');
  await user.keyboard('jjk');
  expect(document.activeElement).toHaveTextContent('B');
  await user.keyboard('o');
  expect(backend.asked('open_note')).toEqual([{ path: 'B.md' }]);
  await user.keyboard('{Enter}');
  expect(store.get().app.panel).toMatchObject({ tab: 'note', note: 'B.md' });
});

test('a fixed problem disappears', async () => {
  const { backend } = await open([problem('A.md', 1), problem('B.md', 1)]);
  backend.world.problems = [problem('B.md', 1)];
  act(() => void backend.emit({ type: 'vault_changed', kind: 'modified', path: 'A.md', from: null, by: 'outside', summary: null }));
  await waitFor(() => expect(notes()).toEqual(['B.md']));
  backend.world.problems = [];
  act(() => void backend.emit({ type: 'vault_changed', kind: 'removed', path: 'B.md', from: null, by: 'outside', summary: null }));
  expect(await screen.findByText(/^No problems\./)).toBeVisible();
});

test('50 of many notes are shown, the rest on request', async () => {
  const { user } = await open(Array.from({ length: 120 }, (_, at) => problem(`Note ${at}.md`, 1)));
  expect(notes()).toHaveLength(50);
  await user.click(screen.getByRole('button', { name: 'Show 50 more' }));
  await user.click(screen.getByRole('button', { name: 'Show 20 more' }));
  expect(notes()).toHaveLength(120);
  expect(screen.queryByRole('button', { name: /^Show/ })).toBeNull();
});

test('a failed load says so and keeps the known problems', async () => {
  const { backend, store, user } = await open([problem('A.md', 1)]);
  backend.fail('list_problems', { message: 'The vault folder is gone.', hint: 'Find it.' });
  await act(() => store.actions.loadProblems());
  expect(screen.getByRole('alert')).toHaveTextContent('The vault folder is gone.');
  expect(notes()).toEqual(['A.md']);
  backend.on('list_problems', () => []);
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText(/^No problems\./)).toBeVisible();
});

test('makes an unmatched note a record in one click, with Undo', async () => {
  const mark = { skill: 'crm', record_type: 'contact', mark: 'type: contact' };
  const { backend, user } = await open([{ ...problem('CRM/People/Ada.md', 1, 'it is in CRM/People but not a contact'), mark }]);
  backend.on('undo_changes', () => ({ change_set: 'c2', undone: [], merged: [], conflicts: [] }));
  await user.click(screen.getByRole('button', { name: 'Set type: contact in Ada' }));
  expect(await screen.findByText('Ada counts as contact now.')).toBeVisible();
  expect(backend.asked('mark_record')).toMatchObject([{ skill: 'crm', record_type: 'contact', path: 'CRM/People/Ada.md' }]);
  await user.click(screen.getByTestId('undo-mark'));
  expect(await screen.findByText('Ada is as it was.')).toBeVisible();
  expect(backend.asked('undo_changes')).toEqual([{ change_set: 'marked' }]);
});

test('says why a note was not made a record', async () => {
  const mark = { skill: 'crm', record_type: 'contact', mark: 'type: contact' };
  const { backend, user } = await open([{ ...problem('CRM/People/Ada.md', 1), mark }]);
  backend.fail('mark_record', { message: 'A rule denies it.', hint: '' });
  await user.click(screen.getByTestId('mark-record'));
  expect(await screen.findByText('A rule denies it.')).toBeVisible();
});
