import { describe, expect, test } from 'vitest';

import { wordsIn } from './title-words';

/** A Monday. */
const today = '2026-11-23';

describe('words of a title', () => {
  test.each([
    ['Lunch with Ravi tomorrow 12:30', 'Lunch with Ravi', 'tomorrow 12:30', '2026-11-24', '12:30', null],
    ['Tomorrow 12:30 lunch with Ravi', 'lunch with Ravi', 'Tomorrow 12:30', '2026-11-24', '12:30', null],
    ['Lunch tomorrow with Ravi at 1 pm', 'Lunch with Ravi', 'tomorrow at 1 pm', '2026-11-24', '13:00', null],
    ['Dentist on friday 9:30-10:15', 'Dentist', 'on friday 9:30-10:15', '2026-11-27', '09:30', '10:15'],
    ['Workshop next friday from 9 to 17', 'Workshop', 'next friday from 9 to 17', '2026-12-04', '09:00', '17:00'],
    ['Call Noor 2-3 pm', 'Call Noor', '2-3 pm', null, '14:00', '15:00'],
    ['Review 14h30', 'Review', '14h30', null, '14:30', null],
    ['Tax return 1 December', 'Tax return', '1 December', '2026-12-01', null, null],
    ['Renewal on 2027-02-03', 'Renewal', '2027-02-03', '2027-02-03', null, null],
    ['Board meeting in 2 weeks, 10:00', 'Board meeting', 'in 2 weeks 10:00', '2026-12-07', '10:00', null],
    ['Swim sat 8:00', 'Swim', 'sat 8:00', '2026-11-28', '08:00', null],
    ['Swim at 8:00 sat', 'Swim', 'at 8:00 sat', '2026-11-28', '08:00', null],
  ])('of “%s” leave “%s”', (text, title, words, day, from, to) => {
    expect(wordsIn(text, today)).toEqual({ title, words, day, from, to });
  });

  test.each([
    'Lunch with Ravi',
    'Room 12 walk-through',
    'Sun cream for the trip',
    'May Castell visits',
    'Mars mission talk',
    'Phase 2-3 planning',
    'Version 1.10.2026.4',
    'Meet at Tessel',
    'Release 24:90',
    'tomorrow 12:30',
    '',
    '   ',
  ])('“%s” has none', (text) => {
    expect(wordsIn(text, today)).toBeNull();
  });

  test('a text too long for a title has none', () => {
    expect(wordsIn(`${'word '.repeat(100)}tomorrow 12:30`, today)).toBeNull();
  });
});
