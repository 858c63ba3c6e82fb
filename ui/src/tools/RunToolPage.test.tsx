import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';

import type { EventBody, JsonValue, ToolResult, ToolRow } from '../ipc';
import { FakeBackend } from '../testing/fake-backend';
import { importDone, importTool, proposedImport, proposedMapping } from '../testing/import';
import { renderInApp } from '../testing/render';
import { sampleFileTools, sampleWorld } from '../testing/sample';
import { RunToolPage } from './RunToolPage';

const ok = (part: Partial<ToolResult>): ToolResult => ({
  ok: true,
  value: null,
  error: null,
  sources: [],
  figures: [],
  changes: [],
  change_set: null,
  ms: 11,
  ...part,
});

/** Opens the page on a tool. `call_tool` is pending until the test answers it. */
function setup(tool: string | null, world: Partial<ReturnType<typeof sampleWorld>> = {}) {
  const backend = new FakeBackend({ ...sampleWorld(), ...world });
  const waiting: ((result: ToolResult) => void)[] = [];
  backend.on('call_tool', () => new Promise((resolve) => waiting.push(resolve)));
  const rendered = renderInApp(<RunToolPage />, { backend, app: { view: { kind: 'run-tool', tool } } });
  return {
    ...rendered,
    user: userEvent.setup(),
    form: () => screen.findByTestId('tool-form'),
    result: () => screen.getByTestId('tool-result'),
    run: async () => userEvent.click(await screen.findByTestId('run-tool')),
    answer: (part: Partial<ToolResult>) => act(async () => waiting.shift()?.(ok(part))),
    /** Emits an event of the newest run. */
    say: (body: EventBody) =>
      act(() => void backend.emit(body, { session: backend.asked('call_tool').at(-1)?.run ?? '' })),
  };
}

/** Pastes: one change instead of one per letter. */
async function fill(field: HTMLElement, text: string) {
  await userEvent.click(field);
  await userEvent.paste(text);
}

it('lists the tools by skill, and unusable ones with the reason', async () => {
  setup(null);
  const tools = within(await screen.findByRole('navigation', { name: 'Tools' }));
  await waitFor(() => expect(tools.getByRole('region', { name: 'CRM' })).toBeVisible());
  expect(
    within(tools.getByRole('region', { name: 'CRM' })).getByRole('button', { name: 'add_contact write' }),
  ).toBeVisible();
  expect(
    within(tools.getByRole('region', { name: 'Vault' })).getByRole('button', { name: 'delete_note destructive' }),
  ).toBeVisible();
});

it('begins with the arguments of a retried call', async () => {
  renderInApp(<RunToolPage />, { app: { view: { kind: 'run-tool', tool: 'vault.delete_note', args: { path: 'Inbox/Old.md' } } } });
  expect(await screen.findByDisplayValue('Inbox/Old.md')).toBeVisible();
});

it('requested again while open, it starts over with those arguments', async () => {
  const { store } = renderInApp(<RunToolPage />, { app: { view: { kind: 'run-tool', tool: 'vault.delete_note', args: { path: 'A.md' } } } });
  expect(await screen.findByDisplayValue('A.md')).toBeVisible();
  act(() => store.actions.show({ kind: 'run-tool', tool: 'vault.delete_note', args: { path: 'B.md' } }));
  expect(await screen.findByDisplayValue('B.md')).toBeVisible();
});

const dated: ToolRow = {
  ...importTool,
  name: 'budget.add_expense',
  input_schema: {
    type: 'object',
    properties: { date: { type: 'string', 'x-starts': 'today' }, currency: { type: ['string', 'null'], 'x-starts': 'currency' } },
  },
};

