import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { RoutineRow, ToolRow } from '../../ipc';
import { renderInApp } from '../../testing/render';
import { sampleWorld } from '../../testing/sample';
import { RoutinesPage } from './RoutinesPage';

const chat = sampleWorld().sessions[0]?.id ?? '';
const last = { session: chat, due: '2026-11-23T07:30:00Z', started: '2026-11-23T07:30:10Z', ended: null, late: 0, end: 'completed', said: 'Two tasks are due.', seen: false } as const;
const morning: RoutineRow = { path: 'Routines/Morning.md', name: 'Morning', when: ['weekdays 07:30'], zone: '', enabled: true, allow: ['vault.append_to_note'], message: 'What is due today?', tool: '', args: '', skills: [], model: '', problem: null, next: '2026-11-24T07:30:00Z', last };
const broken: RoutineRow = { ...morning, path: 'Routines/Broken.md', name: 'Broken', when: ['every 0 minutes'], allow: [], problem: '"every 0 minutes" is not between 5 minutes and 24 hours. Write it as `daily 18:00`.', next: null, last: null };

const setup = async (routines: RoutineRow[]) => {
  const rendered = renderInApp(<RoutinesPage />, { world: { routines } });
  await screen.findByRole('button', { name: 'New routine' });
  return { ...rendered, user: userEvent.setup() };
};
const rowOf = async (name: string) => (await screen.findByText(name)).closest('li')!;

test('row shows schedule, last run and permissions', async () => {
  await setup([morning, broken]);
  const row = await rowOf('Morning');
  expect(row).toHaveTextContent('weekdays 07:30');
  expect(row).toHaveTextContent(/Completed .*Two tasks are due\./);
  expect(row).toHaveTextContent('May run without asking: vault.append_to_note');
  const wrong = await rowOf('Broken');
  expect(wrong).toHaveTextContent('is not between 5 minutes and 24 hours. Write it as');
  expect(wrong).toHaveTextContent('Asks before every change');
  expect(within(wrong).getByRole('button', { name: 'Run Broken now' })).toBeDisabled();
});

