import { act, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';

import type { JsonValue } from '../../ipc';
import { violations } from '../../testing/axe';
import { answer } from '../../testing/panels';
import { sampleWorld } from '../../testing/sample';
import { explanation, midCap, partialScan, screens, wholeScan } from '../../testing/sample/screener-panel';
import { button, click, failure, limit, open, scan, slow, type Answers } from './fixture';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const SCAN = 'screener.scan_universe';
const inHead = (name: string) => within(screen.getByRole('banner', { name: 'Screener' })).getByRole('button', { name });
const section = (name: string | RegExp) => screen.getByRole('region', { name });
const row = (symbol: string) => within(screen.getByRole('table', { name: 'Hits' })).getByRole('row', { name: new RegExp(`^${symbol}`) });
const order = () => [...document.querySelectorAll('[data-hit]')].map(({ textContent }) => textContent);
const axe = async () => (await violations()).filter((one) => !/^landmark-one-main/.test(one)).join('\n');

describe('before a scan', () => {
  test('the first saved screen is open, and nothing is scanned', async () => {
    const { asked } = await open();
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Screener');
    expect(screen.getByRole('textbox', { name: 'Limit of Market value' })).toHaveValue('0.5 and 5 bn');
    expect(screen.getByRole('combobox', { name: 'Operator of Growth, 3 y' })).toHaveValue('above');
    expect(section('Conditions')).toHaveTextContent('5, all must hold');
    expect(section('Conditions')).toHaveTextContent('List of 30 Sep 2026, from Universes/Europe');
    expect(asked(SCAN)).toEqual([]);
    expect(section('Hits')).toHaveTextContent('Not scanned yet.');
    expect(await axe()).toBe('');
  });

  test('without conditions the scan is off, and one is added', async () => {
    await open({ answers: { 'screener.list_screens': () => answer({ ...screens, screens: [] }) } });
    expect(section('Hits')).toHaveTextContent('No conditions.');
    expect(inHead('Scan')).toBeDisabled();
    await click('Add a condition');
    expect(screen.getByRole('combobox', { name: 'Field' })).toHaveFocus();
    expect(screen.getByRole('textbox', { name: 'Limit of Market value' })).toHaveAttribute('placeholder', '0.5 bn and 5 bn');
    expect(inHead('Scan')).toBeEnabled();
  });

  test('unreadable screens say why, and are reloaded', async () => {
    const { asked } = await open({ answers: { 'screener.list_screens': () => failure('The vault is locked.') } });
    expect(screen.getByRole('alert')).toHaveTextContent('The vault is locked.');
    await click('Try again');
    expect(asked('screener.list_screens')).toHaveLength(2);
  });

  test('problems of a screen are shown with its note', async () => {
    const broken: JsonValue = { ...midCap, problems: ['Line 9 is no condition.'], conditions: [{ text: 'clsoe > 1', field: null, operator: null, values: [], problem: 'There is no clsoe.' }] };
    const { asked, store } = await open({ answers: { 'screener.list_screens': () => answer({ ...screens, screens: [broken] }) } });
    expect(section('Problems with the screen')).toHaveTextContent('Line 9 is no condition.');
    expect(screen.getByText('There is no clsoe.')).toBeVisible();
    await scan();
    expect(asked(SCAN)).toEqual([]);
    await userEvent.click(within(section('Problems with the screen')).getByRole('button', { name: 'Open note' }));
    expect(store.get().app.panel.note).toBe('Screens/Mid-cap value.md');
  });
});

describe('conditions', () => {
  test('are validated on blur, not while typing', async () => {
    await open();
    const field = screen.getByRole('textbox', { name: 'Limit of Price ÷ earnings' });
    await userEvent.clear(field);
    await userEvent.type(field, '1,5');
    await click('Add condition');
    await limit('Operating margin', '12');
    expect(screen.getByText('1,5 is not a limit. Write it as 18, 10 % or 0.5 bn.')).toBeVisible();
    expect(field).toBeInvalid();
    expect(screen.getByRole('textbox', { name: 'Limit of Operating margin' })).toHaveValue('12 %');
  });

  test('a field that is only focused is not changed', async () => {
    const conditions = [{ text: 'growth_3y > 10', field: 'growth_3y', operator: 'above', values: ['10'], problem: null }];
    await open({ answers: { 'screener.list_screens': () => answer({ ...screens, screens: [{ ...midCap, conditions }] }) } });
    await userEvent.click(screen.getByRole('textbox', { name: 'Limit of Growth, 3 y' }));
    await userEvent.tab();
    await act(async () => void (await new Promise((done) => setTimeout(done))));
    expect(screen.getByRole('textbox', { name: 'Limit of Growth, 3 y' })).toHaveValue('10');
    expect(screen.queryByText(/not saved$/)).toBeNull();
  });

  test('an invalid one blocks the scan, and is marked', async () => {
    const { asked, press } = await open();
    await click('Add condition');
    press('Enter', screen.getByRole('textbox', { name: 'Limit of Operating margin' }), { ctrlKey: true });
    expect(asked(SCAN)).toEqual([]);
    expect(screen.getByText('Write a limit.')).toBeVisible();
  });

  test('a line is checked while it is typed, without a scan', async () => {
    const checked = (text: string) => (text.includes('200)') ? { line: 1, text, problem: null, character: null, reads: ['Close'] } : { line: 1, text, problem: 'A comma is missing.', character: 19, reads: [] });
    const answers: Answers = { 'screener.check_conditions': ({ args }) => answer({ conditions: ((args as { conditions: string[] }).conditions).map(checked) }) };
    const { asked } = await open({ answers });
    await userEvent.selectOptions(screen.getAllByRole('combobox', { name: 'Field' })[0]!, 'As a line…');
    const line = screen.getByRole('textbox', { name: 'Condition' });
    fireEvent.change(line, { target: { value: 'close > sma(close 20)' } });
    expect(await screen.findByText('Character 19: A comma is missing.')).toBeVisible();
    expect(line).toBeInvalid();
    fireEvent.change(line, { target: { value: 'close > sma(close, 200)' } });
    expect(await screen.findByText('Reads Close')).toBeVisible();
    expect(line).toBeValid();
    expect(asked('screener.scan_universe')).toEqual([]);
  });

  test('a complex one is a line of text', async () => {
    const { asked } = await open();
    await click(/^Dividend growers/);
    const field = screen.getByRole('textbox', { name: 'Condition' });
    expect(field).toHaveValue('close > sma(close, 200)');
    await userEvent.clear(field);
    await userEvent.type(field, 'close > sma(close, 100)');
    await scan();
    expect(asked(SCAN)).toEqual([{ conditions: ['close > sma(close, 100)', 'operating_margin > 12 %'], missing: 'leave_out', universe: 'Europe mid caps' }]);
  });

  test('a row can become a line with the same text', async () => {
    await open();
    await userEvent.selectOptions(screen.getAllByRole('combobox', { name: 'Field' })[0]!, 'As a line…');
    expect(screen.getByRole('textbox', { name: 'Condition' })).toHaveValue('market_value between 0.5 bn and 5 bn');
  });

  test('universe, missing figures, operators and score are sent unchanged', async () => {
    const { asked } = await open();
    await click('Universe: Europe mid caps 1,200');
    await userEvent.click(screen.getByRole('menuitemcheckbox', { name: /^SEC filers/ }));
    await userEvent.click(screen.getByRole('radio', { name: 'Keep and mark' }));
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Operator of Price ÷ earnings' }), 'above');
    await click('Remove Daily volume');
    await click(/^Score from/);
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Better of Growth, 3 y' }), 'low');
    await click('Remove Price ÷ earnings from the score');
    await userEvent.keyboard('{Escape}');
    await scan();
    expect(asked(SCAN)).toEqual([
      {
        conditions: ['market_value between 0.5 bn and 5 bn', 'price_to_earnings > 18', 'growth_3y > 10 %', 'net_debt_to_ebitda < 2'],
        missing: 'keep',
        universe: 'SEC filers',
        score: ['low growth_3y 50 %'],
      },
    ]);
  });

  test('a universe without a note is reported', async () => {
    await open({ answers: { 'screener.list_screens': () => answer({ ...screens, screens: [{ ...midCap, universe: 'Gone' }] }) } });
    expect(section('Conditions')).toHaveTextContent('No list Gone among your notes. Choose another universe.');
  });
});

describe('saving', () => {
  test('writes the screen at once, and can be undone', async () => {
    const { asked } = await open({ answers: { 'screener.save_screen': () => ({ ...answer({ path: 'Screens/Mid-cap value.md' }), change_set: 'set-1' }) } });
    expect(button('Save')).toBeDisabled();
    await limit('Net debt ÷ EBITDA', '1.5');
    expect(screen.getByText('1 change not saved')).toBeVisible();
    await click('Save');
    expect(asked('screener.save_screen')).toEqual([
      {
        name: 'Mid-cap value',
        conditions: ['market_value between 0.5 bn and 5 bn', 'price_to_earnings < 18', 'growth_3y > 10 %', 'net_debt_to_ebitda < 1.5', 'daily_volume > 50000'],
        universe: 'Europe mid caps',
        missing: 'leave_out',
        score: ['low price_to_earnings 50 %', 'high growth_3y 50 %'],
      },
    ]);
    expect(screen.getByTestId('undo-bar')).toHaveTextContent('Saved Mid-cap value');
    expect(screen.queryByText('1 change not saved')).toBeNull();
  });

  test('a list of symbols becomes the universe, under a name not taken', async () => {
    const { asked } = await open({ answers: { 'screener.save_universe': () => answer({ path: 'Universes/Two.md', count: 2 }) } });
    await click('Save list…');
    await userEvent.type(screen.getByRole('textbox', { name: 'Name of the list' }), 'europe mid caps');
    expect(screen.getByText('There is a list europe mid caps. Choose another name.')).toBeVisible();
    const symbols = screen.getByRole('textbox', { name: /^Symbols/ });
    await userEvent.clear(symbols);
    await userEvent.type(symbols, 'NGTL{Enter}ALDT');
    await userEvent.clear(screen.getByRole('textbox', { name: 'Name of the list' }));
    await userEvent.type(screen.getByRole('textbox', { name: 'Name of the list' }), 'Two{Enter}');
    expect(asked('screener.save_universe')).toEqual([{ name: 'Two', text: 'NGTL\nALDT' }]);
    expect(button('Universe: Two')).toBeVisible();
  });

  test('that fails loses nothing', async () => {
    await open({ answers: { 'screener.save_screen': () => failure('The note changed meanwhile.', '', 'conflict') } });
    await limit('Net debt ÷ EBITDA', '1.5');
    await click('Save');
    expect(screen.getByTestId('call-failed')).toHaveTextContent('The note changed meanwhile.');
    expect(screen.getByRole('textbox', { name: 'Limit of Net debt ÷ EBITDA' })).toHaveValue('1.5');
    expect(screen.getByText('1 change not saved')).toBeVisible();
  });

  test('under another name refuses an existing one', async () => {
    const { asked } = await open();
    await click('Save as…');
    await userEvent.type(screen.getByRole('textbox', { name: 'Name of the screen' }), 'dividend growers');
    expect(screen.getByText('There is already a screen dividend growers. Choose another name.')).toBeVisible();
    await userEvent.keyboard('{Enter}');
    expect(asked('screener.save_screen')).toEqual([]);
    await userEvent.keyboard(' 2{Enter}');
    expect(asked('screener.save_screen')).toMatchObject([{ name: 'dividend growers 2' }]);
  });

  test('keeps changes with their screen, and can discard them', async () => {
    await open();
    await limit('Net debt ÷ EBITDA', '1.5');
    await click(/^Low debt/);
    expect(screen.queryByText(/not saved$/)).toBeNull();
    await click(/^Mid-cap value/);
    expect(screen.getByRole('textbox', { name: 'Limit of Net debt ÷ EBITDA' })).toHaveValue('1.5');
    await click('Discard');
    expect(screen.getByRole('textbox', { name: 'Limit of Net debt ÷ EBITDA' })).toHaveValue('2');
  });
});

describe('a scan', () => {
  /** A running scan, with the hits of the picture. */
  async function scanning(width = 1440) {
    const call = slow(SCAN);
    const opened = await open({ answers: call.answers, width });
    await scan();
    call.say(opened.backend, call.begun, call.progress(partialScan, 0.343));
    return { ...opened, call };
  }

  test('shows hits as they arrive', async () => {
    const { asked } = await scanning();
    expect(asked(SCAN)).toEqual([{ screen: 'Mid-cap value' }]);
    expect(section('Hits')).toHaveTextContent('412/1,200, 9 hits so farexternal');
    expect(screen.getByRole('progressbar', { name: 'Scan' })).toHaveAttribute('aria-valuenow', '34');
    expect(screen.getByText('Scan: 25 %')).toBeInTheDocument();
    expect(row('NGTL')).toHaveTextContent('NGTLNorthgate ToolingIn your portfolio42.1811.4+14.2 %87');
    expect(within(row('KSTL')).getByRole('img', { name: /^6 months: [+−]\d+ %$/ })).toBeVisible();
    expect(section('Hits')).toHaveTextContent('Order may change until the scan ends.');
    expect(inHead('Start again')).toBeDisabled();
    expect(await axe()).toBe('');
  });

  test('keeps its conditions when they are edited, and can be restarted', async () => {
    const { backend, asked, call } = await scanning();
    await limit('Net debt ÷ EBITDA', '1.5');
    expect(screen.getByTestId('outdated')).toHaveTextContent('Net debt ÷ EBITDA limit changed from 2 to 1.5. The running scan still uses 2. Start again');
    expect(screen.getByRole('textbox', { name: 'Limit of Net debt ÷ EBITDA' })).toHaveClass('bg-accent-soft');
    expect(screen.getByRole('textbox', { name: 'Limit of Daily volume' })).not.toHaveClass('bg-accent-soft');
    await userEvent.click(within(screen.getByTestId('outdated')).getByRole('button', { name: 'Start again' }));
    const [first, second] = call.runs(backend);
    expect(backend.asked('stop_tool')).toEqual([{ run: first }]);
    expect(second).not.toBe(first);
    expect(asked(SCAN)[1]).toMatchObject({ conditions: expect.arrayContaining(['net_debt_to_ebitda < 1.5']) as string[] });
    expect(screen.queryByTestId('outdated')).toBeNull();
    // Earlier hits stay until there are new ones, and the end of the first scan does not end the second.
    expect(row('NGTL')).toBeVisible();
    await call.end(failure('Stopped by you.', '', 'cancelled', partialScan), 0);
    expect(button('Stop scan')).toBeEnabled();
  });

  test('of another screen says so, and continues', async () => {
    const { backend } = await scanning();
    await click(/^Low debt/);
    expect(screen.getByTestId('outdated')).toHaveTextContent('The running scan is for Mid-cap value. Start again');
    expect(row('NGTL')).toBeVisible();
    expect(backend.asked('stop_tool')).toEqual([]);
    await click(/^Mid-cap value/);
    expect(screen.queryByTestId('outdated')).toBeNull();
  });

  test('keeps its hits when stopped', async () => {
    const { backend, call } = await scanning();
    await click('Stop scan');
    await click('Stop scan');
    expect(backend.asked('stop_tool')).toEqual([{ run: call.runs(backend)[0] }]);
    expect(button('Stop scan')).toHaveTextContent('Stopping…');
    await call.end(failure('Stopped by you.', '', 'cancelled', partialScan));
    expect(section('Hits')).toHaveTextContent('Stopped by you at 412/1,200, 9 hits');
    expect(order()).toHaveLength(9);
    expect(inHead('Start again')).toBeEnabled();
  });

  test('can be stopped again after a failed stop', async () => {
    const { backend } = await scanning();
    backend.fail('stop_tool');
    await click('Stop scan');
    expect(button('Stop scan')).toBeEnabled();
    await click('Stop scan');
    expect(backend.asked('stop_tool')).toHaveLength(2);
  });

  test('that the backend rejects says why', async () => {
    const { backend } = await open();
    backend.fail('call_tool', { message: 'The connection is gone.' });
    await scan();
    expect(within(section('Hits')).getByRole('alert')).toHaveTextContent('The connection is gone.');
    expect(inHead('Start again')).toBeEnabled();
  });

  test('of a large universe lists the first skipped symbols', async () => {
    const many = Array.from({ length: 7500 }, (_, at) => ({ symbol: `S${at}`, missing: ['Debt'] }));
    await open({ answers: { [SCAN]: () => answer({ ...wholeScan, left_out: many }) } });
    await scan();
    expect(section('Hits')).toHaveTextContent('7,500 left out, a figure is missing');
    await click('Show left out');
    const entries = within(screen.getByRole('list', { name: 'Left out' })).getAllByRole('listitem');
    expect([entries.length, entries.at(-1)?.textContent]).toEqual([201, '7,300 more']);
  });

  test('reports its end, and what was left out', async () => {
    const { call, asked } = await scanning();
    expect(within(section('Saved screens')).getByRole('button', { name: /^Mid-cap value/ })).toHaveTextContent('running');
    await call.end(answer(wholeScan));
    expect(asked('screener.list_screens')).toHaveLength(2);
    expect(within(section('Saved screens')).getByRole('button', { name: /^Mid-cap value/ })).toHaveTextContent('11 hits, 23 Nov');
    expect(section('Hits')).toHaveTextContent('10 hits of 1,200 scanned');
    expect(section('Hits')).not.toHaveTextContent('Order may change');
    await click('Show left out');
    expect(within(screen.getByRole('list', { name: 'Left out' })).getAllByRole('listitem')).toHaveLength(21);
    expect(screen.getByRole('list', { name: 'Left out' })).toHaveTextContent('LFTA Net debt ÷ EBITDA missing');
    expect(section('Hits')).toHaveTextContent('Stooq did not answer in 10 s for 3 symbols: HLMR, TRVN, ESKA.');
    await click('Show symbols without an answer');
    expect(screen.getByRole('list', { name: 'Without an answer' })).toHaveTextContent('HLMR Stooq did not answer in 10 s');
    expect(screen.queryByRole('list', { name: 'Left out' })).toBeNull();
  });

  test('continues when the panel is left, and is shown again', async () => {
    const { call, backend, unmount } = await scanning();
    await limit('Net debt ÷ EBITDA', '1.5');
    unmount();
    await call.end(answer(wholeScan));
    const { asked } = await open({ backend });
    expect(asked(SCAN)).toHaveLength(1);
    expect(section('Hits')).toHaveTextContent('10 hits of 1,200 scanned');
    expect(screen.getByRole('textbox', { name: 'Limit of Net debt ÷ EBITDA' })).toHaveValue('1.5');
    expect(screen.getByTestId('outdated')).toHaveTextContent('The last scan used 2.');
  });

  test('that fails says why, and keeps its results', async () => {
    const { call } = await scanning();
    await call.end(failure('Stooq wants a key.', 'Add the key in Settings.', 'tool_failed', partialScan));
    expect(within(section('Hits')).getByRole('alert')).toHaveTextContent('Stooq wants a key.');
    expect(order()).toHaveLength(9);
    await click('Add key');
  });

  test('whose error names a condition marks it', async () => {
    await open({ answers: { [SCAN]: () => failure('Condition 2, price_to_earnings < 18: reports are needed.') } });
    await scan();
    expect(screen.getByRole('textbox', { name: 'Limit of Price ÷ earnings' })).toHaveAccessibleDescription('Condition 2, price_to_earnings < 18: reports are needed.');
    await limit('Price ÷ earnings', '17');
    expect(screen.getByRole('textbox', { name: 'Limit of Price ÷ earnings' })).toHaveAccessibleDescription('');
  });

  test('without hits names the closest', async () => {
    const none: JsonValue = { ...wholeScan, hits: [], found: 0, closest: { symbol: 'ALDT', condition: 'growth_3y > 10 %', by: '0.4 %' } };
    await open({ answers: { [SCAN]: () => answer(none) } });
    await scan();
    expect(screen.getByText('No hits. Closest: ALDT misses Growth, 3 y by 0.4 %.')).toBeVisible();
  });

  test('asks before contacting the network if a rule requires it', async () => {
    const call = slow(SCAN);
    const { backend } = await open({ answers: call.answers });
    await scan();
    call.say(backend, call.begun, { type: 'approval_requested', call: 'c', args: {}, decisions: ['once', 'deny'], question: 'Let it ask stooq.com?', editable: false, diff: null, host: 'stooq.com', revision: 1, mid_run: false });
    expect(screen.getByRole('group', { name: 'Let it ask stooq.com?' })).toBeVisible();
  });

  test('offline uses stored figures', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    const { asked } = await open();
    await click('Scan stored figures');
    expect(asked(SCAN)).toHaveLength(1);
    expect(button('Scan stored figures of 20 Nov')).toBeVisible();
    expect(screen.getByText('Offline.')).toBeVisible();
  });

  test('unknown and old figures are marked, and invisible characters are shown', async () => {
    const odd: JsonValue = {
      ...wholeScan,
      hits: [{ symbol: 'A\u202EB', name: 'x\u200By', price: '1e9', currency: 'EUR', date: 'soon', score: null, values: [null, 'n/a'], spark: [1], held: false, old: true, unknown: [1, 99] }],
    };
    await open({ answers: { [SCAN]: () => answer(odd) } });
    await scan();
    const shown = screen.getByRole('table', { name: 'Hits' });
    expect(shown).toHaveTextContent('AU+202EBxU+200ByNot known: Price ÷ earningsPrice of soon1e9noneunknownn/a');
    expect(within(shown).queryByRole('columnheader', { name: /Score/ })).toBeNull();
  });
});

