import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';

import type { JsonValue, Result } from '../../ipc';
import { FakeBackend } from '../../testing/fake-backend';
import { setWindow } from '../../testing/media';
import { answer, figure, panelOf } from '../../testing/panels';
import { renderInApp } from '../../testing/render';
import { sampleWorld } from '../../testing/sample';
import { budgetPanel, crmPanel, sampleAnswer } from '../../testing/sample-panels';
import { failure, rows, showPanel, table, type Answers } from '../../testing/skill-panel';
import { SkillPanel } from './SkillPanel';
import { UNDO_FOR } from './useCalls';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('loading', () => {
  test('parts with the same tool and arguments share one call', async () => {
    const { asked } = await showPanel();
    expect(asked('crm.pipeline')).toEqual([{}]);
    expect(asked('crm.follow_ups')).toEqual([{}]);
  });

  test('a changed note causes a reload; the old content stays meanwhile', async () => {
    let second: (result: Result<'call_tool'>) => void = () => {};
    const answers: Answers = { 'x.list': () => answer(rows(['A', '1'])) };
    const { backend, asked } = await showPanel({ panel: table(), answers });
    expect(screen.getByText('A')).toBeInTheDocument();
    answers['x.list'] = () => new Promise((resolve) => (second = resolve));
    const change = () => backend.emit({ type: 'vault_changed', kind: 'modified', path: 'A.md', from: null, by: 'outside', summary: null });
    act(() => void change());
    act(() => void change());
    expect(asked('x.list')).toHaveLength(2);
    expect(screen.getByText('A')).toBeInTheDocument();
    // Two changes during a load cause one more load.
    answers['x.list'] = () => answer(rows(['B', '2']));
    await act(async () => second(answer(rows(['A', '1']))));
    expect(asked('x.list')).toHaveLength(3);
    expect(await screen.findByText('B')).toBeInTheDocument();
  });

  test('a row changed outside shows the time for a minute', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    vi.setSystemTime(new Date('2026-11-20T14:32:30'));
    const { backend } = await showPanel({ panel: table(), answers: { 'x.list': () => answer(rows(['A', '1'], ['B', '2'])) } });
    act(() => void backend.emit({ type: 'vault_changed', kind: 'modified', path: 'A.md', from: null, by: 'outside', summary: null }));
    expect(screen.getAllByText('changed 14:32')).toHaveLength(1);
    act(() => void vi.advanceTimersByTime(61_000));
    expect(screen.queryByText('changed 14:32')).not.toBeInTheDocument();
  });

  test('a failure is shown in its place, and the rest works', async () => {
    const answers: Answers = { 'crm.follow_ups': () => failure('The vault is gone.') };
    const { user } = { user: userEvent.setup(), ...(await showPanel({ answers })) };
    const side = screen.getByRole('complementary', { name: 'Beside' });
    expect(within(side).getByRole('alert')).toHaveTextContent('The vault is gone.Look at it.');
    expect(screen.getByText('Quillon licence renewal')).toBeInTheDocument();
    delete answers['crm.follow_ups'];
    await user.click(within(side).getByRole('button', { name: 'Try again' }));
    expect(await within(side).findByText('Ilse Brandvik')).toBeInTheDocument();
  });

  test('unreadable content is reported with line and remedy, and its note opens', async () => {
    const { store } = await showPanel();
    const problems = screen.getByRole('region', { name: 'Problems' });
    expect(problems).toHaveTextContent('Arden fit-out is not on the board: stage “nego” is not one of the stages (line 4). Choose a stage.');
    await userEvent.click(within(problems).getByRole('button', { name: 'Open note' }));
    expect(store.get().app.panel.note).toBe('CRM/Deals/Arden fit-out.md');
  });

  test('figures open their sources', async () => {
    await showPanel();
    await userEvent.click(screen.getByRole('button', { name: 'Open pipeline, €137,900: 6 notes' }));
    const behind = await screen.findByRole('dialog', { name: 'Sources of Open pipeline' });
    expect(behind).toHaveTextContent('proposal€52,000');
    expect(behind).toHaveTextContent('Open the 6 notes');
  });

  test('an optional figure is omitted instead of unknown', async () => {
    const items: JsonValue[] = [
      { label: 'Value', at: '/value', format: 'money', unit: '/currency' },
      { label: 'In one currency', at: '/converted', format: 'money', unit: '/currency', optional: true },
      { label: 'Gain', at: '/gain', format: 'gain', unit: '/currency' },
    ];
    const panel = panelOf('x', 'X', [{ parts: [{ kind: 'summary', tool: 'sum', items }] }]);
    await showPanel({ panel, answers: { 'x.sum': () => answer({ value: '5', currency: 'EUR' }) } });
    expect(screen.getAllByRole('group').map((group) => group.textContent)).toEqual(['Value€5', 'Gainunknown']);
  });

  test('an invalid declaration reports its error', async () => {
    await showPanel({ panel: { ...crmPanel, problem: 'manifest.yaml, panel: crm has no tool `boards`.' } });
    expect(screen.getByText(/crm has no tool `boards`/)).toBeInTheDocument();
  });
});