test('switch and Run now go to the backend; a refusal is shown in its row', async () => {
  const { backend, user } = await setup([morning]);
  await user.click(within(await rowOf('Morning')).getByRole('switch', { name: 'Morning on' }));
  expect(backend.asked('switch_routine')).toEqual([{ path: 'Routines/Morning.md', enabled: false }]);
  expect(await within(await rowOf('Morning')).findByText('Off')).toBeVisible();
  backend.fail('run_routine', { message: 'Another routine runs.', hint: 'Try again when it has ended.' });
  await user.click(screen.getByRole('button', { name: 'Run Morning now' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('Another routine runs.');
});

test('a waiting run opens its chat by Answer and cannot be started again', async () => {
  const { backend, user, store } = await setup([{ ...morning, last: { ...last, end: 'waiting', said: 'Change 1 note?' } }]);
  expect(await screen.findByRole('button', { name: 'Run Morning now' })).toBeDisabled();
  await user.click(screen.getByRole('button', { name: 'Answer: Morning' }));
  expect(backend.asked('see_routine')).toEqual([{ path: 'Routines/Morning.md' }]);
  expect(store.get().app).toMatchObject({ open: chat, view: { kind: 'chat' } });
});

test('form writes a note, shows errors, and closes by Escape', async () => {
  const { backend, user } = await setup([]);
  expect(screen.getByText(/^No routines yet\./)).toBeVisible();
  await user.click(screen.getByTestId('routine-add'));
  expect(screen.getByLabelText('Name')).toHaveFocus();
  const add = screen.getByRole('button', { name: 'Add routine' });
  expect(add).toBeDisabled();
  await user.type(screen.getByLabelText('Name'), 'Evening');
  await user.type(screen.getByLabelText('When'), 'weekdays 18:00; sat 10:00');
  await user.type(screen.getByLabelText('Message'), 'What is left?');
  backend.fail('add_routine', { message: '"x" names no day.', hint: '' });
  await user.click(add);
  expect(await screen.findByRole('alert')).toHaveTextContent('"x" names no day.');
  await user.keyboard('{Escape}');
  expect(screen.queryByTestId('routine-form')).toBeNull();
});

test('entered values become a routine', async () => {
  const { backend, user } = await setup([]);
  await user.click(screen.getByTestId('routine-add'));
  await user.type(screen.getByLabelText('Name'), 'Evening');
  await user.type(screen.getByLabelText('When'), 'weekdays 18:00; sat 10:00');
  await user.type(screen.getByLabelText('Message'), 'What is left?');
  await user.click(screen.getByRole('button', { name: 'Add routine' }));
  await waitFor(() => expect(backend.asked('add_routine')[0]).toMatchObject({ name: 'Evening', when: ['weekdays 18:00', 'sat 10:00'], message: 'What is left?', allow: [] }));
  expect(await screen.findByText('Evening')).toBeVisible();
});

const tool: ToolRow = {
  wire_name: 'vault__add_task', name: 'vault.add_task', skill: 'vault', effect: 'write', description: 'Adds a task.', state: 'available', reason: null,
  input_schema: { type: 'object', properties: { text: { type: 'string', title: 'Text' }, due: { type: 'string', format: 'date', title: 'Due' } }, required: ['text'] },
};

test('a tool runs with the arguments of its form', async () => {
  const { backend, user } = await setup([]);
  backend.on('list_tools', () => [tool]);
  await user.click(screen.getByTestId('routine-add'));
  await user.type(screen.getByLabelText('Name'), 'Water');
  await user.type(screen.getByLabelText('When'), 'sat 10:00');
  await user.click(screen.getByRole('radio', { name: 'Tool' }));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Tool' }), 'vault.add_task');
  await user.click(screen.getByRole('button', { name: 'Add routine' }));
  expect(backend.asked('add_routine')).toEqual([]);
  await user.type(screen.getByLabelText(/^Text/), 'Water the plants');
  await user.click(screen.getByRole('button', { name: 'Run without asking' }));
  await user.dblClick(screen.getByRole('button', { name: 'Add routine' }));
  expect(await screen.findByText('vault.add_task')).toBeVisible();
  expect(backend.asked('add_routine')).toEqual([
    { name: 'Water', when: ['sat 10:00'], zone: '', message: '', tool: 'vault.add_task', args: '{"text":"Water the plants"}', allow: ['vault.add_task'], skills: [], model: '' },
  ]);
});

test('an unknown tool is shown with its remedy, and the form stays', async () => {
  const { backend, user } = await setup([]);
  backend.on('list_tools', () => [tool]);
  backend.fail('add_routine', { message: 'There is no tool "vault.add_task".', hint: 'Nearest: vault.list_tasks.' });
  await user.click(screen.getByTestId('routine-add'));
  await user.type(screen.getByLabelText('Name'), 'Water');
  await user.type(screen.getByLabelText('When'), 'sat 10:00');
  await user.click(screen.getByRole('radio', { name: 'Tool' }));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Tool' }), 'vault.add_task');
  await user.type(screen.getByLabelText(/^Text/), 'Water the plants{Control>}{Enter}{/Control}');
  expect(await screen.findByRole('alert')).toHaveTextContent('Nearest: vault.list_tasks.');
  expect(screen.getByLabelText(/^Text/)).toHaveValue('Water the plants');
});

test('a skill and a model are chosen for a message', async () => {
  const { backend, user } = await setup([]);
  await user.click(screen.getByTestId('routine-add'));
  await user.type(screen.getByLabelText('Name'), 'Deals');
  await user.type(screen.getByLabelText('When'), 'fri 16:00');
  await user.click(screen.getByRole('radio', { name: 'Skill' }));
  await user.type(screen.getByLabelText('Message'), 'Which deals are stuck?');
  expect(screen.getByRole('button', { name: 'Add routine' })).toBeDisabled();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Add a skill' }), 'CRM');
  const models = screen.getByRole('combobox', { name: 'Model' });
  const model = within(models).getAllByRole<HTMLOptionElement>('option').find(({ value }) => value !== '')!.value;
  await user.selectOptions(models, model);
  await user.click(screen.getByRole('button', { name: 'Add routine' }));
  await waitFor(() => expect(backend.asked('add_routine')[0]).toMatchObject({ message: 'Which deals are stuck?', skills: ['crm'], model, tool: '' }));
});

test('editing sends what the form showed and what it holds', async () => {
  const { backend, user } = await setup([morning]);
  await user.click(within(await rowOf('Morning')).getByRole('button', { name: 'Edit Morning' }));
  const when = screen.getByLabelText('When');
  expect(when).toHaveFocus();
  expect(screen.queryByLabelText('Name')).toBeNull();
  await user.clear(when);
  await user.type(when, 'weekdays 08:00{Enter}');
  await waitFor(() => expect(screen.queryByTestId('routine-form')).toBeNull());
  const before = { name: 'Morning', when: ['weekdays 07:30'], zone: '', message: 'What is due today?', tool: '', args: '', allow: ['vault.append_to_note'], skills: [], model: '' };
  expect(backend.asked('edit_routine')).toEqual([{ path: 'Routines/Morning.md', before, after: { ...before, when: ['weekdays 08:00'] } }]);
  expect(await rowOf('Morning')).toHaveTextContent('weekdays 08:00');
});

test('the page leads to the setting for a closed window', async () => {
  const { store, user } = await setup([]);
  await user.click(screen.getByRole('button', { name: 'When the window is closed' }));
  expect(store.get().app.view).toEqual({ kind: 'settings', page: 'notifications' });
});

test('a tool of a skill that is off keeps its arguments', async () => {
  const args = '{"text":"Water the plants"}';
  const { backend, user } = await setup([{ ...morning, message: '', tool: 'garden.water', args }]);
  await user.click(within(await rowOf('Morning')).getByRole('button', { name: 'Edit Morning' }));
  expect(screen.getByRole('combobox', { name: 'Tool' })).toHaveValue('garden.water');
  await user.type(screen.getByLabelText('Time zone'), 'UTC{Enter}');
  await waitFor(() => expect(backend.asked('edit_routine')[0]?.after).toMatchObject({ zone: 'UTC', tool: 'garden.water', args }));
});

test('on Linux the command that installs a service can be copied', async () => {
  const { user } = await setup([]);
  await user.click(await screen.findByRole('button', { name: 'Copy the command' }));
  expect(await navigator.clipboard.readText()).toBe('nova routine serve --install');
  expect(screen.getByText('Copied')).toBeVisible();
});

test('elsewhere there is no such command', async () => {
  const { status } = sampleWorld();
  renderInApp(<RoutinesPage />, { world: { routines: [], status: { ...status, platform: 'macos' } } });
  await screen.findByRole('button', { name: 'New routine' });
  await screen.findAllByText(/^No routines yet/);
  expect(screen.queryByText('nova routine serve --install')).toBeNull();
});