describe('hits', () => {
  async function scanned(more: Parameters<typeof open>[0] = {}) {
    const opened = await open(more);
    await scan();
    return opened;
  }

  test('are sorted by a column, and back to best first', async () => {
    await scanned();
    const head = screen.getByRole('columnheader', { name: 'P/E' });
    expect(screen.getByRole('columnheader', { name: 'Score' })).toHaveAttribute('aria-sort', 'descending');
    await userEvent.click(within(head).getByRole('button'));
    expect(order().slice(0, 2)).toEqual(['TRLL', 'VRNE']);
    expect(head).toHaveAttribute('aria-sort', 'descending');
    await userEvent.click(within(head).getByRole('button'));
    expect(order().slice(0, 2)).toEqual(['KSTL', 'OSTM']);
    await userEvent.click(within(head).getByRole('button'));
    expect(order().slice(0, 2)).toEqual(['NGTL', 'BWOP']);
  });

  test('J, K, Enter and Esc move, open and go back', async () => {
    const { press, panel } = await scanned();
    const focused = () => (document.activeElement as HTMLElement | null)?.dataset['hit'];
    press('j');
    expect(focused()).toBe('NGTL');
    press('j');
    press('j');
    press('k', document.activeElement!);
    expect(focused()).toBe('BWOP');
    await userEvent.keyboard('{Enter}');
    await act(async () => {});
    expect(section('Why BWOP is a hit')).toBeVisible();
    press('Escape', panel());
    expect(screen.queryByRole('region', { name: 'Why BWOP is a hit' })).toBeNull();
    expect(focused()).toBe('BWOP');
  });

  test('letters typed in a field are not shortcuts', async () => {
    await scanned();
    const field = screen.getByRole('textbox', { name: 'Limit of Price ÷ earnings' });
    await userEvent.type(field, 'jk');
    expect(field).toHaveFocus();
  });

  test('the first fifty of many are rendered', async () => {
    const many = Array.from({ length: 260 }, (_, at) => ({ ...(wholeScan['hits'] as Record<string, JsonValue>[])[0]!, symbol: `S${at}` }));
    await scanned({ answers: { [SCAN]: () => answer({ ...wholeScan, hits: many, found: 400 }) } });
    expect(order()).toHaveLength(50);
    expect(section('Hits')).toHaveTextContent('140 more are not listed.');
    await click('Show 150 more');
    expect(order()).toHaveLength(200);
    await click('Show 60 more');
    expect(order()).toHaveLength(260);
  });

  test('are explained with value, limit, source and day of each condition', async () => {
    const { asked } = await scanned();
    await userEvent.click(row('BWOP'));
    await act(async () => {});
    expect(asked('screener.explain_hit')).toEqual([
      {
        symbol: 'BWOP',
        conditions: ['market_value between 0.5 bn and 5 bn', 'price_to_earnings < 18', 'growth_3y > 10 %', 'net_debt_to_ebitda < 2', 'daily_volume > 50000'],
        missing: 'leave_out',
        universe: 'Europe mid caps',
        score: ['low price_to_earnings 50 %', 'high growth_3y 50 %'],
      },
    ]);
    const card = section('Why BWOP is a hit');
    expect(card).toHaveTextContent('Score 84 = value 40 + growth 44');
    expect(within(card).getByRole('row', { name: /Growth/ })).toHaveTextContent('holds: Growth, 3 y+21.7 %above 10 %SEC, 30 Sep');
    expect(within(card).getByRole('row', { name: /Net debt/ })).toHaveTextContent('holds, with an old figure: Net debt ÷ EBITDA1.8below 2SEC, 31 Dec 2025');
    expect(card).toHaveTextContent('Net debt ÷ EBITDA is 11 months old.At 1.5 it drops out.');
    expect(await axe()).toBe('');
  });

  test('an unknown or failed explanation says so', async () => {
    const conditions = [{ text: 'a', name: 'Growth', holds: null, value: null, unit: 'percent', limit: 'above 10 %', source: '', date: null, old: false, reason: 'SEC has no report' }, { text: 'b', name: 'Debt', holds: false, value: '3', unit: 'ratio', limit: 'below 2', source: 'SEC', date: null, old: false, reason: null }];
    let fails = true;
    await scanned({ answers: { 'screener.explain_hit': () => (fails ? failure('No closes.') : answer({ ...explanation, hit: false, conditions, nearest: null })) } });
    await userEvent.click(row('BWOP'));
    await act(async () => {});
    expect(within(section(/^Why BWOP/)).getByRole('alert')).toHaveTextContent('No closes.');
    fails = false;
    await userEvent.click(within(section(/^Why BWOP/)).getByRole('button', { name: 'Try again' }));
    await act(async () => {});
    const card = section('Why BWOP is not a hit');
    expect(card).toHaveTextContent('not known: Growthunknownabove 10 %SEC has no report');
    expect(card).toHaveTextContent('does not hold: Debt3below 2SEC');
  });

  test('can be watched, and opened in the panel of symbols', async () => {
    const { asked, store, backend } = await scanned({ answers: { 'portfolio.watch': () => ({ ...answer({ symbol: 'BWOP' }), change_set: 'set-1' }) } });
    await userEvent.click(row('BWOP'));
    await act(async () => {});
    await click('Watch');
    expect(asked('portfolio.watch')).toEqual([{ symbol: 'BWOP' }]);
    expect(screen.getByTestId('undo-bar')).toHaveTextContent('Watched BWOP');
    await click('Open BWOP');
    expect(store.get().app.panel).toMatchObject({ open: true, tab: 'skill:lookup' });
    const { keptOf } = await import('../symbol/kept');
    expect(keptOf(backend, 'lookup').state.named).toBe('BWOP');
  });

  test('without a portfolio there is no Watch', async () => {
    await scanned({ portfolio: [] });
    await userEvent.click(row('BWOP'));
    await act(async () => {});
    expect(screen.queryByRole('button', { name: 'Watch' })).toBeNull();
  });
});

