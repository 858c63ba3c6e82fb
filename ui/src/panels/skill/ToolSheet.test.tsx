// From a click in a panel to the result of its tool.

import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';

import type { JsonValue, Result, ToolRow } from '../../ipc';
import { violations } from '../../testing/axe';
import { FakeBackend } from '../../testing/fake-backend';
import { importDone, importTool, previewedImport, proposedImport, proposedMapping } from '../../testing/import';
import { setWindow } from '../../testing/media';
import { answer, panelOf } from '../../testing/panels';
import { renderInApp } from '../../testing/render';
import { sampleWorld } from '../../testing/sample';
import { SkillPanel } from './SkillPanel';
import { UNDO_FOR } from './useCalls';

const noteTool: ToolRow = {
  ...importTool,
  wire_name: 'budget__add',
  name: 'budget.add',
  description: 'Adds.',
  input_schema: {
    type: 'object',
    properties: {
      payee: { type: 'string' },
      date: { type: 'string', format: 'date', 'x-starts': 'today' },
      currency: { type: ['string', 'null'], 'x-starts': 'currency' },
    },
    required: ['payee'],
  },
};
const panel = panelOf('budget', 'Budget', [
  {
    actions: [
      { label: 'Import', tool: 'import_transactions', ask: true },
      { label: 'Import now', tool: 'import_transactions', args: { path: 'a.csv' } },
      { label: 'Add', tool: 'add', ask: true },
    ],
    parts: [{ kind: 'table', tool: 'list', rows: '/rows', columns: [{ field: 'name', label: 'Name' }] }],
  },
]);

type Answer = (args: JsonValue) => Result<'call_tool'> | Promise<Result<'call_tool'>>;

/** The panel with one tool that returns this output, and its calls. */
async function show(tool: 'import_transactions' | 'add', reply: Answer) {
  setWindow({ width: 1440 });
  const backend = new FakeBackend({ ...sampleWorld(), tools: [importTool, noteTool] });
  backend.on('call_tool', (call) => (call.tool === `budget.${tool}` ? reply(call.args ?? {}) : answer({ rows: [] })));
  const rendered = renderInApp(<SkillPanel panel={panel} wide />, { backend });
  await act(async () => {});
  const calls = () => backend.asked('call_tool').filter((call) => call.tool === `budget.${tool}`);
  return { ...rendered, user: userEvent.setup(), asked: () => calls().map(({ args }) => args), runs: () => calls().map(({ run }) => run) };
}
const refused = (message: string): Result<'call_tool'> => ({ ...answer(null), ok: false, error: { code: 'tool_failed', message, hint: 'Look at it.' } });
const changed = (value: JsonValue): Result<'call_tool'> => ({ ...answer(value), changes: [{ path: 'a.md', kind: 'created' }], change_set: 'set1' });

/** Behaves like the tool: a proposal, its preview, its result. */
const importing: Answer = (args) => {
  const { mapping, dry_run } = args as { mapping?: JsonValue; dry_run?: boolean };
  if (mapping === undefined) return answer(proposedImport);
  return dry_run ? answer(previewedImport) : changed(importDone);
};

test('a file is imported once its proposal is answered, reviewed and confirmed', async () => {
  const { user, asked, backend } = await show('import_transactions', importing);
  await user.click(screen.getByRole('button', { name: 'Import' }));
  const sheet = await screen.findByRole('dialog', { name: 'Import' });
  await user.type(await within(sheet).findByLabelText(/^Path/), 'a.csv');
  await user.click(within(sheet).getByRole('button', { name: /^Import/ }));

  // Nothing is reported as done: the sheet asks for what the file lacks.
  const agreeing = await within(sheet).findByTestId('confirmation');
  expect(agreeing).toHaveTextContent('Nothing is written yet. One question is open; answer below.');
  expect(screen.queryByTestId('undo-bar')).toBeNull();
  await user.click(within(agreeing).getByTestId('confirm-proposal'));
  expect(asked()).toHaveLength(1);
  expect(within(agreeing).getByRole('alert')).toHaveTextContent('Choose one');

  await user.click(within(agreeing).getByRole('radio', { name: 'Comma' }));
  expect(within(agreeing).getByLabelText(/^Payee/)).toHaveValue('3');
  await user.click(within(agreeing).getByTestId('look-again'));
  expect(await within(sheet).findByText('Corner Market')).toBeVisible();
  expect(sheet).toHaveTextContent('4 to import, 2 already there, 1 without a category');

  await user.click(within(sheet).getByRole('button', { name: /^Import 4/ }));
  const bar = await screen.findByTestId('undo-bar');
  expect(bar).toHaveTextContent('Imported: 4 imported, 2 already there, 1 without a category');
  expect(screen.queryByRole('dialog')).toBeNull();
  const mapping = { ...proposedMapping, decimal: ',' };
  expect(asked()).toEqual([{ path: 'a.csv' }, { path: 'a.csv', mapping, dry_run: true }, { path: 'a.csv', mapping }]);
  await user.click(within(bar).getByRole('button', { name: 'Undo' }));
  expect(backend.asked('undo_changes')).toEqual([{ change_set: 'set1' }]);
});