test('records under other names are proposed beside existing ones', async () => {
  const backend = new FakeBackend({
    ...sampleWorld(),
    proposals: { x: { skill: 'x', types: [{ record_type: 'row', summary: '2 notes look like rows', notes: 2, type_values: ['line'], examples: ['B.md'], fields: [], rules: [], left_out: [], not_understood: [], unreadable: [] }], config: {} } },
  }).on('call_tool', () => answer(rows(['A', '1'])));
  renderInApp(<SkillPanel panel={table()} wide />, { backend });
  expect(await screen.findByText('2 notes look like rows.')).toBeVisible();
  expect(screen.getByRole('row', { name: /^A/ })).toBeVisible();
});

test('columns skip overlapping labels, except the last', async () => {
  const months = Array.from({ length: 36 }, (_, at) => `${2024 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`);
  const part = { kind: 'chart', tool: 'paid', title: 'By month', shape: 'columns', rows: '/months', x: 'month', series: [{ field: 'total', label: 'Paid', format: 'money' }] };
  const labels = async (shown: readonly string[]) => {
    const { unmount } = await showPanel({
      panel: panelOf('x', 'X', [{ parts: [part] }]),
      answers: { 'x.paid': () => answer({ months: shown.map((month) => ({ month, total: '5' })) }) },
    });
    const found = [...screen.getByRole('img').querySelectorAll('text')].flatMap(({ textContent }) => (/^[A-Z]/.test(textContent) ? [textContent] : []));
    unmount();
    return found;
  };
  expect(await labels(months.slice(0, 3))).toEqual(['Jan', 'Feb', 'Mar']);
  const many = await labels(months);
  expect(many.length).toBeLessThan(18);
  expect(many.at(-1)).toBe('Dec');
});

