import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { renderInApp } from '../../testing/render';
import { samplePanels } from '../../testing/sample-panels';
import { sampleToday } from '../../testing/sample/today';
import { Conversation } from '../Conversation';
import { Today } from './Today';

// Events of the sample end in the late evening.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(new Date(2026, 10, 24, 10, 0));
});
afterEach(() => {
  vi.useRealTimers();
});

const page = () => renderInApp(<Today empty="Nothing due today." />, { app: { glances: sampleToday(new Date()) } });
const rowOf = (text: string) => screen.getByText(text).closest('li')!;
/** A task’s note has the same name. */
const serverEvent = () => within(screen.getByRole('region', { name: 'Events' })).getByText('Fernhill revised quote').closest('li')!;

test('each section lists its due items; a failed one says why', () => {
  page();
  expect(screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)).toEqual([
    'Events2 left',
    'Tasks3 open2 overdue',
    'Birthdays1',
    'Follow-ups21 overdue',
    'Bills, next 14 days€884.602 notes',
    'Watchlist',
  ]);
  expect(within(rowOf('Sign the lease renewal')).getByText('today')).toBeVisible();
  expect(within(rowOf('Ilse Brandvik')).getByText(/^\d+ \w{3}( \d{4})?$/)).toHaveClass('text-danger');
  expect(screen.getByText(/^A rule denies portfolio\.watchlist\./)).toBeVisible();
});

test('an empty day and the initial loading have their own texts', () => {
  const { unmount } = renderInApp(<Today empty="Nothing due today." />, { app: { glances: [] } });
  expect(screen.getByText('Nothing due today.')).toBeVisible();
  unmount();
  renderInApp(<Today empty="Nothing due today." />, { app: { glances: null } });
  expect(screen.getByRole('status', { name: 'Reading what is due' })).toBeInTheDocument();
  expect(screen.queryByText('Nothing due today.')).toBeNull();
});

test('Space completes a task with its own arguments, and undoes it', async () => {
  const user = userEvent.setup();
  const { backend } = page();
  backend.on('call_tool', () => ({ ok: true, value: {}, error: null, sources: [], figures: [], changes: [], change_set: 'set-1', so_far: null, log: [], ms: 1 }));
  backend.on('undo_changes', () => ({ change_set: 'set-2', undone: ['Office.md'], merged: [], conflicts: [] }));
  const task = rowOf('Sign the lease renewal');
  task.focus();
  await user.keyboard(' ');
  expect(await within(task).findByRole('button', { name: 'Undo' })).toBeVisible();
  expect(within(task).getByRole('checkbox', { name: 'Done: Sign the lease renewal' })).toBeChecked();
  expect(backend.asked('call_tool')[0]).toMatchObject({ tool: 'vault.complete_task', args: { path: 'Office.md', text: 'Sign the lease renewal', line: 3 } });
  expect(task).toHaveFocus();
  await user.keyboard(' ');
  await waitFor(() => expect(within(rowOf('Sign the lease renewal')).getByRole('checkbox')).not.toBeChecked());
  expect(backend.asked('undo_changes')).toEqual([{ change_set: 'set-1' }]);
});

test('invisible characters of a note are shown in a row', () => {
  const [events] = sampleToday(new Date());
  const rows = events!.today!.rows.map((row) => ({ ...row, text: 'Pay\u202etxt', detail: 'a\u200bb' }));
  renderInApp(<Today empty="" />, { app: { glances: [{ ...events!, today: { ...events!.today!, rows } }] } });
  expect(screen.getAllByText('U+202E')[0]).toBeVisible();
  expect(screen.getAllByText('U+200B')[0]).toBeVisible();
});

test('a refused completion says why', async () => {
  const { backend } = page();
  backend.fail('call_tool', { message: 'The task was changed.', hint: 'Open the note.' });
  await userEvent.click(screen.getByRole('checkbox', { name: 'Done: Sign the lease renewal' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('The task was changed. Open the note.');
  expect(screen.getByRole('checkbox', { name: 'Done: Sign the lease renewal' })).not.toBeChecked();
});

test('a click on a row opens its note', async () => {
  const { store } = page();
  for (const [text, note] of [['Jane Doe', 'CRM/People/Jane Doe.md'], ['Electricity', 'Budget/Electricity.md'], ['Odile Farrow', 'CRM/People/Odile Farrow.md'], ['Quarter close', 'Events/Quarter close.md']] as const) {
    await userEvent.click(screen.getByText(text));
    expect(store.get().app.panel).toMatchObject({ open: true, tab: 'note', note });
  }
});

test.each(['a click', 'Enter', 'O'])('%s on an event of a server shows its day in the calendar', async (how) => {
  const { store } = renderInApp(<Today empty="" />, { app: { glances: sampleToday(new Date()), skillPanels: samplePanels } });
  const row = serverEvent();
  if (how === 'a click') await userEvent.click(within(row).getByRole('button', { name: /^Fernhill revised quote/ }));
  else {
    row.focus();
    await userEvent.keyboard(how === 'O' ? 'o' : '{Enter}');
  }
  expect(store.get().app.panel).toMatchObject({ open: true, tab: 'skill:calendar', calendar: { day: '2026-11-24' }, note: null });
});

test('an event of a server is plain text without the calendar', async () => {
  page();
  expect(within(serverEvent()).queryByRole('button')).toBeNull();
});

test('Arrow up goes to the last row, J and K move, Enter opens, Escape returns', async () => {
  const user = userEvent.setup();
  const { store } = renderInApp(<Conversation />, { app: { glances: sampleToday(new Date()) } });
  const message = screen.getByRole('textbox', { name: 'Message' });
  message.focus();
  await user.keyboard('{ArrowUp}');
  expect(rowOf('Office rent')).toHaveFocus();
  await user.keyboard('kkk');
  expect(rowOf('Ilse Brandvik')).toHaveFocus();
  await user.keyboard('j');
  expect(rowOf('Jane Doe')).toHaveFocus();
  expect(rowOf('Jane Doe').dataset['notePath']).toBe('CRM/People/Jane Doe.md');
  await user.keyboard('{Enter}');
  expect(store.get().app.panel).toMatchObject({ open: true, note: 'CRM/People/Jane Doe.md' });
  await user.keyboard('{Escape}');
  expect(message).toHaveFocus();
  await user.keyboard('x{ArrowUp}');
  expect(message).toHaveFocus();
});
