import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';

import type { JsonValue } from '../../ipc';
import { violations } from '../../testing/axe';
import { answer, figure } from '../../testing/panels';
import { backTest, midCap, proposals, screens } from '../../testing/sample/screener-panel';
import { button, click, failure, limit, open, slow, type Answers } from './fixture';

afterEach(() => vi.unstubAllGlobals());

const TEST = 'screener.backtest';
const column = () => screen.getByRole('region', { name: 'Back-test' });
const section = (name: string) => within(column()).getByRole('region', { name });
const chart = () => within(column()).getByRole('img', { name: /^Value in EUR/ });
const axe = async () => (await violations()).filter((one) => !/^landmark-one-main/.test(one)).join('\n');

async function tested(more: Parameters<typeof open>[0] = {}) {
  const opened = await open(more);
  await click('Run back-test');
  return opened;
}

describe('the result', () => {
  test('has returns, maximum drawdown, trades, statistics and its limits', async () => {
    const { asked } = await tested();
    expect(asked(TEST)).toEqual([{ strategy: 'Mid-cap value' }]);
    expect(column()).toHaveTextContent('Mid-cap value, monthly, Jan 2016 to Oct 2026');
    const said = ['Return per year', 'Benchmark per year', 'Deepest fall', 'Trades'].map((name) => within(column()).getByRole('group', { name }).textContent);
    expect(said).toEqual(['Return per year+9.8 %', 'Benchmark per year+7.1 %', 'Deepest fall−27.4 %', 'Trades214']);
    expect(section('Value over time')).toHaveTextContent('This screen 27,540 EUREurope mid caps 21,020from 10,000');
    expect(section('Statistics')).toHaveTextContent('Volatility14.2 %Average hold7.1 monthsTrades won58 %Costs paid1,906 EURBest year+31.0 %Worst year−18.2 %');
    expect(section('Statistics')).toHaveTextContent('From Stooq, SEC.');
    expect(within(section('What this cannot know')).getAllByRole('listitem')).toHaveLength(4);
    expect(await axe()).toBe('');
  });

  test('explains its figures', async () => {
    await tested({ answers: { [TEST]: () => answer(backTest, [], [figure('/yearly_return', 'Return per year', '9.8', '%', { formula: 'end ÷ start' })]) } });
    await userEvent.click(within(within(column()).getByRole('group', { name: 'Return per year' })).getByRole('button', { name: /how/ }));
    expect(screen.getByRole('dialog')).toHaveTextContent('end ÷ start');
  });

  test('lists trades newest first, four until all are requested', async () => {
    await tested();
    const rows = () => within(section('Trades')).getAllByRole('row').slice(1).map(({ textContent }) => textContent);
    expect(rows()).toEqual(['GRDN3 Nov 20251 Oct 2026+18.4 %', 'OSTM2 Feb 20261 Oct 2026−6.1 %', 'KSTL1 Sep 20251 Jul 2026+27.9 %', 'PELM3 Mar 20251 Jul 2026+9.2 %']);
    await click('Show all');
    expect(rows()[4]).toBe('NGTL3 Mar 2025held+41.0 %');
    expect(section('Trades')).toHaveTextContent('209 older ones are not listed.');
  });

  test('has six statistics until all are requested', async () => {
    const more = [...(backTest['statistics'] as object[]), { key: 'sharpe', name: 'Sharpe ratio', value: '0.7', unit: 'ratio' }];
    await tested({ answers: { [TEST]: () => answer({ ...backTest, statistics: more } as JsonValue) } });
    expect(section('Statistics')).not.toHaveTextContent('Sharpe ratio');
    await click('Show all 7 statistics');
    expect(section('Statistics')).toHaveTextContent('Sharpe ratio0.7');
  });

  test('of a strategy says so', async () => {
    await tested({ answers: { [TEST]: () => answer({ ...backTest, strategy: 'Buy strength' }) } });
    expect(section('Value over time')).toHaveTextContent('This strategy 27,540 EUR');
  });

  test('is split if requested', async () => {
    const halves = [{ from: '2016-01-04', to: '2020-12-31', yearly_return: '12.1', deepest_fall: '-27.4' }, { from: '2021-01-01', to: '2026-10-19', yearly_return: '-0.4', deepest_fall: null }];
    await tested({ answers: { [TEST]: () => answer({ ...backTest, halves }) } });
    expect(within(column()).getByRole('table', { name: 'Before and after the split' })).toHaveTextContent('4 Jan 2016 to 31 Dec 2020+12.1 %−27.4 %1 Jan 2021 to 19 Oct−0.4 %unknown');
  });
});

