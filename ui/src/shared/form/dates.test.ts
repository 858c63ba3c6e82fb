import { expect, it } from 'vitest';

import { checkDate, dateShortcuts } from './dates';

it.each([
  ['2026-11-30', null],
  ['2028-02-29', null],
  ['2026-11-31', 'November has 30 days. Use 2026-11-30'],
  ['2026-02-29', 'February 2026 has 28 days. Use 2026-02-28'],
  ['2026-13-01', 'There is no month 13'],
  ['2026-11-00', 'There is no day 0. Use 2026-11-01'],
  ['20.11.2026', 'Write the year first. Use 2026-11-20'],
  ['2026/1/5', 'Write the year first. Use 2026-01-05'],
  ['20 Nov 2026', 'Write the year first. Use 2026-11-20'],
  ['11/05/2026', 'Write the date as 2026-11-30'],
  ['soon', 'Write the date as 2026-11-30'],
])('%s: %s', (text, expected) => {
  const wrong = checkDate(text);
  expect(wrong === null ? null : [wrong.message, wrong.fix?.label].filter(Boolean).join(' ')).toBe(expected);
});

it.each([
  ['from', '2026-01-15', 'This month 2026-01-01, Last month 2025-12-01, This year 2026-01-01'],
  ['until', '2028-02-25', 'Today 2028-02-25, In a week 2028-03-03, End of month 2028-02-29'],
  ['date', '2026-03-01', 'Today 2026-03-01, Yesterday 2026-02-28'],
  ['date', '', ''],
])('offers for %s on %s: %s', (key, today, expected) => {
  expect(
    dateShortcuts(key, today)
      .map(({ label, date }) => `${label} ${date}`)
      .join(', '),
  ).toBe(expected);
});