describe('narrow layouts', () => {
  const tabs = () => screen.getAllByRole('tab').map(({ textContent }) => textContent?.trim());

  test('below 1380 the back-test is a tab', async () => {
    await open({ width: 1379 });
    expect(tabs()).toEqual(['Hits', 'Back-test']);
    expect(section('Conditions')).toBeVisible();
    await userEvent.click(screen.getByRole('tab', { name: 'Back-test' }));
    expect(section('Back-test')).toBeVisible();
    expect(screen.queryByRole('region', { name: 'Hits' })).toBeNull();
  });

  test('also with larger text', async () => {
    const world = sampleWorld();
    world.status.appearance.text_size = 18;
    await open({ width: 1500, world });
    expect(tabs()).toEqual(['Hits', 'Back-test']);
  });

  test('below 1100 conditions are a tab, too, and the explanation is on the right', async () => {
    await open({ width: 1000 });
    expect(tabs()).toEqual(['Conditions 5', 'Hits', 'Back-test']);
    await scan();
    expect(tabs()).toEqual(['Conditions 5', 'Hits 10', 'Back-test']);
    await userEvent.click(row('BWOP'));
    await act(async () => {});
    expect(within(screen.getByRole('complementary')).getByRole('region', { name: 'Why BWOP is a hit' })).toBeVisible();
    await userEvent.click(screen.getByRole('tab', { name: 'Conditions 5' }));
    await limit('Net debt ÷ EBITDA', '1.5');
    await userEvent.click(screen.getByRole('tab', { name: 'Hits 10' }));
    expect(within(section('Hits')).getByTestId('outdated')).toHaveTextContent('The last scan used 2.');
    expect(await axe()).toBe('');
  });

  test('also beside the chat', async () => {
    await open({ wide: false });
    expect(tabs()).toEqual(['Conditions 5', 'Hits', 'Back-test']);
    expect(screen.getAllByRole('button', { name: 'Scan' })[0]).toBeEnabled();
  });

  test('a scan with an invalid condition opens the conditions', async () => {
    const { press, panel } = await open({ width: 1000 });
    await userEvent.click(screen.getByRole('tab', { name: 'Conditions 5' }));
    await click('Add condition');
    await userEvent.click(screen.getByRole('tab', { name: 'Hits' }));
    press('Enter', panel(), { ctrlKey: true });
    expect(screen.getByRole('tab', { name: 'Conditions 6' })).toHaveAttribute('aria-selected', 'true');
    expect(screen.getByText('Write a limit.')).toBeVisible();
  });
});
