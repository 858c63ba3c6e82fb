import { describe, expect, test } from 'vitest';

import type { ChartPart, JsonValue, PanelInput, PanelPart, PanelTab } from '../../ipc';
import { panelOf } from '../../testing/panels';
import { lately, logTicksOf, monthMarks, nearMark, pointsOf, stretchesOf, ticksOf } from './chart';
import { homeOf, layoutOf, tabsOf } from './layout';
import { windowOf } from './useVirtual';
import { ageText, dateText, monthAfter, pastText, valueText, weekdayText, wordsText } from './words';

const today = '2026-11-20';

describe('words', () => {
  test.each([
    ['2026-11-20', 'today'],
    ['2026-11-24', 'Tue 24 Nov'],
    ['2026-11-17', '17 Nov'],
    ['2026-12-08', '8 Dec'],
    ['2027-01-15', '15 Jan'],
    ['2028-01-15', '15 Jan 2028'],
    ['soon', 'soon'],
  ])('%s is %s', (date, text) => {
    expect(dateText(date, today)).toBe(text);
  });

  test.each([
    ['2026-11-20', 'today'],
    ['2026-11-17', 'Tue 17 Nov'],
    ['2026-12-08', 'Tue 8 Dec'],
    ['2025-11-17', '17 Nov 2025'],
    ['2026-11', 'November 2026'],
  ])('in a column %s is %s', (date, text) => {
    expect(weekdayText(date, today)).toBe(text);
  });

  test('the age of a price', () => {
    expect(ageText('2026-11-18', today)).toBe('2 days old');
    expect(ageText('2026-11-19', today)).toBe('1 day old');
    expect(ageText(new Date(`${today}T17:35:00`).toISOString(), today)).toBe('17:35');
  });

  test('months wrap around at the end of the year', () => {
    expect([monthAfter('2026-12', 1), monthAfter('2026-01', -1)]).toEqual(['2027-01', '2025-12']);
  });

  test('several currencies are never added', () => {
    const amounts = [
      { amount: '12', currency: 'EUR' },
      { amount: '3', currency: 'USD' },
    ];
    expect(valueText(amounts, 'money', '', today)).toBe('€12, $3');
  });
});

describe('charts', () => {
  const part = panelOf('portfolio', 'Portfolio', [
    { parts: [{ kind: 'chart', tool: 'history', title: 'Value', shape: 'line', rows: '', x: 'date', dashed: 'carried', series: [{ field: 'value', label: 'Value' }] }] },
  ]).panel.tabs[0]?.parts[0] as PanelPart as ChartPart;
  const points = pointsOf(part, [
    { date: '2026-11-01', value: '5.00' },
    { date: '2026-11-02', value: '6' },
    { date: '2026-11-03', value: null },
    { date: '2026-11-04', value: '7' },
    { date: '2026-11-05', value: '8' },
    { date: '2026-11-06', value: '8', carried: true },
  ]);

  test('a line is split at a missing value and dashed if carried forward', () => {
    expect(stretchesOf(points, 0)).toEqual([
      { from: 0, to: 1, dashed: false },
      { from: 3, to: 4, dashed: false },
      { from: 4, to: 5, dashed: true },
    ]);
  });

  test('a value in several currencies is not drawn', () => {
    const [point] = pointsOf(part, [{ date: 'x', value: [{ amount: '1', currency: 'EUR' }, { amount: '2', currency: 'USD' }] }]);
    expect(point?.values).toEqual([null]);
  });

  test.each([
    [[56_400, 70_400], false, [56_000, 60_000, 64_000, 68_000, 72_000]],
    [[12, 3240], true, [0, 1000, 2000, 3000, 4000]],
    [[5, 5], false, [4, 6]],
    [[-20, 30], true, [-20, 0, 20, 40]],
  ])('the ticks for %j, from zero: %s', (values, fromZero, marks) => {
    expect(ticksOf(values, fromZero)).toEqual(marks);
  });

  test.each([
    [[3, 70], [2, 5, 10, 20, 50, 100]],
    [[0.02, 4], [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]],
    [[10, 10_000], [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]],
    [[40, 60], [40, 45, 50, 55, 60]],
  ])('the ticks of a logarithmic scale for %j', (values, marks) => {
    expect(logTicksOf(values)).toEqual(marks);
  });

  test('month labels never overlap', () => {
    const on = (...dates: string[]) => pointsOf(part, dates.map((date) => ({ date, value: '1' })));
    const labels = (marks: ReturnType<typeof monthMarks>) => marks.map(({ label }) => label);
    const days = on('2026-05-29', '2026-06-01', '2026-06-02', '2026-06-03', '2026-06-04', '2026-07-01', '2026-07-02');
    expect(labels(monthMarks(days, 1))).toEqual(['May', 'Jun', 'Jul']);
    expect(labels(monthMarks(days, 2))).toEqual(['Jun', 'Jul']);
    expect(labels(monthMarks(days, 5))).toEqual(['Jun']);
  });

  test('the last days', () => {
    expect(lately(points, 2).map(({ x }) => x)).toEqual(['2026-11-04', '2026-11-05', '2026-11-06']);
  });
});