describe('the board', () => {
  test('counts its cards by their declared noun', async () => {
    const deals = (count: number, words: Record<string, JsonValue>) => {
      const part = { kind: 'board', tool: 'b', columns: '/columns', rows: '/rows', column: 'stage', title: 'title', folded: ['lost'], ...words };
      const value = { columns: [{ stage: 'lead', count: 0, total: [] }, { stage: 'lost', count, total: [] }], rows: [] };
      return showPanel({ panel: panelOf('x', 'X', [{ parts: [part] }]), answers: { 'x.b': () => answer(value) } });
    };
    const words = { one: 'deal', many: 'deals' };
    for (const [count, more, expected] of [[2, words, 'Lost 2 deals. Open'], [1, words, 'Lost 1 deal. Open'], [2, {}, 'Lost 2 cards. Open']] as const) {
      const { unmount } = await deals(count, more);
      expect(screen.getByRole('button', { name: expected })).toBeVisible();
      unmount();
    }
  });

  const column = (name: string) => screen.getByRole('list', { name });
  const card = (title: string) => screen.getByRole('listitem', { name: new RegExp(`^${title}`) });

  /** Presses a card and moves it over a column; jsdom has no layout, so the target is given. */
  function drag(title: string, over: string) {
    const element = card(title);
    fireEvent.pointerDown(element, { button: 0, pointerId: 1, clientX: 10, clientY: 10 });
    fireEvent.pointerMove(element, { pointerId: 1, buttons: 1, clientX: 12, clientY: 11 });
    expect(screen.queryByText(/Release to set/)).not.toBeInTheDocument();
    document.elementFromPoint = () => screen.getByRole('list', { name: new RegExp(`^${over}`) });
    fireEvent.pointerMove(element, { pointerId: 1, buttons: 1, clientX: 300, clientY: 40 });
    return element;
  }

  test('a card over a column previews its count and total', async () => {
    await showPanel();
    const element = drag('Pinecrest second clinic', 'Won');
    expect(column('Won, 5, €110,300')).toHaveTextContent('Release to set stage: won');
    expect(column('Proposal, 1, €28,000')).toBeInTheDocument();
    fireEvent.pointerUp(element, { pointerId: 1 });
  });

  test('a drop calls the tool as the user, and can be undone for 10 s', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { asked, backend } = await showPanel();
    fireEvent.pointerUp(drag('Pinecrest second clinic', 'Won'), { pointerId: 1 });
    await act(async () => {});
    expect(asked('crm.move_deal')).toEqual([{ title: 'CRM/Deals/Pinecrest second clinic.md', stage: 'won' }]);
    const bar = screen.getByTestId('undo-bar');
    expect(bar).toHaveTextContent('Moved Pinecrest second clinic to won');
    fireEvent.click(within(bar).getByRole('button', { name: 'Undo' }));
    await act(async () => {});
    expect(backend.asked('undo_changes')).toEqual([{ change_set: 'set9' }]);
    act(() => void vi.advanceTimersByTime(UNDO_FOR));
    expect(screen.queryByTestId('undo-bar')).not.toBeInTheDocument();
  });

  test('a refused drop is reverted with the reason', async () => {
    await showPanel({ answers: { 'crm.move_deal': () => failure('A rule denies crm.move_deal.') } });
    fireEvent.pointerUp(drag('Pinecrest second clinic', 'Won'), { pointerId: 1 });
    await act(async () => {});
    expect(screen.getByTestId('call-failed')).toHaveTextContent('Move Pinecrest second clinic to won: A rule denies crm.move_deal.');
    expect(within(column('Proposal, 2, €52,000')).getByText('Pinecrest second clinic')).toBeInTheDocument();
  });

  test('Space picks up, the arrows move, Space drops; each step is announced', async () => {
    const { asked, container } = await showPanel();
    const user = userEvent.setup();
    const said = () => container.querySelector('[aria-live=assertive]')?.textContent;
    card('Quillon licence renewal').focus();
    await user.keyboard(' ');
    expect(said()).toBe('Quillon licence renewal is lifted from Contacted. Arrows move it, Space drops it, Esc returns it.');
    await user.keyboard('{ArrowRight}');
    expect(said()).toBe('Qualified, 1 deal');
    expect(column('Qualified, 2, €54,500')).toBeInTheDocument();
    await user.keyboard(' ');
    expect(asked('crm.move_deal')).toEqual([{ title: 'CRM/Deals/Quillon licence renewal.md', stage: 'qualified' }]);
    await waitFor(() => expect(said()).toBe('Quillon licence renewal is in Qualified.'));
  });

  test('Esc cancels a picked-up card', async () => {
    const { asked } = await showPanel();
    card('Quillon licence renewal').focus();
    await userEvent.keyboard(' {ArrowRight}{Escape}');
    expect(column('Contacted, 1, €18,500')).toBeInTheDocument();
    expect(asked('crm.move_deal')).toEqual([]);
  });

  test('a collapsed column expands on hover', async () => {
    await showPanel();
    const folded = screen.getByRole('button', { name: 'Lost 2 deals, €15,200. Open' });
    await userEvent.hover(folded);
    expect(column('Lost, 2, €15,200')).toHaveTextContent('Solvane pilot');
  });

  test('the filter keeps matching cards', async () => {
    await showPanel();
    await userEvent.type(screen.getByRole('searchbox', { name: 'Filter' }), 'fernhill');
    expect(screen.getAllByRole('listitem', { name: /^Fernhill/ })).toHaveLength(2);
    expect(screen.queryByText('Northgate retrofit')).not.toBeInTheDocument();
  });
});