it('starts with today and the usual currency, except for a repeated call', async () => {
  const { backend, unmount } = setup(dated.name, { tools: [dated] });
  expect(await screen.findByLabelText(/^Currency/)).toHaveValue('EUR');
  expect(screen.getByLabelText(/^Date/)).toHaveValue((await backend.rpc('app_status', {})).today);
  unmount();
  const again = new FakeBackend({ ...sampleWorld(), tools: [dated] });
  renderInApp(<RunToolPage />, { backend: again, app: { view: { kind: 'run-tool', tool: dated.name, args: { date: '2026-01-02' } } } });
  expect(await screen.findByDisplayValue('2026-01-02')).toBeVisible();
  expect(screen.getByLabelText(/^Currency/)).toHaveValue('');
});

it('a tool’s proposal is confirmed beside its form, without retyping', async () => {
  const { user, backend, form, result, run, answer } = setup(importTool.name, { tools: [importTool] });
  await fill(await within(await form()).findByLabelText(/^Path/), 'a.csv');
  await run();
  await answer({ value: proposedImport });
  expect(result()).toHaveTextContent('Waits for your confirmation');
  await user.click(within(result()).getByRole('radio', { name: 'Point' }));
  await user.click(within(result()).getByRole('button', { name: /^Run 7/ }));
  expect(backend.asked('call_tool').at(-1)?.args).toEqual({ path: 'a.csv', mapping: { ...proposedMapping, decimal: '.' } });
  await answer({ value: importDone });
  expect(result()).toHaveTextContent('4 imported, 2 already there, 1 without a category');
});

it('gives the arguments of a call to no other tool if its own is gone', async () => {
  const gone = 'vault.delete_note';
  // Its arguments would be valid for this one.
  const tools = sampleWorld().tools.flatMap((tool) => (tool.name === gone ? [{ ...tool, name: 'vault.move_note' }] : []));
  const backend = new FakeBackend({ ...sampleWorld(), tools });
  renderInApp(<RunToolPage />, { backend, app: { view: { kind: 'run-tool', tool: gone, args: { path: 'Inbox/Old.md' } } } });
  expect(await screen.findByLabelText(/^Path/)).toHaveValue('');
  expect(screen.queryByDisplayValue('Inbox/Old.md')).toBeNull();
});

it('keeps an unusable tool in its place, says why and does not run it', async () => {
  const tools: ToolRow[] = sampleWorld().tools.map((tool) =>
    tool.name === 'lookup.pull_up_symbol' ? { ...tool, state: 'unavailable', reason: 'Set FINNHUB_API_KEY.' } : tool,
  );
  const { form } = setup('lookup.pull_up_symbol', { tools });
  await form();
  expect(screen.getByText(/Set FINNHUB_API_KEY/)).toBeVisible();
  expect(screen.getByTestId('run-tool')).toBeDisabled();
});

it('says which tools from files are broken, loading, or older than their file', async () => {
  const { tools } = sampleFileTools();
  setup('dynamic.rates', { tools });
  const list = within(await screen.findByRole('navigation', { name: 'Tools' }));
  expect((await list.findAllByRole('button')).map(({ textContent }) => textContent)).toEqual([
    'packingread',
    'ratesolder versionexternal',
    'invoicesbroken',
    'trainsstarting',
  ]);
  expect(screen.getByTestId('tool-trouble')).toHaveTextContent(/^older version: rates.ts, line 10: .* stays in use. Fix the file/);
  expect(screen.getByTestId('run-tool')).toBeEnabled();
});

it.each([
  ['dynamic.invoices', /^broken: invoices.ts, line 14, column 3: name is missing. Fix the file/],
  ['dynamic.trains', /^starting: Its file is being read.$/],
])('does not run %s, and says why', async (tool, text) => {
  const { tools } = sampleFileTools();
  const { form } = setup(tool, { tools });
  await form();
  expect(screen.getByTestId('tool-trouble')).toHaveTextContent(text);
  expect(screen.getByTestId('run-tool')).toBeDisabled();
});

it('finds a tool by what it does', async () => {
  const { user } = setup(null);
  await user.type(await screen.findByRole('textbox', { name: 'Find a tool' }), 'get in touch');
  const tools = within(screen.getByRole('navigation', { name: 'Tools' }));
  expect(tools.getAllByRole('button').map((button) => button.dataset.tool)).toEqual(['crm.follow_ups']);
});

