import { expect, it } from 'vitest';

import { dateOf } from './date-words';

// A Tuesday.
const today = '2026-11-24';

it.each([
  ['today', '2026-11-24'],
  ['Tomorrow', '2026-11-25'],
  ['the day after tomorrow', '2026-11-26'],
  ['friday', '2026-11-27'],
  ['tue', '2026-12-01'],
  ['next friday', '2026-12-04'],
  ['on monday', '2026-11-30'],
  ['last friday', '2026-11-20'],
  ['last tuesday', '2026-11-17'],
  ['in 2 weeks', '2026-12-08'],
  ['in three days', '2026-11-27'],
  ['a week from now', '2026-12-01'],
  ['in a month', '2026-12-24'],
  ['2 days ago', '2026-11-22'],
  ['next month', '2026-12-24'],
  ['end of month', '2026-11-30'],
  ['end of next month', '2026-12-31'],
  ['start of next year', '2027-01-01'],
  ['1 december', '2026-12-01'],
  ['Jan 5th', '2027-01-05'],
  ['5 Jan 2026', '2026-01-05'],
  ['20.11.2026', '2026-11-20'],
  ['2026-11-30', '2026-11-30'],
  ['2026-11-31', null],
  ['soon', null],
  ['11/05/2026', null],
  ['', null],
])('%s is %s', (text, date) => expect(dateOf(text, today)).toBe(date));

it.each([
  ['in 1 month', '2026-01-31', '2026-02-28'],
  ['in a year', '2028-02-29', '2029-02-28'],
  ['3 months ago', '2026-02-10', '2025-11-10'],
])('%s on %s is %s', (text, today, date) => expect(dateOf(text, today)).toBe(date));

it('relative words need a reference day', () => {
  expect(dateOf('tomorrow', '')).toBeNull();
  expect(dateOf('20 Nov 2026', '')).toBe('2026-11-20');
});