describe('a table', () => {
  const names = () => screen.getAllByRole('row').slice(1).map((row) => row.querySelector('td')?.textContent);

  test('sorts by a column, figures numerically with the largest first', async () => {
    await showPanel({ panel: table(), answers: { 'x.list': () => answer(rows(['A', '9.5'], ['B', '10'], ['C', '-3'])) } });
    await userEvent.click(screen.getByRole('button', { name: 'Value, EUR' }));
    expect(names()).toEqual(['B', 'A', 'C']);
    await userEvent.click(screen.getByRole('button', { name: 'Value, EUR' }));
    expect(names()).toEqual(['C', 'A', 'B']);
  });

  test('begins in the declared order, with its arrow', async () => {
    await showPanel({ panel: table({ sort: '-value' }), answers: { 'x.list': () => answer(rows(['A', '9.5'], ['B', '10'])) } });
    expect(names()).toEqual(['B', 'A']);
    expect(screen.getByRole('columnheader', { name: 'Value, EUR' })).toHaveAttribute('aria-sort', 'descending');
  });

  test('hides columns without room', async () => {
    const columns: JsonValue[] = [{ field: 'name', label: 'Name' }, { field: 'value', label: 'Cost', format: 'money', unit: 'currency', roomy: true }];
    const heads = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent);
    const { unmount } = await showPanel({ panel: table({ columns }), answers: { 'x.list': () => answer(rows(['A', '1'])) } });
    expect(heads()).toEqual(['Name', 'Cost, EUR']);
    unmount();
    await showPanel({ panel: table({ columns }), answers: { 'x.list': () => answer(rows(['A', '1'])) }, width: 1000 });
    expect(heads()).toEqual(['Name']);
  });

  test('one currency is shown in the head, several with their amounts', async () => {
    const { unmount } = await showPanel({ panel: table(), answers: { 'x.list': () => answer(rows(['A', '1200'])) } });
    expect(screen.getByRole('columnheader', { name: 'Value, EUR' })).toBeInTheDocument();
    expect(screen.getByText('1,200')).toBeInTheDocument();
    unmount();
    await showPanel({ panel: table(), answers: { 'x.list': () => answer(rows(['A', '1200'], ['B', '5', 'USD'])) } });
    expect(screen.getByText('€1,200')).toBeInTheDocument();
    expect(screen.getByText('$5')).toBeInTheDocument();
  });

  test('an expense has a sign and no colour; a loss is red', async () => {
    const columns: JsonValue[] = [
      { field: 'name', label: 'Name' },
      { field: 'value', label: 'Amount', format: 'signed', unit: 'currency' },
      { field: 'gain', label: 'Gain', format: 'gain', unit: 'currency' },
    ];
    const row = { name: 'Rent', value: '-1180.00', gain: '-5.00', currency: 'EUR' };
    await showPanel({ panel: table({ columns }), answers: { 'x.list': () => answer({ rows: [row] }) } });
    expect(screen.getByText('−1,180.00')).not.toHaveClass('text-danger');
    expect(screen.getByText('−5.00')).toHaveClass('text-danger');
    expect(screen.getByRole('columnheader', { name: 'Amount, EUR' })).toBeInTheDocument();
  });

  test('a detail common to all figures is shown once in the head', async () => {
    const columns: JsonValue[] = [
      { field: 'name', label: 'Name', detail: 'kind' },
      { field: 'at', label: 'As of', format: 'date', detail: 'source' },
    ];
    const row = (name: string, source: string) => ({ name, kind: 'share', at: '2026-11-20', source });
    const { unmount } = await showPanel({ panel: table({ columns }), answers: { 'x.list': () => answer({ rows: [row('A', 'note'), row('B', 'note')] }) } });
    expect(screen.queryByText('note')).toBeNull();
    expect(screen.getByRole('columnheader', { name: 'As of (note)' })).toBeInTheDocument();
    expect(document.querySelector('[data-tip="As of: note, in all rows"]')).toBeInTheDocument();
    expect(screen.getAllByText('share')).toHaveLength(2);
    unmount();
    await showPanel({ panel: table({ columns }), answers: { 'x.list': () => answer({ rows: [row('A', 'note'), row('B', 'Stooq')] }) } });
    expect(screen.getByRole('columnheader', { name: 'As of' })).toBeInTheDocument();
    expect([screen.getByText('note'), screen.getByText('Stooq')].every((one) => one.closest('td') !== null)).toBe(true);
  });

  test('shows 50 rows, then 150 more, then only visible ones of all', async () => {
    const many = rows(...Array.from({ length: 1000 }, (_, at): [string, string] => [`N${at}`, '1']));
    await showPanel({ panel: table(), answers: { 'x.list': () => answer(many) } });
    expect(screen.getAllByRole('row')).toHaveLength(51);
    fireEvent.click(screen.getByRole('button', { name: 'Show 150 more' }));
    fireEvent.click(screen.getByRole('button', { name: 'Show all 1,000' }));
    expect(screen.getByRole('table')).toHaveAttribute('aria-rowcount', '1001');
    expect(screen.getAllByRole('row').length).toBeLessThan(120);
  });

  test('a total is below, with its figure', async () => {
    const value = { ...rows(['A', '1']), total: { name: 'Total', value: '1', currency: 'EUR' } };
    await showPanel({
      panel: table({ total: '/total' }),
      answers: { 'x.list': () => answer(value, ['A.md'], [figure('/total/value', 'Total', '1', 'EUR')]) },
    });
    const last = screen.getAllByRole('row').at(-1);
    expect(last).toHaveTextContent('Total1 note1');
  });

  test('a total in another currency names it, and its rates', async () => {
    const columns: JsonValue[] = [
      { field: 'name', label: 'Name', detail: 'words' },
      { field: 'value', label: 'Value', format: 'money', unit: 'currency' },
    ];
    const value = { ...rows(['A', '1', 'USD']), total: { name: 'Total', words: 'USD at 0.92, ECB, 20 Nov', value: '0.92', currency: 'EUR' } };
    await showPanel({ panel: table({ columns, total: '/total' }), answers: { 'x.list': () => answer(value) } });
    expect(screen.getAllByRole('row').map((row) => row.textContent)).toEqual(['NameValue', 'A$1', 'TotalUSD at 0.92, ECB, 20 Nov€0.92']);
  });

  test('is filtered only on its tab', async () => {
    const part = { kind: 'table', tool: 'list', rows: '/rows', columns: [{ field: 'name', label: 'Name' }] };
    const panel = panelOf('x', 'X', [
      { title: 'One', parts: [part] },
      { title: 'Two', parts: [part] },
    ]);
    await showPanel({ panel, answers: { 'x.list': () => answer(rows(['Ada', '1'], ['Bo', '2'])) } });
    await userEvent.type(screen.getByRole('searchbox', { name: 'Filter' }), 'ada');
    expect(names()).toEqual(['Ada']);
    await userEvent.click(screen.getByRole('tab', { name: /^Two/ }));
    expect(screen.getByRole('searchbox', { name: 'Filter' })).toHaveValue('');
    expect(names()).toEqual(['Ada', 'Bo']);
    await userEvent.click(screen.getByRole('tab', { name: /^One/ }));
    expect(screen.getByRole('searchbox', { name: 'Filter' })).toHaveValue('ada');
    expect(names()).toEqual(['Ada']);
  });

  test('reports the number of omitted rows', async () => {
    await showPanel({ panel: table(), answers: { 'x.list': () => answer({ ...rows(['A', '1']), not_shown: 1200 }) } });
    expect(screen.getByRole('note')).toHaveTextContent('1,200 more are not shown.');
  });

  test('includes rows of further lists, each amount in its currency', async () => {
    const value = { ...rows(['Food', '80']), others: [rows(['Travel', '40', 'USD']), rows(['Books', '5', 'GBP'])] };
    await showPanel({ panel: table({ more: '/others/*/rows' }), answers: { 'x.list': () => answer(value) } });
    expect(names()).toEqual(['Food', 'Travel', 'Books']);
    expect(screen.getByText('$40')).toBeVisible();
  });

  test('a row’s note is edited as a record', async () => {
    const panel = table({ actions: [{ label: 'Edit', edit: true }] });
    const { store, backend } = await showPanel({ panel, answers: { 'x.list': () => answer(rows(['A', '1'])) } });
    const record = { skill: 'x', record_type: 'income', label: 'Income' };
    backend.on('read_note', ({ path }) => ({ path, name: 'A', properties: [], html: '', broken: null, ...(path === 'A.md' ? { record } : {}) }));
    await userEvent.click(screen.getByRole('button', { name: 'Edit' }));
    await waitFor(() => expect(store.get().app.recordForm).toEqual({ skill: 'x', type: 'income', path: 'A.md' }));
  });

  test('a row without a note starts a new record with its values', async () => {
    const panel = table({ actions: [{ label: 'Edit position', record: 'position', args: { symbol: '{name}', currency: '{currency}' } }] });
    const row = { name: 'NGTL', value: '1', currency: 'USD' };
    const { store } = await showPanel({ panel, answers: { 'x.list': () => answer({ rows: [row] }) } });
    await userEvent.click(screen.getByRole('button', { name: 'Edit position' }));
    expect(store.get().app.recordForm).toEqual({ skill: 'x', type: 'position', path: null, values: { symbol: 'NGTL', currency: 'USD' } });
  });

  test('without rows it describes them and offers one action', async () => {
    const panel = table({ empty: { text: 'No deals yet.', action: { label: 'New deal', record: 'deal' } } });
    const { store } = await showPanel({ panel, answers: { 'x.list': () => answer({ rows: [] }) } });
    expect(screen.getByText('No deals yet.')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'New deal' }));
    expect(store.get().app.recordForm).toEqual({ skill: 'x', type: 'deal', path: null });
  });
});