it('runs the tool with the entered values, and shows the equivalent command line', async () => {
  const { backend, form, run } = setup('crm.move_deal');
  await fill(within(await form()).getByLabelText(/^Title/), "Harborline's rollout");
  await fill(within(await form()).getByLabelText(/^Stage/), 'won');
  expect(screen.getByTestId('command-line')).toHaveTextContent(
    `nova tool call crm.move_deal --args '{"title":"Harborline'\\''s rollout","stage":"won"}'`,
  );
  await run();
  expect(backend.asked('call_tool')).toMatchObject([
    { tool: 'crm.move_deal', args: { title: "Harborline's rollout", stage: 'won' } },
  ]);
});

it('copies the command line', async () => {
  const { form, user } = setup('crm.list_deals');
  await fill(within(await form()).getByLabelText(/^Contact/), 'a --args b');
  await user.click(screen.getByRole('button', { name: 'Copy the command line' }));
  expect(screen.getByText('Copied')).toBeVisible();
  const line = `nova tool call crm.list_deals --args '{"contact":"a --args b"}'`;
  expect(await navigator.clipboard.readText()).toBe(line);
  expect(screen.getByTestId('command-line')).toHaveTextContent(line);
});

it('shows the result as a table with its sources, and as JSON', async () => {
  const { answer, run, result, user } = setup('crm.pipeline');
  await run();
  await answer({
    value: {
      deals: [
        { title: 'Harborline', value: '12400.00' },
        { title: 'Quillon', value: '900.00' },
      ],
      total: '13300.00',
    },
    sources: [{ kind: 'note', path: 'CRM/Deals/Harborline.md' }],
  });
  const shown = within(result());
  expect(shown.getByRole('heading', { name: '2 deals' })).toBeVisible();
  expect(within(shown.getByRole('table', { name: 'Deals' })).getAllByRole('row')).toHaveLength(3);
  expect(
    within(shown.getByRole('region', { name: 'Sources' })).getByRole('button', { name: 'Harborline' }),
  ).toBeVisible();
  await user.click(shown.getByRole('radio', { name: 'JSON' }));
  expect(shown.getByText(/"total": "13300.00"/)).toBeVisible();
});

