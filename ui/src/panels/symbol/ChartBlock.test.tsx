import { act, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { answer } from '../../testing/panels';
import { quote } from '../../testing/sample/symbol-panel';
import { lookUp, open } from './fixture';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const figure = (name: string) => screen.getByRole('group', { name });
const chart = () => screen.getByRole('img', { name: /^(Closes|Change) in/ });
const section = (name: string) => screen.getByRole('region', { name });

describe('the chart', () => {
  const lines = () => [...document.querySelectorAll('[data-line]')].map((line) => line.getAttribute('data-line'));

  test('keys choose the range, volume, average and table', async () => {
    const { press, asked } = await open();
    await lookUp('NGTL');
    expect(lines().toSorted()).toEqual(['NGTL', 'average']);
    press('a');
    expect(lines()).toEqual(['NGTL']);
    expect(document.querySelector('[data-volume]')).not.toBeNull();
    press('v');
    expect(document.querySelector('[data-volume]')).toBeNull();
    press('2');
    expect(screen.getByRole('radio', { name: '1 m' })).toBeChecked();
    expect(chart()).toHaveAccessibleName(/from 20 Oct 2026 to 20 Nov 2026/);
    expect(asked('lookup.pull_up_symbol')).toHaveLength(1);
    press('6');
    await act(async () => {});
    expect(asked('lookup.pull_up_symbol').at(-1)).toEqual({ symbol: 'NGTL', range: 'all' });
    press('t');
    expect(screen.getByRole('table', { name: 'Closes by day' })).toBeVisible();
    expect(screen.queryByRole('img', { name: /^Closes in/ })).toBeNull();
  });

  test('the average has the length that is entered', async () => {
    await open();
    await lookUp('NGTL');
    const days = screen.getByRole('textbox', { name: 'Days of the average, 2 to 500' });
    fireEvent.change(days, { target: { value: '20' } });
    fireEvent.blur(days);
    expect(screen.getByRole('button', { name: 'Average, 20 days' })).toBeVisible();
    expect(chart()).toHaveAccessibleName(/NGTL average of 20 days/);
    fireEvent.change(days, { target: { value: '1' } });
    expect(days).toBeInvalid();
    fireEvent.blur(days);
    expect(days).toHaveValue('20');
  });

  test('the table has every day, newest first, with the trades', async () => {
    const { press } = await open();
    await lookUp('NGTL');
    press('2');
    press('t');
    const rows = within(screen.getByRole('table', { name: 'Closes by day' })).getAllByRole('row');
    expect(rows[0]).toHaveTextContent('DayNGTL, EURNGTL averageVolume');
    expect(rows[1]).toHaveTextContent(/^20 Nov 202642\.18/);
    expect(rows).toHaveLength(25);
  });

  test('arrow keys read it day by day', async () => {
    const { press } = await open();
    await lookUp('NGTL');
    press('ArrowLeft');
    const said = within(section('Chart')).getAllByRole('status').at(-1);
    expect(said).toHaveTextContent(/^Fri 20 Nov: NGTL 42\.18 EUR, NGTL average [\d.]+, volume [\d,]+$/);
    press('ArrowLeft');
    expect(said).toHaveTextContent(/^Thu 19 Nov: NGTL/);
    press('ArrowRight');
    expect(document.querySelector('[data-pointed]')).toHaveAttribute('data-pointed', '2026-11-20');
  });

  test('a touch reads its day, and the page still scrolls', async () => {
    await open();
    await lookUp('NGTL');
    fireEvent.pointerDown(chart(), { clientX: 0, pointerType: 'touch' });
    const first = document.querySelector('[data-pointed]')?.getAttribute('data-pointed') ?? '';
    expect(first).not.toBe('');
    fireEvent.pointerDown(chart(), { clientX: 5_000, pointerType: 'touch' });
    expect(document.querySelector('[data-pointed]')).toHaveAttribute('data-pointed', '2026-11-20');
    expect(first < '2026-11-20').toBe(true);
    fireEvent(chart(), Object.assign(new PointerEvent('pointerout', { bubbles: true }), { pointerType: 'touch' }));
    expect(document.querySelector('[data-pointed]')).not.toBeNull();
    fireEvent.pointerLeave(chart());
    expect(document.querySelector('[data-pointed]')).toBeNull();
    expect(chart()).toHaveClass('touch-pan-y');
  });

  test('one day has its prices by time, and nothing of closes', async () => {
    const { press, asked } = await open();
    await lookUp('NGTL');
    await userEvent.click(screen.getByRole('radio', { name: '1 d' }));
    await act(async () => {});
    expect(asked('lookup.pull_up_symbol').at(-1)).toEqual({ symbol: 'NGTL', range: '1d' });
    const day = () => screen.getByRole('img', { name: /^Prices in EUR on 20 Nov 2026, from 09:00 to 17:30, Berlin time/ });
    expect(lines()).toEqual(['NGTL']);
    expect(section('Chart')).toHaveTextContent('EUR on Fri 20 Nov until 17:30, Berlin time, prices from Yahoo');
    expect(within(day()).getByText('12:00')).toBeInTheDocument();
    for (const name of [/^Average/, /^Compare/]) expect(screen.queryByRole('button', { name })).toBeNull();
    press('ArrowLeft');
    expect(within(section('Chart')).getAllByRole('status').at(-1)).toHaveTextContent(/^17:30: NGTL 42\.18 EUR, volume [\d,]+$/);
    fireEvent.pointerDown(day(), { clientX: 0, pointerType: 'touch' });
    expect(document.querySelector('[data-pointed]')).toHaveAttribute('data-pointed', '2026-11-20T09:00:00');
    press('t');
    const rows = within(screen.getByRole('table', { name: 'Prices by time' })).getAllByRole('row');
    expect(rows[0]).toHaveTextContent('TimeNGTL, EURVolume');
    expect(rows[1]).toHaveTextContent(/^17:3042\.18/);
    press('t');
    press('4');
    expect(lines().toSorted()).toEqual(['NGTL', 'average']);
    expect(asked('lookup.pull_up_symbol')).toHaveLength(2);
  });

  test('while the prices of a day load, no closes are drawn as such', async () => {
    await open({ answers: { 'lookup.pull_up_symbol': ({ args }) => ((args as { range: string }).range === '1d' ? new Promise(() => undefined) : answer(quote)) } });
    await lookUp('NGTL');
    await userEvent.click(screen.getByRole('radio', { name: '1 d' }));
    expect(screen.getByRole('status', { name: 'Reading prices' })).toBeInTheDocument();
    expect(lines()).toEqual([]);
    expect(figure('Last close, EUR')).toHaveTextContent('42.18');
  });

  test('a day without prices says why', async () => {
    const problem = { path: null, line: null, problem: 'NGTL has no chart of the day: Stooq gives no prices within a day', remedy: 'Try again, or choose another source.' };
    const { press } = await open({ answers: { 'lookup.pull_up_symbol': () => answer({ ...quote, is_close: false, intraday: null, problems: [problem] }) } });
    await lookUp('NGTL');
    press('1');
    await act(async () => {});
    expect(section('Chart')).toHaveTextContent('No prices within a day.');
    expect(section('Chart')).toHaveTextContent('Stooq gives no prices within a day');
  });

  test('prices are on a logarithmic scale on request', async () => {
    const { press } = await open();
    await lookUp('NGTL');
    const log = screen.getByRole('button', { name: 'Log' });
    const heights = () => document.querySelector('[data-line=NGTL] polyline')?.getAttribute('points');
    const linear = heights();
    fireEvent.click(log);
    expect(log).toHaveAttribute('aria-pressed', 'true');
    expect(heights()).not.toBe(linear);
    press('l');
    expect(heights()).toBe(linear);
  });

  test('arrow keys in the segments move between ranges', async () => {
    const { press } = await open();
    await lookUp('NGTL');
    press('ArrowLeft', screen.getByRole('radio', { name: '1 y' }));
    expect(document.querySelector('[data-pointed]')).toBeNull();
  });

  test('the user’s trades are marked on the line with labels', async () => {
    await open();
    await lookUp('NGTL');
    expect([...document.querySelectorAll('[data-trade]')].map((mark) => mark.textContent)).toEqual(['You bought 100 at 34.70']);
  });

  test('several symbols are in percent, as the legend says', async () => {
    const { press, asked } = await open();
    await lookUp('NGTL');
    press('c');
    expect(await screen.findByRole('textbox', { name: 'Symbol to compare with' })).toHaveFocus();
    await userEvent.keyboard('BWOP{Enter}');
    await act(async () => {});
    expect(asked('lookup.compare')).toEqual([{ symbols: ['NGTL', 'BWOP'], range: '1y', points: true }]);
    expect(chart()).toHaveAccessibleName(/^Change in percent.*BWOP: lowest/);
    expect(section('Chart')).toHaveTextContent(/Percent since \d+ Nov 2025, closes from Stooq/);
    expect(lines().toSorted()).toEqual(['BWOP', 'NGTL', 'average']);
    await userEvent.click(screen.getByRole('button', { name: 'Remove BWOP' }));
    expect(chart()).toHaveAccessibleName(/^Closes in EUR/);
  });

  test('the panel has the focus once a symbol is chosen', async () => {
    const { panel } = await open();
    await lookUp('NGTL');
    expect(panel()).toHaveFocus();
    await userEvent.keyboard('v3');
    expect(document.querySelector('[data-volume]')).toBeNull();
    expect(screen.getByRole('radio', { name: '6 m' })).toBeChecked();
  });

  test('Shift is ignored for keyboards that need it', async () => {
    const { panel } = await open();
    await lookUp('NGTL');
    fireEvent.keyDown(panel(), { key: '3', shiftKey: true });
    expect(screen.getByRole('radio', { name: '6 m' })).toBeChecked();
    fireEvent.keyDown(panel(), { key: 'V', shiftKey: true });
    fireEvent.keyDown(panel(), { key: 'v', ctrlKey: true });
    expect(document.querySelector('[data-volume]')).not.toBeNull();
    fireEvent.keyDown(panel(), { key: '/', shiftKey: true });
    expect(screen.getByRole('searchbox', { name: 'Symbol or company' })).toHaveFocus();
  });

  test('letters typed in a field are not shortcuts', async () => {
    await open();
    await lookUp('NGTL');
    await userEvent.type(screen.getByRole('searchbox', { name: 'Symbol or company' }), 'tav1');
    expect(chart()).toBeVisible();
    expect(screen.getByRole('radio', { name: '1 y' })).toBeChecked();
  });
});