describe('a list', () => {
  const entries = () => within(screen.getByRole('region', { name: 'Follow-ups' })).getAllByRole('listitem').map((entry) => entry.querySelector('button')?.textContent);
  const headings = () => within(screen.getByRole('region', { name: 'Follow-ups' })).queryAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent);

  test('is sorted as chosen, by date in groups', async () => {
    await showPanel();
    expect(headings()).toEqual(['Overdue', 'This week', 'Later']);
    expect(entries()[0]).toBe('Ilse Brandvik');
    await userEvent.click(screen.getByRole('button', { name: 'Order: Due first' }));
    await userEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'By name' }));
    expect(headings()).toEqual([]);
    const named = entries();
    expect(named).toEqual([...named].sort());
    expect(named).toHaveLength(7);
  });

  test('reports omitted rows, and a click shows them', async () => {
    await showPanel();
    await userEvent.click(screen.getByRole('button', { name: '31 people without a date: show People' }));
    expect(screen.getByRole('tab', { name: /^People/ })).toHaveAttribute('aria-selected', 'true');
    expect(screen.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'ascending');
  });

  test('reports nothing if none are omitted', async () => {
    await showPanel({ answers: { 'crm.follow_ups': () => answer({ follow_ups: [], without_date: 0 }) } });
    expect(screen.queryByText(/without a date/)).not.toBeInTheDocument();
  });

  test('without room beside it becomes a tab with its count', async () => {
    await showPanel({ width: 900 });
    expect(screen.getByRole('tab', { name: 'Follow-ups 7' })).toBeInTheDocument();
  });
});