it('previews the note of a row, with Obsidian as a choice', async () => {
  const { answer, backend, run, result, user } = setup('crm.pipeline');
  await run();
  await answer({ value: { contacts: [{ name: 'Jane Doe', stage: 'lead', path: 'CRM/People/Jane Doe.md' }] } });
  const table = within(result()).getByRole('table', { name: 'Contacts' });
  expect(within(table).getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(['Name', 'Stage']);
  await user.click(within(table).getByRole('button', { name: 'Jane Doe' }));
  expect(backend.asked('open_note')).toEqual([]);
  const note = within(await screen.findByTestId('note-popover'));
  backend.fail('open_note', { message: 'Obsidian is not installed.', hint: 'Install it.' });
  await user.click(await note.findByRole('button', { name: 'Open in Obsidian' }));
  expect(await note.findByRole('alert')).toHaveTextContent('Obsidian is not installed.');
  expect(table).not.toHaveTextContent('Obsidian');
  expect(backend.asked('open_note')).toEqual([{ path: 'CRM/People/Jane Doe.md' }]);
});

it('undoes what the call changed', async () => {
  const { answer, backend, run, result, user } = setup('crm.pipeline');
  backend.on('undo_changes', () => ({
    change_set: 'cs2',
    undone: ['CRM/Deals/Harborline.md'],
    merged: [],
    conflicts: [],
  }));
  await run();
  await answer({ changes: [{ path: 'CRM/Deals/Harborline.md', kind: 'modified' }], change_set: 'cs1' });
  expect(within(result()).getByRole('heading', { name: '1 note changed', level: 3 })).toBeVisible();
  await user.click(screen.getByTestId('undo-call'));
  expect(backend.asked('undo_changes')).toEqual([{ change_set: 'cs1' }]);
  expect(await within(result()).findByText(/^undone at \d\d:\d\d$/)).toBeVisible();
});

it('shows both sides of a note in conflict with undo', async () => {
  const { answer, backend, run, user } = setup('crm.pipeline');
  backend.on('undo_changes', () => ({
    change_set: null,
    undone: [],
    merged: [],
    conflicts: [{ path: 'CRM/Deals/Harborline.md', what: ['stage'], mine: 'won', theirs: 'lost' }],
  }));
  await run();
  await answer({ changes: [{ path: 'CRM/Deals/Harborline.md', kind: 'modified' }], change_set: 'cs1' });
  await user.click(screen.getByTestId('undo-call'));
  await user.click(within(await screen.findByTestId('conflict-card')).getByText('Keep Obsidian’s'));
  expect(backend.asked('resolve_conflict')).toEqual([
    { session: null, change_set: 'cs1', note: 'CRM/Deals/Harborline.md', keep: 'theirs' },
  ]);
  expect(await screen.findByTestId('conflict-decided')).toHaveTextContent('Harborline stays as it is, nothing was written');
});

it('asks with the card of the chat, under the run’s id', async () => {
  const { backend, form, run, say, result, user } = setup('vault.delete_note');
  const args: JsonValue = { path: 'Old.md' };
  await fill(within(await form()).getByLabelText(/^Path/), 'Old.md');
  await run();
  say({
    type: 'tool_call_started',
    call: 'c1',
    tool: 'vault.delete_note',
    args,
    effect: 'destructive',
    principal: { kind: 'user', name: 'Mara' },
  });
  say({
    type: 'approval_requested',
    call: 'c1',
    args,
    decisions: ['once', 'deny'],
    question: 'Delete 1 note?',
    editable: true,
    diff: null,
    host: null,
    revision: 1,
    mid_run: false,
  });
  expect(within(result()).getByRole('group', { name: 'Delete 1 note?' })).toBeVisible();
  const [{ run: id } = { run: '' }] = backend.asked('call_tool');
  await waitFor(async () => {
    await user.click(screen.getByTestId('approval-once'));
    expect(backend.asked('decide_approval')).toEqual([{ session: id, call: 'c1', decision: 'once', revision: 1 }]);
  });
});

it('shows a call’s progress, and stops it', async () => {
  const { backend, run, say, answer, result, user } = setup('crm.pipeline');
  await run();
  say({
    type: 'tool_call_started',
    call: 'c1',
    tool: 'crm.pipeline',
    args: {},
    effect: 'read',
    principal: { kind: 'user', name: 'Mara' },
  });
  say({ type: 'tool_call_progress', call: 'c1', fraction: 0.34, message: '412/1,200, 9 hits so far', partial: null });
  expect(within(result()).getByText('412/1,200, 9 hits so far')).toBeVisible();
  expect(within(result()).getByRole('progressbar')).toHaveAttribute('aria-valuenow', '34');
  await user.click(screen.getByTestId('stop-tool'));
  expect(backend.asked('stop_tool')).toEqual([{ run: backend.asked('call_tool')[0]?.run }]);
  expect(screen.getByRole('button', { name: 'Stopping…' })).toBeDisabled();
  await answer({ ok: false, error: { code: 'cancelled', message: 'The call was stopped.', hint: '' }, so_far: [{ deal: 'Harborline' }] });
  expect(within(result()).getByRole('heading', { name: 'Stopped' })).toBeVisible();
  expect(within(result()).getByRole('region', { name: 'Found before it was stopped' })).toHaveTextContent('Harborline');
  expect(screen.getByTestId('run-tool')).toBeEnabled();
});

it('says why a call failed and retries it with the same arguments', async () => {
  const { backend, answer, run, user } = setup('crm.pipeline');
  await run();
  await answer({
    ok: false,
    error: { code: 'tool_timed_out', message: 'Stooq did not answer in 10 s.', hint: 'Choose another source.' },
  });
  expect(screen.getByRole('alert')).toHaveTextContent('Stooq did not answer in 10 s.Choose another source.');
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(backend.asked('call_tool').map(({ args }) => args)).toEqual([{}, {}]);
});

it('says so when the command itself fails', async () => {
  const { backend, run } = setup('crm.pipeline');
  backend.fail('call_tool', { message: 'There is no vault.', hint: 'Choose a folder.' });
  await run();
  expect(await screen.findByRole('alert')).toHaveTextContent('There is no vault.Choose a folder.');
});

it.each([
  ['a result', { value: [{ title: 'Harborline' }] }],
  ['a failure', { ok: false, error: { code: 'tool_failed', message: 'It failed.', hint: '' } }],
] as const)('shows the tool’s log under %s', async (_what, part) => {
  const { answer, run, result } = setup('crm.pipeline');
  await run();
  await answer({ ...part, value: null, log: [{ level: 'info', message: 'asked twice' }, { level: 'error', message: 'no \u202eanswer' }] });
  const log = within(result()).getByTestId('tool-log');
  expect(log).toHaveTextContent('asked twice');
  expect(log).toHaveTextContent('Error: no U+202Eanswer');
});

it('has no log if the tool logged nothing', async () => {
  const { answer, run } = setup('crm.pipeline');
  await run();
  await answer({ value: [{ title: 'Harborline' }] });
  expect(screen.queryByTestId('tool-log')).toBeNull();
});

it('returns to an earlier run with its arguments', async () => {
  const { answer, form, run, user } = setup('crm.list_deals');
  await fill(within(await form()).getByLabelText(/^Stage/), 'won');
  await run();
  await answer({ value: [{ title: 'Harborline' }] });
  await user.click(screen.getByRole('button', { name: 'pipeline read' }));
  const earlier = within(screen.getByRole('region', { name: 'Earlier runs' }));
  await user.click(earlier.getByRole('button', { name: /crm.list_deals/ }));
  expect(within(await form()).getByLabelText(/^Stage/)).toHaveValue('won');
  expect(screen.getByRole('heading', { name: '1 row' })).toBeVisible();
});

it('lists an earlier run’s arguments without disabled switches', async () => {
  const input_schema = { type: 'object', properties: { lost: { type: 'boolean', default: false } } };
  const tools = sampleWorld().tools.map((tool) => (tool.name === 'crm.pipeline' ? { ...tool, input_schema } : tool));
  const { answer, run, user } = setup('crm.pipeline', { tools });
  await run();
  await answer({ value: [{ stage: 'lead' }, { stage: 'won' }] });
  await user.click(screen.getByRole('button', { name: 'list_deals read' }));
  const earlier = within(screen.getByRole('region', { name: 'Earlier runs' }));
  expect(earlier.getByRole('button', { name: /crm.pipeline/ })).toHaveTextContent('crm.pipeline2 rows');
});

it('says that tools work without a model, if there is none', async () => {
  const world = sampleWorld();
  const { store, user } = setup('crm.pipeline', { status: { ...world.status, model: null } });
  await user.click(await screen.findByRole('button', { name: 'Set up a model' }));
  expect(store.get().app.view).toEqual({ kind: 'settings', page: 'models' });
});

it('shows the tool’s purpose, and on request when a model should use it', async () => {
  const world = sampleWorld();
  const description = 'Lists contacts by name. Use when the user asks for several people.';
  const tools = world.tools.map((tool) => (tool.name === 'crm.pipeline' ? { ...tool, description } : tool));
  const { user } = setup('crm.pipeline', { tools });
  expect(await screen.findByText('Lists contacts by name.')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'When to use it' }));
  expect(screen.getByText(description)).toBeVisible();
});

it('focuses the search first and Enter goes to the form', async () => {
  const { user, form } = setup(null);
  await form();
  expect(screen.getByRole('textbox', { name: 'Find a tool' })).toHaveFocus();
  await user.keyboard('move_deal{Enter}');
  await waitFor(() => expect(document.activeElement?.closest('[data-region=form]')).toHaveAccessibleName('crm.move_deal'));
  expect(document.activeElement?.tagName).toBe('INPUT');
});