describe('the chart', () => {
  test('draws value and drawdown of both on one time axis', async () => {
    await tested();
    expect([...chart().querySelectorAll('[data-line]')].map((line) => line.getAttribute('data-line')).toSorted()).toEqual(['benchmark', 'benchmark fall', 'fall', 'value']);
    expect(chart()).toHaveTextContent('Fall from the last high, benchmark dashed');
  });

  test('is read day by day with arrow keys, only while focused', async () => {
    const { press } = await tested();
    press('ArrowLeft');
    expect(document.querySelector('[data-pointed]')).toBeNull();
    press('ArrowLeft', chart());
    expect(document.querySelector('[data-pointed]')).toHaveAttribute('data-pointed', '2026-10-18');
    press('ArrowLeft', chart());
    expect(within(section('Value over time')).getByRole('status')).toHaveTextContent(/^Thu 8 Oct: [\d,.]+ EUR, Europe mid caps [\d,.]+, fall −?[\d.]+ %, benchmark −?[\d.]+ %$/);
  });

  test('is also available as a table, newest first', async () => {
    await tested();
    await click('Table');
    const rows = within(screen.getByRole('table', { name: 'Value by day' })).getAllByRole('row');
    expect(rows[0]).toHaveTextContent('DayThis screen, EUREurope mid capsFallBenchmark');
    expect(rows[1]).toHaveTextContent(/^18 Oct 2026/);
    expect(within(column()).queryByRole('img', { name: /^Value in EUR/ })).toBeNull();
  });

  test('without a benchmark omits it', async () => {
    const curve = (backTest['curve'] as object[]).map((point) => ({ ...point, benchmark: null, benchmark_fall: null }));
    await tested({ answers: { [TEST]: () => answer({ ...backTest, curve, benchmark_end: null, benchmark_yearly_return: null }) } });
    expect(section('Value over time')).not.toHaveTextContent('Europe mid caps');
    expect(within(column()).getByRole('group', { name: 'Benchmark per year' })).toHaveTextContent('unknown');
  });
});