describe('the budget', () => {
  test('a month of the strip is selected by a click', async () => {
    const { asked } = await showPanel({ panel: budgetPanel });
    const strip = within(screen.getByTestId('strip'));
    expect(strip.getByRole('button', { name: /November 2026/, pressed: true })).toHaveTextContent(/^Nov\+723November 2026:/);
    expect(strip.getByRole('heading')).toHaveTextContent('2026 €16,021 left');
    await userEvent.click(strip.getByRole('button', { name: /April 2026/ }));
    await waitFor(() => expect(asked('budget.list').at(-1)).toMatchObject({ month: '2026-04' }));
  });

  test('limits show the spent share and the exact rest', async () => {
    await showPanel({ panel: budgetPanel });
    const limits = within(screen.getByRole('region', { name: 'With a limit' })).getAllByRole('listitem').map(({ textContent }) => textContent);
    expect(limits.slice(0, 2)).toEqual(['transport87 of 80€7.40 over', 'groceries279 of 280€0.75 left']);
  });

  test('a narrow window summarises critical limits in one line', async () => {
    await showPanel({ panel: budgetPanel, width: 900 });
    expect(screen.getByRole('region', { name: 'With a limit' })).toHaveTextContent('transport87 of 80€7.40 overgroceries279 of 280€0.75 leftAll 8 categories');
    await userEvent.click(screen.getByRole('button', { name: 'All 8 categories' }));
    expect(screen.getByRole('tab', { name: 'Categories' })).toHaveAttribute('aria-selected', 'true');
  });

  test('another currency is selected from those in use', async () => {
    const { asked } = await showPanel({ panel: budgetPanel });
    await userEvent.click(screen.getByRole('button', { name: 'Currency: EUR' }));
    await userEvent.click(screen.getByRole('button', { name: 'USD' }));
    await waitFor(() => expect(asked('budget.month_summary').at(-1)).toMatchObject({ currency: 'USD' }));
  });

  test('the arrow beside the button offers other actions', async () => {
    await showPanel({ panel: budgetPanel });
    await userEvent.click(screen.getByRole('button', { name: 'More actions' }));
    expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual(['Add income', 'Add transfer', 'Set limit']);
  });

  const cafe = 'Budget/Expenses/2026/2026-11-16 Cafe Ember.md';
  /** The panel with the focus on an expense's row. */
  async function onCafe() {
    const shown = await showPanel({ panel: budgetPanel });
    shown.backend.on('read_note', ({ path }) => ({ ...Object.values(sampleWorld().notes)[0]!, path, record: { skill: 'budget', record_type: 'expense', label: 'Expense' } }));
    screen.getAllByRole('button', { name: 'Cafe Ember' })[0]?.focus();
    return shown;
  }

  test.each([
    ['e', {}],
    ['{Enter}', {}],
    ['c', { field: 'category' }],
    ['r', { field: 'recurring' }],
  ])('%s edits the focused row', async (key, field) => {
    const { store } = await onCafe();
    await userEvent.keyboard(key);
    await waitFor(() => expect(store.get().app.recordForm).toEqual({ skill: 'budget', type: 'expense', path: cafe, ...field }));
  });

  test('O opens a row’s note in the window, not in Obsidian', async () => {
    const { store, backend } = await onCafe();
    await userEvent.keyboard('o');
    await waitFor(() => expect(store.get().app.panel.note).toBe(cafe));
    expect(backend.asked('open_note')).toEqual([]);
  });

  test('Shift F10 opens a row’s menu, with deletion last', async () => {
    await onCafe();
    await userEvent.keyboard('{Shift>}{F10}{/Shift}');
    const labels = (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent);
    expect(labels).toEqual(['EditE', 'Change categoryC', 'Change repeatR', 'Join as transfer', 'Open noteO', 'DeleteDel']);
  });

  test('Del deletes a row’s note by the tool that asks', async () => {
    const { asked } = await onCafe();
    await userEvent.keyboard('{Delete}');
    expect(asked('vault.delete_note')).toEqual([{ path: cafe }]);
  });

  test('Delete in a row’s menu asks, and a refusal keeps the row', async () => {
    const { asked, backend } = await onCafe();
    backend.on('call_tool', (call) =>
      call.tool === 'vault.delete_note' ? failure('You refused this.') : (sampleAnswer(call) ?? answer(null)),
    );
    await userEvent.keyboard('{Shift>}{F10}{/Shift}');
    await userEvent.click(await screen.findByRole('menuitem', { name: /^Delete/ }));
    await waitFor(() => expect(asked('vault.delete_note')).toEqual([{ path: cafe }]));
    expect(screen.getAllByRole('button', { name: 'Cafe Ember' }).length).toBeGreaterThan(0);
  });

  test('a transfer and a recurring entry have their signs', async () => {
    await showPanel({ panel: budgetPanel });
    const signs = (name: string) => screen.getAllByRole('button', { name })[0]!.closest('td')!.querySelectorAll('svg').length;
    expect(['Current account → Savings', 'Metro Transit', 'Cafe Ember'].map(signs)).toEqual([1, 1, 0]);
  });

  test('beside the chat a row is its payee and amount, with the rest below', async () => {
    setWindow({ width: 1440 });
    const backend = new FakeBackend(sampleWorld()).on('call_tool', (call) => sampleAnswer(call) ?? answer(null));
    renderInApp(<SkillPanel panel={budgetPanel} wide={false} />, { backend });
    const rows = await screen.findByRole('table', { name: 'Rows' });
    expect(within(rows).getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(['Payee', 'Amount, EUR', 'Actions']);
    const cells = within(within(rows).getByRole('row', { name: /Metro Transit/ })).getAllByRole('cell');
    expect(cells.slice(0, 2).map(({ textContent }) => textContent)).toEqual(['Metro Transitrepeats monthlySat 14 Novtransport', '−49.00']);
  });

  test('rules are a tab with their count', async () => {
    await showPanel({ panel: budgetPanel });
    await userEvent.click(screen.getByRole('tab', { name: 'Rules 3' }));
    expect(screen.getByRole('row', { name: /corner market groceries 10/ })).toBeVisible();
    expect(screen.getByRole('button', { name: 'Add rule' })).toBeVisible();
  });
});
