import { expect, test } from 'vitest';

import { asked, after, started, turnStarted } from '../../testing/session-steps';
import { waitingCalls } from '../../state/session';
import { proposedIn } from './proposed';

const of = (args: object, tool = 'calendar.create_event') => proposedIn(waitingCalls(after(turnStarted(), started('c1', tool), asked('c1', 1, args as never))), 'calendar.create_event');

test('a call that waits for an answer is a proposed event', () => {
  expect(of({ title: 'Kick-off', start: '2026-11-23T16:30', end: '2026-11-23T17:00', calendar: 'Work' })).toMatchObject([
    { title: 'Kick-off', start: '2026-11-23T16:30', end: '2026-11-23T17:00', wholeDay: false, calendar: 'Work', proposed: 'c1' },
  ]);
  expect(of({ title: 'Fair', start: '2026-11-23' })).toMatchObject([{ start: '2026-11-23', end: '2026-11-23', wholeDay: true, calendar: 'vault' }]);
});

test.each([
  [undefined, '2026-11-23T17:30'],
  ['17:15', '2026-11-23T17:15'],
  ['2026-11-24 01:00', '2026-11-24T01:00'],
  ['2026-11-23T10:00', '2026-11-23T17:30'],
  ['soon', '2026-11-23T17:30'],
])('with the end %s it ends at %s', (end, expected) => {
  expect(of({ title: 'A', start: '2026-11-23T16:30', end })[0]?.end).toBe(expected);
});

test.each([
  [{ start: '2026-11-23T16:30' }],
  [{ title: 'A', start: 'tomorrow' }],
  [{ title: 'A' }],
  [{ title: 'A', start: '2026-11-23T16:30', timezone: 'America/New_York' }],
  [['text']],
])('arguments such as %j propose none', (args) => {
  expect(of(args)).toEqual([]);
});

test('calls of other tools propose none', () => {
  expect(of({ title: 'A', start: '2026-11-23' }, 'crm.add_deal')).toEqual([]);
});