describe('a run', () => {
  test('takes the settings, and refuses invalid ones', async () => {
    const { asked } = await open();
    await click('Settings');
    await userEvent.type(screen.getByRole('textbox', { name: 'From' }), '2019-02-30');
    expect(screen.getByRole('alert')).toHaveTextContent('2019-02-30 is not a day. February 2019 has 28 days.');
    const run = within(screen.getByRole('dialog')).getByRole('button', { name: 'Run back-test' });
    expect(run).toBeDisabled();
    await userEvent.clear(screen.getByRole('textbox', { name: 'From' }));
    await userEvent.type(screen.getByRole('textbox', { name: 'From' }), '2019-02-28');
    await userEvent.type(screen.getByRole('textbox', { name: 'Positions at most' }), '10');
    await userEvent.type(screen.getByRole('textbox', { name: 'Cost of a trade' }), '0.15 %');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Strategy' }), 'Buy strength');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Rebalance' }), 'quarterly');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Trades are filled' }), 'close');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Size of a position' }), 'slots');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Shares' }), 'true');
    await userEvent.type(screen.getByRole('textbox', { name: 'Fee of a trade' }), '5 €');
    expect(screen.getByRole('alert')).toHaveTextContent('Write the fee as a number, such as 5.');
    await userEvent.clear(screen.getByRole('textbox', { name: 'Fee of a trade' }));
    await userEvent.type(screen.getByRole('textbox', { name: 'Fee of a trade' }), '5');
    await userEvent.click(run);
    await act(async () => {});
    const of = { strategy: 'Buy strength', from: '2019-02-28', positions: 10, cost: '0.15 %', fee: '5' };
    expect(asked(TEST)).toEqual([{ ...of, rebalance: 'quarterly', fill: 'close', weight: 'slots', fractional: true }]);
    expect(screen.queryByRole('dialog')).toBeNull();
    await click('Settings');
    expect(screen.getByRole('dialog')).toHaveTextContent('Filledat the next open');
  });

  test('shows its progress, and can be stopped', async () => {
    const call = slow(TEST);
    const { backend } = await tested({ answers: call.answers });
    call.say(backend, call.begun, call.progress(null, 0.5, '2021, 94 trades'));
    expect(column()).toHaveTextContent('2021, 94 trades');
    expect(screen.getByRole('progressbar', { name: 'Back-test' })).toHaveAttribute('aria-valuenow', '50');
    await click('Stop back-test');
    expect(backend.asked('stop_tool')).toEqual([{ run: call.runs(backend)[0] }]);
    await call.end(failure('Stopped by you.', '', 'cancelled'));
    expect(column()).toHaveTextContent('Stopped by you');
    expect(button('Run back-test')).toBeEnabled();
  });

  test('that begins too early offers the first year with closes', async () => {
    let calls = 0;
    const { asked } = await tested({ answers: { [TEST]: () => (++calls === 1 ? failure('Closes begin in 2019.', 'Use 2019.') : answer(backTest)) } });
    expect(within(column()).getByRole('alert')).toHaveTextContent('Closes begin in 2019.');
    await click('Use 2019');
    expect(asked(TEST)).toEqual([{ strategy: 'Mid-cap value' }, { strategy: 'Mid-cap value', from: '2019-01-01' }]);
    expect(chart()).toBeVisible();
  });

  test('is marked if conditions changed since', async () => {
    let saved: JsonValue = screens;
    const conditions = (midCap['conditions'] as { text: string }[]).map((one) => (one.text === 'net_debt_to_ebitda < 2' ? { ...one, text: 'net_debt_to_ebitda < 1.5', values: ['1.5'] } : one));
    const answers: Answers = {
      'screener.list_screens': () => answer(saved),
      'screener.save_screen': () => {
        saved = { ...screens, screens: [{ ...midCap, conditions }] };
        return answer({ path: 'Screens/Mid-cap value.md' });
      },
    };
    const { asked } = await tested({ answers });
    expect(screen.queryByTestId('old-test')).toBeNull();
    await limit('Net debt ÷ EBITDA', '1.5');
    expect(screen.getByTestId('old-test')).toHaveTextContent('Conditions or settings changed since this back-test.');
    await userEvent.click(within(screen.getByTestId('old-test')).getByRole('button', { name: 'Run again' }));
    await act(async () => {});
    expect(asked(TEST)[1]).toMatchObject({ conditions: expect.arrayContaining(['net_debt_to_ebitda < 1.5']) as string[] });
    expect(screen.queryByTestId('old-test')).toBeNull();
    await click('Save');
    expect(screen.queryByTestId('old-test')).toBeNull();
    expect(screen.getByRole('textbox', { name: 'Limit of Net debt ÷ EBITDA' })).toHaveValue('1.5');
  });

  test('of a strategy with problems shows them', async () => {
    const strategies = [{ name: 'Broken', path: 'Strategies/Broken.md', screen: null, problems: ['Line 4: no rule.'] }];
    await open({ answers: { 'screener.list_screens': () => answer({ ...screens, strategies }) } });
    await click('Settings');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Strategy' }), 'Broken');
    expect(screen.getByRole('region', { name: 'Problems with the strategy' })).toHaveTextContent('Line 4: no rule.');
  });

  test('is in a column that can be closed and reopened', async () => {
    await tested();
    await click('Close the back-test');
    expect(screen.queryByRole('region', { name: 'Back-test' })).toBeNull();
    await click('Back-test');
    expect(chart()).toBeVisible();
  });
});

describe('today’s trades', () => {
  const today = () => section('What it would do today');

  test('are proposed, and nothing is written', async () => {
    const { asked } = await tested();
    expect(asked('screener.find_trades')).toEqual([]);
    await click('Compute');
    expect(asked('screener.find_trades')).toEqual([{ strategy: 'Mid-cap value' }]);
    expect(today()).toHaveTextContent('Nothing is written or ordered.');
    expect(within(today()).getByRole('row', { name: /KSTL/ })).toHaveTextContent('BuyKSTL43 at 23.05€991.15New among the ten best');
    expect(today()).toHaveTextContent('Sizes are of the cash that your notes name.');
    expect(within(today()).getAllByRole('button')).toHaveLength(1);
  });

  test('need a saved screen', async () => {
    await tested();
    await limit('Net debt ÷ EBITDA', '1.5');
    expect(today()).toHaveTextContent('Save the screen first.');
    expect(button('Compute')).toBeDisabled();
  });

  test('may be empty, and may fail', async () => {
    let fails = true;
    await tested({ answers: { 'screener.find_trades': () => (fails ? failure('No portfolio.') : answer({ ...proposals, proposals: [] })) } });
    await click('Compute');
    expect(within(today()).getByRole('alert')).toHaveTextContent('No portfolio.');
    fails = false;
    await click('Compute again');
    expect(today()).toHaveTextContent('No trades today.');
  });
});
