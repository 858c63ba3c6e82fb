import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';

import type { JsonValue, Result } from '../../ipc';
import { answer, panelOf } from '../../testing/panels';
import { rows, showPanel, table, type Answers } from '../../testing/skill-panel';
import { UNDO_FOR } from './useCalls';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('user actions', () => {
  test('an action with missing arguments opens its tool’s form, prefilled', async () => {
    const { backend, asked } = await showPanel();
    const schema = { type: 'object', properties: { name: { type: 'string' }, text: { type: 'string' } }, required: ['name', 'text'] };
    backend.on('list_tools', () => [
      { wire_name: 'crm__log_interaction', name: 'crm.log_interaction', skill: 'crm', effect: 'write', description: 'Logs.', input_schema: schema, state: 'available', reason: null },
    ]);
    const entry = screen.getByText('Ilse Brandvik').closest('li')!;
    await userEvent.click(within(entry).getByRole('button', { name: 'Log contact', hidden: true }));
    const sheet = await screen.findByRole('dialog', { name: 'Log contact' });
    expect(await within(sheet).findByLabelText(/^name/i)).toHaveValue('CRM/People/Ilse Brandvik.md');
    await userEvent.type(within(sheet).getByLabelText(/^text/i), 'Called');
    await userEvent.click(within(sheet).getByRole('button', { name: /^Log contact/ }));
    expect(asked('crm.log_interaction')).toEqual([{ name: 'CRM/People/Ilse Brandvik.md', text: 'Called' }]);
  });

  test('a call that needs approval shows its card in the panel', async () => {
    const panel = table({ actions: [{ label: 'Fetch', tool: 'quote' }] });
    const answers: Answers = { 'x.list': () => answer(rows(['A', '1'])), 'x.quote': () => new Promise(() => {}) };
    const { backend } = await showPanel({ panel, answers });
    await userEvent.click(screen.getByRole('button', { name: 'Fetch' }));
    const { run } = backend.asked('call_tool').at(-1)!;
    act(() => {
      const of = { session: run };
      backend.emit({ type: 'tool_call_started', call: 'q', tool: 'x.quote', args: {}, effect: 'external', principal: { kind: 'user', name: 'you' } }, of);
      backend.emit(
        { type: 'approval_requested', call: 'q', args: {}, decisions: ['once', 'deny'], question: 'Let x.quote send to stooq.com?', editable: false, diff: null, host: 'stooq.com', revision: 1, mid_run: false },
        of,
      );
    });
    expect(screen.getByRole('group', { name: 'Let x.quote send to stooq.com?' })).toBeInTheDocument();
  });

  describe('a long call', () => {
    const panel = table({ actions: [{ label: 'Fetch', tool: 'quote' }] });

    /** A running call, with functions to emit progress and to end it. */
    async function running() {
      let end: (result: Result<'call_tool'>) => void = () => {};
      const answers: Answers = { 'x.list': () => answer(rows(['A', '1'])), 'x.quote': () => new Promise((resolve) => (end = resolve)) };
      const { backend } = await showPanel({ panel, answers });
      await userEvent.click(screen.getByRole('button', { name: 'Fetch' }));
      const { run } = backend.asked('call_tool').at(-1)!;
      const say = (...events: Parameters<typeof backend.emit>[0][]) => act(() => events.forEach((event) => void backend.emit(event, { session: run })));
      say({ type: 'tool_call_started', call: 'q', tool: 'x.quote', args: {}, effect: 'external', principal: { kind: 'user', name: 'you' } });
      return { backend, run, say, end: (result: Result<'call_tool'>) => act(async () => end(result)) };
    }
    const found = { quotes: [{ symbol: 'NGTL', price: '41.20' }] };

    test('shows its progress and partial results', async () => {
      const { say } = await running();
      say({ type: 'tool_call_progress', call: 'q', fraction: 0.5, message: '1 of 2', partial: found });
      const bar = screen.getByTestId('call-running');
      expect(bar).toHaveTextContent('Fetch: A, 1 of 2');
      expect(within(bar).getByRole('progressbar', { name: 'Fetch: A' })).toHaveAttribute('aria-valuenow', '50');
      expect(bar).toHaveTextContent('41.20');
      // Announcing each step would be too much.
      expect(within(bar).getByRole('status')).toHaveTextContent(/^Fetch: A$/);
    });

    test('is stopped once, says so, and keeps its partial results', async () => {
      const { backend, run, end } = await running();
      const stop = screen.getByRole('button', { name: 'Stop Fetch: A' });
      await userEvent.click(stop);
      expect(stop).toBeDisabled();
      expect(backend.asked('stop_tool')).toEqual([{ run }]);
      const error = { code: 'cancelled' as const, message: 'The call was stopped.', hint: '' };
      await end({ ...answer(null), ok: false, error, so_far: found });
      const bar = screen.getByTestId('call-stopped');
      expect(bar).toHaveTextContent('Fetch: A, stopped by you');
      expect(bar).toHaveTextContent('41.20');
      expect(screen.queryByRole('alert')).toBeNull();
    });

    test('shows what it could not do until dismissed', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
      const { end } = await running();
      await end(answer({ quotes: [], problems: [{ problem: 'NGTL has no closes since 1 Jun: Stooq has none', remedy: 'Try again.' }] }));
      act(() => void vi.advanceTimersByTime(UNDO_FOR));
      expect(screen.getByRole('region', { name: 'Problems with Fetch: A' })).toHaveTextContent('NGTL has no closes since 1 Jun: Stooq has none. Try again.');
      await userEvent.click(within(screen.getByTestId('undo-bar')).getByRole('button', { name: 'Hide' }));
      expect(screen.queryByRole('region', { name: 'Problems with Fetch: A' })).toBeNull();
    });
  });

  test('a tool’s form begins with the usual currency, or with the row’s', async () => {
    const add = { label: 'Add', tool: 'add', ask: true, args: { currency: '{currency}' } };
    const panel = panelOf('x', 'X', [
      {
        actions: [add],
        parts: [{ kind: 'table', tool: 'list', rows: '/rows', columns: [{ field: 'name', label: 'Name' }], actions: [{ ...add, label: 'Add to it' }] }],
      },
    ]);
    const { backend } = await showPanel({ panel, answers: { 'x.list': () => answer(rows(['A', '1', 'CHF'])) } });
    backend.on('usual_currency', () => ({ currency: 'USD' })).on('list_tools', () => [
      {
        wire_name: 'x__add', name: 'x.add', skill: 'x', effect: 'write', description: 'Adds.', state: 'available', reason: null,
        input_schema: { type: 'object', properties: { currency: { type: 'string' } } },
      },
    ]);
    await userEvent.click(screen.getByRole('button', { name: 'Add' }));
    const form = await screen.findByRole('dialog', { name: 'Add' });
    expect(await within(form).findByLabelText(/^currency/i)).toHaveValue('USD');
    await userEvent.click(within(form).getByRole('button', { name: 'Close' }));
    await userEvent.click(screen.getByRole('button', { name: 'Add to it' }));
    const ofRow = await screen.findByRole('dialog', { name: 'Add to it' });
    expect(await within(ofRow).findByLabelText(/^currency/i)).toHaveValue('CHF');
    expect(backend.asked('usual_currency')).toEqual([{ skill: 'x' }]);
  });

  test('a tool’s form begins with today if the panel declares it', async () => {
    const panel = table({ actions: [{ label: 'Add', tool: 'add', ask: true, args: { date: '{today}', of: '{name}' } }] });
    const { backend } = await showPanel({ panel, answers: { 'x.list': () => answer(rows(['A', '1'])) } });
    const schema = { type: 'object', properties: { date: { type: 'string', format: 'date' }, of: { type: 'string' } } };
    backend.on('list_tools', () => [
      { wire_name: 'x__add', name: 'x.add', skill: 'x', effect: 'write', description: 'Adds.', input_schema: schema, state: 'available', reason: null },
    ]);
    const today = (await backend.rpc('app_status', {})).today;
    await userEvent.click(screen.getByRole('button', { name: 'Add' }));
    const sheet = await screen.findByRole('dialog', { name: 'Add' });
    expect(await within(sheet).findByLabelText(/^date/i)).toHaveValue(today);
    expect(within(sheet).getByLabelText(/^of/i)).toHaveValue('A');
  });

  test('another currency is entered by its code', async () => {
    const panel = panelOf('x', 'X', [
      {
        inputs: [{ name: 'total', label: 'Total in', kind: 'currency' }],
        parts: [{ kind: 'summary', tool: 'sum', args: { currency: '{total}' }, items: [{ label: 'Value', at: '/value' }] }],
      },
    ]);
    const { asked } = await showPanel({ panel, answers: { 'x.sum': () => answer({ value: '5' }) } });
    // There is no empty field until its button opens one.
    expect(screen.queryByRole('textbox', { name: 'Total in' })).toBeNull();
    await userEvent.click(await screen.findByRole('button', { name: 'Total in: EUR' }));
    const field = screen.getByRole('textbox', { name: 'Total in' });
    expect(field).toHaveFocus();
    await userEvent.type(field, 'us{Enter}');
    expect(field).toBeInvalid();
    await userEvent.type(field, 'd{Enter}');
    expect(asked('x.sum')).toEqual([{}, { currency: 'USD' }]);
    expect(screen.getByRole('button', { name: 'Total in: USD' })).toHaveFocus();
    expect(screen.queryByRole('textbox', { name: 'Total in' })).toBeNull();
  });

  test('another month reloads the tab', async () => {
    const panel = panelOf('budget', 'Budget', [
      {
        inputs: [{ name: 'month', label: 'Month', kind: 'month', default: 'today' }],
        parts: [{ kind: 'summary', tool: 'sum', args: { month: '{month}' }, items: [{ label: 'Spent', at: '/spent', format: 'money', unit: '/currency' }] }],
      },
    ]);
    const spent: Record<string, string> = { '2026-11': '10', '2026-10': '20' };
    const answers: Answers = {
      'budget.sum': ({ args }) => answer({ spent: spent[(args as { month: string }).month] ?? '0', currency: 'EUR' }),
    };
    const { asked } = await showPanel({ panel, answers });
    expect(screen.getByText('€10')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Previous month' }));
    expect(await screen.findByText('€20')).toBeInTheDocument();
    expect(asked('budget.sum')).toEqual([{ month: '2026-11' }, { month: '2026-10' }]);
  });

  test('a chart says what is missing', async () => {
    const chart = { kind: 'chart', tool: 'history', title: 'Value', shape: 'line', rows: '/points', x: 'date', note: '/missing', series: [{ field: 'value', label: 'Value' }] };
    const value = { points: [{ date: '2026-11-20', value: '7' }], missing: 'No prices of NGTL before 20 Nov.' };
    await showPanel({ panel: panelOf('p', 'P', [{ parts: [chart] }]), answers: { 'p.history': () => answer(value) } });
    expect(screen.getByText('No prices of NGTL before 20 Nov.')).toBeVisible();
  });

  test('a row offers only applicable actions', async () => {
    const actions: JsonValue[] = [
      { label: 'Edit', edit: true },
      { label: 'Join', tool: 'join', when: { kind: ['income', 'expense'] } },
      { label: 'Split', tool: 'split', args: { path: '{path}' }, when: { kind: 'transfer' } },
    ];
    const table: Record<string, JsonValue> = { kind: 'table', tool: 'list', rows: '/rows', columns: [{ field: 'name', label: 'Name' }, { field: 'signed', label: 'Amount', format: 'signed', unit: 'currency' }], actions };
    const rows = [
      { name: 'Pay', kind: 'income', signed: '300.00', currency: 'EUR', path: 'I.md' },
      { name: 'Own', kind: 'transfer', signed: '300.00', currency: 'USD', path: 'T.md' },
      { name: 'Back', kind: 'refund', signed: '3.00', currency: 'EUR', path: 'R.md' },
    ];
    const user = userEvent.setup();
    const { asked } = await showPanel({ panel: panelOf('p', 'P', [{ parts: [table] }]), answers: { 'p.list': () => answer({ rows }), 'p.split': () => answer({}) } });
    expect(screen.getByText('+€300.00')).toBeVisible();
    expect(screen.getByText('$300.00')).toBeVisible();
    const offers = async (name: string) => {
      await user.click(screen.getByRole('button', { name: `Actions for ${name}` }));
      const labels = screen.getAllByRole('menuitem').map(({ textContent }) => textContent);
      await user.keyboard('{Escape}');
      return labels;
    };
    expect(await offers('Pay')).toEqual(['Edit', 'Join', 'Open note']);
    expect(await offers('Own')).toEqual(['Edit', 'Split', 'Open note']);
    expect(await offers('Back')).toEqual(['Edit', 'Open note']);
    await user.click(screen.getByRole('button', { name: 'Actions for Own' }));
    await user.click(screen.getByRole('menuitem', { name: 'Split' }));
    expect(asked('p.split')).toEqual([{ path: 'T.md' }]);
  });

  test('a figure with its own line is below the others', async () => {
    const items: JsonValue[] = [
      { label: 'Transfers', at: '/moved', format: 'money', unit: '/currency', detail: '/words', optional: true, line: true },
      { label: 'Left', at: '/left', format: 'money', unit: '/currency' },
    ];
    const value = { currency: 'EUR', left: '5.00', moved: '300.00', words: 'in 1 transfer' };
    await showPanel({ panel: panelOf('p', 'P', [{ parts: [{ kind: 'summary', tool: 'sum', items }] }]), answers: { 'p.sum': () => answer(value) } });
    const line = screen.getByRole('group', { name: 'Transfers' });
    expect(line).toHaveTextContent('Transfers€300.00in 1 transfer');
    expect(line).toHaveClass('order-last');
    expect(screen.getByRole('group', { name: 'Left' })).not.toHaveClass('basis-full');
  });

  test('an icon replaces the label of such a line', async () => {
    const items: JsonValue[] = [{ label: 'Transfers', at: '/moved', format: 'money', unit: '/currency', detail: '/words', line: true, icon: 'swap' }];
    const value = { currency: 'EUR', moved: '300.00', words: 'moved in 1 transfer' };
    await showPanel({ panel: panelOf('p', 'P', [{ parts: [{ kind: 'summary', tool: 'sum', items }] }]), answers: { 'p.sum': () => answer(value) } });
    const line = screen.getByRole('group', { name: 'Transfers' });
    expect(line.textContent).toBe('€300.00moved in 1 transfer');
    expect(line.querySelector('svg')).not.toBeNull();
  });

  test('a second series continues the bar', async () => {
    const chart: Record<string, JsonValue> = {
      kind: 'chart', tool: 'month', title: 'By category', shape: 'bars', rows: '/rows', x: 'name', unit: '/currency',
      series: [{ field: 'spent', label: 'Spent', format: 'money' }, { field: 'later', label: 'Upcoming', format: 'money' }],
    };
    const rows = [{ name: 'office', spent: '10.50', later: '3.50' }, { name: 'rent', spent: '14.00', later: null }];
    await showPanel({ panel: panelOf('p', 'P', [{ parts: [chart] }]), answers: { 'p.month': () => answer({ currency: 'EUR', rows }) } });
    const [office, rent] = within(screen.getByRole('list', { name: /By category/ })).getAllByRole('listitem');
    expect(office).toHaveTextContent('€10.50 + €3.50 upcoming');
    // Both bars are scaled to the larger sum, 14.
    expect(within(office as HTMLElement).getByTestId('further')).toHaveStyle({ left: '75%', width: '25%' });
    expect(rent).toHaveTextContent(/€14.00$/);
    expect(within(rent as HTMLElement).queryByTestId('further')).toBeNull();
  });

  test('a chart states its range and its last value, and becomes a table on a click', async () => {
    const panel = panelOf('p', 'P', [
      { parts: [{ kind: 'chart', tool: 'history', title: 'Value', shape: 'line', rows: '', x: 'date', series: [{ field: 'value', label: 'Value', format: 'number' }] }] },
    ]);
    const points = [
      { date: '2026-11-18', value: '5' },
      { date: '2026-11-19', value: null },
      { date: '2026-11-20', value: '7.5' },
    ];
    await showPanel({ panel, answers: { 'p.history': () => answer(points) } });
    expect(screen.getByRole('img', { name: 'Value, from 2026-11-18 to 2026-11-20: lowest 5, highest 7.5, at the end 7.5' })).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Table' }));
    expect(screen.getByRole('row', { name: '2026-11-19 unknown' })).toBeInTheDocument();
  });
});