test('a proposal is announced as shown', async () => {
  const { user } = await show('import_transactions', (args) => importing({ ...(args as object), mapping: {}, dry_run: true }));
  await user.click(screen.getByRole('button', { name: 'Import now' }));
  expect(await screen.findByText('Corner Market')).toBeVisible();
  // Landmarks belong to the whole window, which is missing here.
  expect((await violations()).filter((one) => !one.startsWith('region:'))).toEqual([]);
});

test('a click that needs an answer opens it', async () => {
  const { user } = await show('import_transactions', importing);
  await user.click(screen.getByRole('button', { name: 'Import now' }));
  expect(await screen.findByRole('dialog', { name: 'Import now' })).toContainElement(screen.getByTestId('confirmation'));
  expect(screen.queryByTestId('undo-bar')).toBeNull();
});

test('the proposal has a way back to the entered values', async () => {
  const { user } = await show('import_transactions', importing);
  await user.click(screen.getByRole('button', { name: 'Import' }));
  const sheet = await screen.findByRole('dialog');
  await user.type(await within(sheet).findByLabelText(/^Path/), 'a.csv');
  await user.click(within(sheet).getByRole('button', { name: /^Import/ }));
  await user.click(await within(sheet).findByRole('button', { name: 'Back' }));
  expect(within(sheet).getByLabelText(/^Path/)).toHaveValue('a.csv');
  expect(within(sheet).queryByTestId('confirmation')).toBeNull();
});

test('a refused form keeps its values and says why', async () => {
  const replies = [refused('The payee is unknown.'), changed({})];
  const { user, asked } = await show('add', () => replies.shift()!);
  await user.click(screen.getByRole('button', { name: 'Add' }));
  const sheet = await screen.findByRole('dialog', { name: 'Add' });
  await user.type(await within(sheet).findByLabelText(/^Payee/), 'Corner');
  await user.click(within(sheet).getByRole('button', { name: /^Add/ }));
  expect(await within(sheet).findByRole('alert')).toHaveTextContent('The payee is unknown.Look at it.');
  expect(within(sheet).getByLabelText(/^Payee/)).toHaveValue('Corner');
  expect(screen.queryByTestId('call-failed')).toBeNull();

  await user.type(within(sheet).getByLabelText(/^Payee/), ' Market');
  await user.click(within(sheet).getByRole('button', { name: /^Add/ }));
  await screen.findByTestId('undo-bar');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(asked().map((args) => (args as { payee: string }).payee)).toEqual(['Corner', 'Corner Market']);
});

test('a form closed while waiting is reported below the panel, and reopens unchanged', async () => {
  let end: (result: Result<'call_tool'>) => void = () => {};
  const { user } = await show('add', () => new Promise((resolve) => (end = resolve)));
  await user.click(screen.getByRole('button', { name: 'Add' }));
  const sheet = await screen.findByRole('dialog');
  await user.type(await within(sheet).findByLabelText(/^Payee/), 'Corner');
  await user.click(within(sheet).getByRole('button', { name: /^Add/ }));
  await user.click(within(sheet).getByRole('button', { name: 'Close' }));
  await act(async () => end(refused('The payee is unknown.')));
  expect(screen.getByTestId('call-failed')).toHaveTextContent('Add: The payee is unknown.');
  await user.click(screen.getByRole('button', { name: 'Edit Add' }));
  expect(await within(await screen.findByRole('dialog')).findByLabelText(/^Payee/)).toHaveValue('Corner');
  expect(screen.queryByTestId('call-failed')).toBeNull();
});

test('a running form can be stopped in place', async () => {
  const { user, backend, runs } = await show('add', () => new Promise(() => {}));
  await user.click(screen.getByRole('button', { name: 'Add' }));
  const sheet = await screen.findByRole('dialog');
  await user.type(await within(sheet).findByLabelText(/^Payee/), 'Corner');
  await user.click(within(sheet).getByRole('button', { name: /^Add/ }));
  await user.click(within(sheet).getByRole('button', { name: 'Stop Add' }));
  expect(backend.asked('stop_tool')).toEqual([{ run: runs()[0] }]);
});

test('a form proposes today and the usual currency if its tool declares it', async () => {
  const { user, backend } = await show('add', () => changed({}));
  const { today } = await backend.rpc('app_status', {});
  await user.click(screen.getByRole('button', { name: 'Add' }));
  const sheet = await screen.findByRole('dialog');
  expect(await within(sheet).findByLabelText(/^Currency/)).toHaveValue('EUR');
  expect(within(sheet).getByLabelText(/^Date/)).toHaveValue(today);
});

test('open follow-ups stay, with their actions', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  const note = 'It has no close date; set the day it was decided.';
  const { user, store, backend } = await show('import_transactions', () => changed({ note, path: 'CRM/Deals/A.md' }));
  backend.on('read_note', ({ path }) => ({ path, name: 'A', properties: [], html: '', broken: null, record: { skill: 'crm', record_type: 'deal', label: 'Deal' } }));
  await user.click(screen.getByRole('button', { name: 'Import now' }));
  const bar = await screen.findByTestId('undo-bar');
  act(() => void vi.advanceTimersByTime(UNDO_FOR));
  expect(bar).toHaveTextContent(note);
  await user.click(within(bar).getByRole('button', { name: 'Edit Import now' }));
  await waitFor(() => expect(store.get().app.recordForm).toEqual({ skill: 'crm', type: 'deal', path: 'CRM/Deals/A.md' }));
  vi.useRealTimers();
});