describe('layout', () => {
  const tab = panelOf('x', 'X', [
    {
      title: 'Positions',
      parts: [
        { kind: 'summary', tool: 'value', items: [] },
        { kind: 'chart', tool: 'history', args: { range: '{range}' }, title: 'Value', shape: 'line', rows: '', x: 'x', series: [] },
        { kind: 'chart', tool: 'allocation', title: 'Allocation', place: 'beside', shape: 'bars', rows: '', x: 'x', series: [] },
        { kind: 'table', tool: 'positions', rows: '', columns: [] },
        { kind: 'list', tool: 'due', heading: 'Due', place: 'side', rows: '', title: 'name' },
      ],
    },
  ]).panel.tabs[0] as PanelTab;
  const kinds = (parts: readonly PanelPart[]) => parts.map(({ kind }) => kind);

  test('with room: above, side by side, and in the side column', () => {
    const { top, rows, side } = layoutOf(tab.parts);
    expect([kinds(top), rows.map(kinds), kinds(side)]).toEqual([['summary'], [['chart', 'chart'], ['table']], ['list']]);
  });

  test('without room the side column becomes a tab', () => {
    const tabs = tabsOf([tab], false);
    expect(tabs.map(({ title }) => title)).toEqual(['Positions', 'Value', 'Allocation', 'Due']);
    expect(tabs.map(({ tab: { count } }) => count)).toEqual([null, null, null, { tool: 'due', args: {}, at: '' }]);
    expect(tabs.map(({ layout }) => layout.rows.map(kinds))).toEqual([[['table']], [['chart']], [['chart']], [['list']]]);
  });

  test('an input used by only one chart is shown there', () => {
    const input = (name: string) => ({ name, label: '', kind: 'text', choices: [], among: [], default: '' }) satisfies PanelInput;
    expect(homeOf(input('range'), tab.parts)).toBe(tab.parts[1]);
    expect(homeOf(input('month'), tab.parts)).toBeNull();
  });
});

test('only rows around the visible ones are rendered', () => {
  expect(windowOf(0, 310, 10_000)).toEqual({ from: 0, to: 30, before: 0, after: 9970 * 31 });
  expect(windowOf(31_000, 310, 10_000)).toEqual({ from: 980, to: 1030, before: 980 * 31, after: 8970 * 31 });
});

test.each([
  ['Move Harborline rollout to qualified', 'Moved Harborline rollout to qualified'],
  ['Log contact: Jane Doe', 'Logged contact: Jane Doe'],
  ['Set limit', 'Set limit'],
  ['Apply rules', 'Applied rules'],
  ['Import', 'Imported'],
  ['Fetch quotes', 'Fetched quotes'],
])('%s becomes %s when done', (label, past) => {
  expect(pastText(label)).toBe(past);
});

test.each([
  ['+ 3.50 EUR upcoming', '+ €3.50 upcoming'],
  ['and -12.00 CHF; 1175.00 EUR on 30 Nov', 'and −CHF 12.00; €1,175.00 on 30 Nov'],
  ['462 of 755', '462 of 755'],
  ['3 GB free', '3 GB free'],
])('amounts within text get their currency: %s', (words, text) => {
  expect(wordsText(words)).toBe(text);
});

describe('limits and a strip', () => {
  const budget = panelOf('x', 'X', [
    {
      title: 'Month',
      parts: [
        { kind: 'summary', tool: 'a', items: [] },
        { kind: 'chart', tool: 'a', title: 'With', shape: 'progress', narrow: 'Categories', rows: '/rows', x: 'name', mark: 'limit', series: [{ field: 'spent', label: 'Spent' }] },
        { kind: 'chart', tool: 'a', title: 'Without', shape: 'bars', place: 'beside', narrow: 'Categories', rows: '/rows', when: { limit: null }, x: 'name', series: [{ field: 'spent', label: 'Spent' }] },
        { kind: 'table', tool: 'b', rows: '/rows', columns: [] },
        { kind: 'chart', tool: 'a', title: 'Strip', shape: 'strip', narrow: 'Year', rows: '/rows', x: 'name', series: [] },
      ],
    },
    { title: 'Year', parts: [{ kind: 'table', tool: 'b', rows: '/rows', columns: [] }] },
  ]);
  const tabs = budget.panel.tabs;
  const part = (at: number) => tabs[0]?.parts[at] as ChartPart;
  const value: JsonValue = { rows: [{ name: 'a', spent: '5', limit: '100' }, { name: 'b', spent: '99', limit: '100' }, { name: 'c', spent: '7', limit: null }, { name: 'd', spent: '1', limit: '0' }] };

  test('the fullest limit comes first, and rows without one are separate', () => {
    const names = (at: number) => pointsOf(part(at), value).map(({ x }) => x);
    expect([names(1), names(2)]).toEqual([['d', 'b', 'a'], ['c']]);
    expect(nearMark(pointsOf(part(1), value)).map(({ x }) => x)).toEqual(['d', 'b']);
  });

  test('the strip is at the foot, or in its tab in a narrow window', () => {
    const [month] = tabsOf(tabs, true);
    expect([month?.layout.foot.length, month?.layout.rows.map((row) => row.length)]).toEqual([1, [2, 1]]);
    const narrow = tabsOf(tabs, false);
    expect(narrow.map(({ title }) => title)).toEqual(['Month', 'Categories', 'Year']);
    expect(narrow[0]?.layout).toMatchObject({ foot: [], rows: [[{ kind: 'table' }]], brief: [{ title: 'With' }] });
    expect(narrow[1]?.layout.rows.map(([one]) => one && 'title' in one && one.title)).toEqual(['With', 'Without']);
  });
});
