import { describe, expect, test } from 'vitest';

import type { JsonValue } from '../../ipc';
import { listingOf, piecesOn, wholeDayOn, type CalendarEvent } from './events';
import { argsOf, labelOf, movedBy, settledSpan, spanOf, stretchedBy } from './moving';
import { readEvent, ruleText } from './new-event';
import { sideBySide } from './overlaps';
import { ageText, isOutdated, isStale, sourcesOf } from './sources';
import { daysShown, firstCalendar, reduceCalendar, shownEvents, weeksShown } from './state';
import { inZone, instantOf, settled, shifted, timeOf, wallIn } from './time';
import { dayText, nowText, titleOf, whenText } from './words';

const BERLIN = 'Europe/Berlin';

function event(start: string, end: string, more: Partial<CalendarEvent> = {}): CalendarEvent {
  return { key: `${start} ${more.title ?? 'A'}`, id: 'Events/A.md', title: 'A', start, end, wholeDay: false, calendar: 'vault', location: null, recurs: false, answer: null, there: null, ...more };
}

describe('times', () => {
  test.each([
    ['2026-07-01T12:00', '2026-07-01T10:00:00.000Z'],
    ['2026-12-01T12:00', '2026-12-01T11:00:00.000Z'],
    // Skipped: shifted by the length of the gap.
    ['2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
    ['2026-03-29T01:59', '2026-03-29T00:59:00.000Z'],
    ['2026-03-29T03:00', '2026-03-29T01:00:00.000Z'],
    // Ambiguous: the first.
    ['2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T03:00', '2026-10-25T02:00:00.000Z'],
  ])('%s in Berlin is the instant %s', (local, instant) => {
    expect(new Date(instantOf(local, BERLIN)).toISOString()).toBe(instant);
  });

  test('a skipped time settles after the gap, any other is unchanged', () => {
    expect(settled('2026-03-29T02:30', BERLIN)).toBe('2026-03-29T03:30');
    expect(settled('2026-03-29T01:45', BERLIN)).toBe('2026-03-29T01:45');
    expect(settled('2026-10-25T02:30', BERLIN)).toBe('2026-10-25T02:30');
  });

  test('both ends of an event are shifted equally', () => {
    expect(settledSpan({ start: '2026-03-29T02:30', end: '2026-03-29T03:00' }, BERLIN)).toEqual({ start: '2026-03-29T03:30', end: '2026-03-29T04:00' });
  });

  test('moves keep the time of day, even across a clock change', () => {
    expect(shifted('2026-10-24T23:45', 30)).toBe('2026-10-25T00:15');
    expect(shifted('2026-03-28T14:00', 1440)).toBe('2026-03-29T14:00');
  });

  test('zones with half hours and across the date line', () => {
    expect(inZone('2026-11-24T09:00', BERLIN, 'Asia/Kolkata')).toBe('2026-11-24T13:30');
    expect(inZone('2026-11-24T20:00', 'America/New_York', 'Pacific/Auckland')).toBe('2026-11-25T14:00');
    expect(wallIn(Date.UTC(2026, 10, 24, 0, 0), 'UTC')).toBe('2026-11-24T00:00');
  });

  test('an unknown zone counts as the machine’s', () => {
    expect(wallIn(0, 'Moon/Tranquility')).toBe(wallIn(0, null));
  });

  test.each([
    ['9', '09:00'],
    ['9:30', '09:30'],
    ['9.30', '09:30'],
    ['14h', '14:00'],
    ['2 pm', '14:00'],
    ['12am', '00:00'],
    ['13 pm', null],
    ['24:00', null],
    ['9:60', null],
    ['noon-ish', null],
  ])('the time %s is %s', (text, time) => {
    expect(timeOf(text)).toBe(time);
  });
});

describe('events', () => {
  const row = { title: 'Dentist', start: '2026-11-24T09:30', end: '2026-11-24T10:15', event: 'Events/Dentist.md', calendar: 'vault', location: 'Marktplatz 4' };

  test('an event across the border of two weeks is one', () => {
    const night = { ...row, event: 'Events/Night.md', start: '2026-11-29T22:00', end: '2026-11-30T06:00' };
    const { events, zone } = listingOf([{ zone: BERLIN, events: [row, night] }, { zone: BERLIN, events: [night] }, null]);
    expect(events.map(({ start }) => start)).toEqual(['2026-11-24T09:30', '2026-11-29T22:00']);
    expect(zone).toBe(BERLIN);
  });

  test('a moved event keeps its key, and instances of a series differ', () => {
    const [before, after] = ['09:30', '11:00'].map((time) => listingOf([{ events: [{ ...row, start: `2026-11-24T${time}` }] }]).events[0]?.key);
    expect(after).toBe(before);
    const series = ['24', '25'].map((day) => ({ ...row, recurs: true, start: `2026-11-${day}T09:30`, end: `2026-11-${day}T10:00` }));
    expect(new Set(listingOf([{ events: series }]).events.map(({ key }) => key)).size).toBe(2);
  });

  test('incomplete events are skipped without affecting the rest', () => {
    const { events } = listingOf([{ events: [{ title: 'No time', event: 'x' }, 7, null, { ...row, title: '' }] }, 'text', [], { events: 'many' }]);
    expect(events.map(({ title }) => title)).toEqual(['(no title)']);
  });

  test('problems of events are listed, those of calendars are shown at the calendar', () => {
    const problems = [
      { event: 'Events/Broken.md', calendar: 'vault', line: 3, problem: 'date: is not a date', remedy: 'Write it as 2026-11-24.' },
      { event: 'Lost', calendar: 'Team', problem: 'its time zone is unknown' },
      { calendar: 'Team', problem: 'Team was not found', remedy: 'Check its address.' },
      { problem: 'there are too many events; some are left out', remedy: 'Ask for fewer days.' },
    ];
    expect(listingOf([{ events: [], problems } as unknown as JsonValue]).problems).toEqual([
      { path: 'Events/Broken.md', line: 3, problem: 'date: is not a date', remedy: 'Write it as 2026-11-24.' },
      { path: null, line: null, problem: 'Lost: its time zone is unknown', remedy: null },
      { path: null, line: null, problem: 'there are too many events; some are left out', remedy: 'Ask for fewer days.' },
    ]);
  });

  test('a night shift is on two days, an event ending at midnight on one', () => {
    const night = event('2026-11-26T22:00', '2026-11-27T06:00');
    const late = event('2026-11-26T22:00', '2026-11-27T00:00');
    const minutes = (day: string) => piecesOn([night, late], day).map(({ from, to }) => [from, to]);
    expect(minutes('2026-11-26')).toEqual([[1320, 1440], [1320, 1440]]);
    expect(minutes('2026-11-27')).toEqual([[0, 360]]);
  });

  test('an event of a day or longer is all-day', () => {
    const trip = event('2026-11-26T08:00', '2026-11-28T12:00');
    expect(piecesOn([trip], '2026-11-27')).toEqual([]);
    expect(wholeDayOn([trip], '2026-11-28')).toEqual([trip]);
    expect(wholeDayOn([trip], '2026-11-29')).toEqual([]);
  });

  test('an event may end at an earlier time when the clock is set back', () => {
    expect(piecesOn([event('2026-10-25T02:30', '2026-10-25T02:15')], '2026-10-25').map(({ from, to }) => [from, to])).toEqual([[150, 150]]);
  });
});

describe('overlaps', () => {
  const at = (from: number, to: number) => ({ event: event('2026-11-24T00:00', '2026-11-24T01:00'), from, to });
  const places = (...pieces: ReturnType<typeof at>[]) => sideBySide(pieces, 30).map(({ from, column, columns }) => [from, column, columns]);

  test('three that overlap in a chain share the width in order of start', () => {
    expect(places(at(660, 720), at(600, 690), at(630, 690))).toEqual([[600, 0, 3], [630, 1, 3], [660, 2, 3]]);
  });

  test('consecutive ones have the full width', () => {
    expect(places(at(600, 660), at(660, 720))).toEqual([[600, 0, 1], [660, 0, 1]]);
  });

  test('a free column is reused', () => {
    expect(places(at(600, 720), at(600, 630), at(640, 700))).toEqual([[600, 0, 2], [600, 1, 2], [640, 1, 2]]);
  });

  test('an event without duration is beside the one it would hide', () => {
    expect(places(at(600, 600), at(615, 660))).toEqual([[600, 0, 2], [615, 1, 2]]);
  });
});

describe('moving', () => {
  const dentist = event('2026-11-24T09:30', '2026-11-24T10:15', { title: 'Dentist' });
  const standUp = event('2026-11-24T09:00', '2026-11-24T09:15', { title: 'Stand-up', recurs: true });

  test('by time and by day, keeping its duration', () => {
    expect(movedBy(dentist, 45, 1)).toEqual({ start: '2026-11-25T10:15', end: '2026-11-25T11:00' });
    expect(movedBy(dentist, -600, 0)).toEqual({ start: '2026-11-23T23:30', end: '2026-11-24T00:15' });
  });

  test('a recurring one stays on its day', () => {
    expect(movedBy(standUp, 60, 2)).toEqual({ start: '2026-11-24T10:00', end: '2026-11-24T10:15' });
    expect(movedBy(standUp, -6000, 0).start).toBe('2026-11-24T00:00');
    expect(movedBy(standUp, 6000, 0).start).toBe('2026-11-24T23:45');
  });

  test('its end never comes before its start', () => {
    expect(stretchedBy(dentist, 30).end).toBe('2026-11-24T10:45');
    expect(stretchedBy(dentist, -600).end).toBe('2026-11-24T09:45');
  });

  test('a new one dragged upwards and one dragged to midnight', () => {
    expect(spanOf('2026-11-24', 700, 608)).toEqual({ start: '2026-11-24T10:15', end: '2026-11-24T11:45' });
    expect(spanOf('2026-11-24', 1430, 1440)).toEqual({ start: '2026-11-24T23:45', end: '2026-11-25T00:00' });
  });

  test('the tool receives the new start, or only the time of day if it recurs', () => {
    expect(argsOf({ event: dentist, how: 'move', ...movedBy(dentist, 60, 1) }, BERLIN, null)).toEqual({ args: { event: 'Events/A.md', start: '2026-11-25T10:30' } });
    expect(argsOf({ event: standUp, how: 'move', ...movedBy(standUp, 30, 0) }, BERLIN, null)).toEqual({ args: { event: 'Events/A.md', start: '09:30' } });
    expect(argsOf({ event: dentist, how: 'stretch', ...stretchedBy(dentist, 15) }, BERLIN, null)).toEqual({ args: { event: 'Events/A.md', end: '2026-11-24T10:30' } });
  });

  test('a time skipped by the clock change is never written', () => {
    const night = event('2026-03-29T01:30', '2026-03-29T02:00');
    expect(argsOf({ event: night, how: 'move', ...movedBy(night, 60, 0) }, BERLIN, null)).toEqual({ args: { event: 'Events/A.md', start: '2026-03-29T03:30' } });
  });

  test('the tool receives the time in the event’s own zone', () => {
    const board = event('2026-03-20T14:00', '2026-03-20T15:00');
    // The zones differ by five hours between their clock changes, otherwise by six.
    expect(argsOf({ event: board, how: 'move', ...movedBy(board, 0, 1) }, BERLIN, 'America/New_York')).toEqual({ args: { event: 'Events/A.md', start: '2026-03-21T09:00' } });
    expect(argsOf({ event: board, how: 'move', ...movedBy(board, 0, 14) }, BERLIN, 'America/New_York')).toEqual({ args: { event: 'Events/A.md', start: '2026-04-03T08:00' } });
  });

  test('a recurring one does not move across midnight of its own zone', () => {
    const call = event('2026-11-24T06:00', '2026-11-24T07:00', { recurs: true, title: 'Call' });
    expect(argsOf({ event: call, how: 'move', ...movedBy(call, -60, 0) }, BERLIN, 'America/New_York')).toEqual({
      refused: 'In its own time zone Call would move to another day. Change its days in the note',
    });
  });

  // Nine in New York is 14:00 in Berlin on that day, and 15:00 on most others.
  test('a recurring one of a server moves with all instances by as much as this one', () => {
    const call = event('2026-03-17T14:00', '2026-03-17T15:00', { id: 'Work/call', calendar: 'Work', recurs: true, there: '2026-03-17 09:00 America/New_York' });
    const named = { event: 'Work/call', date: '2026-03-17T14:00', all: true };
    expect(argsOf({ event: call, how: 'move', ...movedBy(call, 60, 0) }, BERLIN, null)).toEqual({ args: { ...named, start: '2026-03-17T15:00' } });
    expect(argsOf({ event: call, how: 'stretch', ...stretchedBy(call, 30) }, BERLIN, null)).toEqual({ args: { ...named, end: '2026-03-17T15:30' } });
  });

  test('its label describes the move', () => {
    const named = (day: string) => dayText(day, '2026-11-24');
    expect(labelOf({ event: dentist, how: 'move', ...movedBy(dentist, 60, 1) }, named)).toBe('Move Dentist to Wed 25 Nov, 10:30');
    expect(labelOf({ event: standUp, how: 'move', ...movedBy(standUp, 60, 0) }, named)).toBe('Move every Stand-up to 10:00');
    expect(labelOf({ event: dentist, how: 'stretch', ...stretchedBy(dentist, 15) }, named)).toBe('Set the end of Dentist to 10:30');
  });
});

describe('state', () => {
  const first = firstCalendar('2026-11-24');

  test('the days of each view', () => {
    expect(daysShown(first)).toEqual(['2026-11-24']);
    expect(daysShown({ ...first, view: 'week' }).slice(0, 1)).toEqual(['2026-11-23']);
    const month = daysShown({ ...first, view: 'month' });
    expect([month[0], month.at(-1), month.length]).toEqual(['2026-10-26', '2026-12-06', 42]);
    expect(daysShown({ view: 'month', day: '2027-02-10' })).toHaveLength(28);
    expect(weeksShown({ ...first, view: 'month' })).toHaveLength(6);
  });

  test('navigation steps by the view; a day missing in a month is its last', () => {
    const turned = (view: 'day' | 'week' | 'month', day: string) => reduceCalendar({ ...first, view, day }, { type: 'turned', by: 1 }).day;
    expect(turned('day', '2026-12-31')).toBe('2027-01-01');
    expect(turned('week', '2026-12-31')).toBe('2027-01-07');
    expect(turned('month', '2027-01-31')).toBe('2027-02-28');
  });

  test('a dropped event stays at its target until reloaded, or is reverted', () => {
    const one = event('2026-11-24T09:30', '2026-11-24T10:15');
    const lift = { event: one, how: 'move', by: 'keys', ...movedBy(one, 60, 0) } as const;
    const dropped = reduceCalendar(reduceCalendar(first, { type: 'lifted', lift }), { type: 'dropped' });
    expect(dropped.lift).toBeNull();
    expect(shownEvents(dropped, [one])[0]?.start).toBe('2026-11-24T10:30');
    expect(shownEvents(reduceCalendar(dropped, { type: 'refused', event: one.key }), [one])[0]?.start).toBe('2026-11-24T09:30');
    expect(shownEvents(reduceCalendar(dropped, { type: 'answered' }), [one])[0]?.start).toBe('2026-11-24T09:30');
  });

  test('a hidden calendar stays hidden until shown again', () => {
    const one = event('2026-11-24T09:30', '2026-11-24T10:15');
    const hidden = reduceCalendar(first, { type: 'toggled', calendar: 'vault' });
    expect(shownEvents(hidden, [one])).toEqual([]);
    expect(shownEvents(reduceCalendar(hidden, { type: 'toggled', calendar: 'vault' }), [one])).toEqual([one]);
  });
});

describe('words', () => {
  test('titles of the views', () => {
    expect(titleOf({ view: 'day', day: '2026-11-23' }, '2026-11-23')).toBe('Mon 23 Nov');
    expect(titleOf({ view: 'week', day: '2026-11-23' }, '2026-11-23')).toBe('23–29 Nov');
    expect(titleOf({ view: 'week', day: '2026-12-31' }, '2026-11-23')).toBe('28 Dec–3 Jan 2027');
    expect(titleOf({ view: 'month', day: '2026-11-23' }, '2026-11-23')).toBe('Nov 2026');
  });

  test('times of an event', () => {
    const today = '2026-11-24';
    expect(whenText(event('2026-11-24T09:30', '2026-11-24T10:15'), today)).toBe('today, 09:30–10:15');
    expect(whenText(event('2026-11-25T22:00', '2026-11-26T00:00'), today)).toBe('tomorrow, 22:00–00:00');
    expect(whenText(event('2026-11-26T22:00', '2026-11-27T06:00'), today)).toBe('Thu 26 Nov, 22:00 to Fri 27 Nov, 06:00');
    expect(whenText(event('2026-11-23', '2026-11-25', { wholeDay: true }), today)).toBe('Mon 23 Nov to tomorrow');
  });

  test('the remaining time includes the hour repeated by the clock change', () => {
    const night = event('2026-10-25T01:00', '2026-10-25T03:30');
    expect(nowText(night, Date.parse('2026-10-25T00:30:00Z'), BERLIN)).toBe('now, 2 h left');
    expect(nowText(night, Date.parse('2026-10-25T02:10:00Z'), BERLIN)).toBe('now, 20 min left');
    expect(nowText(night, Date.parse('2026-10-25T02:30:00Z'), BERLIN)).toBe('');
  });

  test('calendars: names, marks, and their age if outdated', () => {
    const [notes, team] = sourcesOf({
      calendars: [
        { calendar: 'vault', kind: 'notes', read_only: false, fetched: null, problems: [] },
        { calendar: 'Team', kind: 'address', read_only: true, fetched: '2026-11-24T11:20:00Z', problems: [] },
      ],
    });
    expect([notes?.name, notes?.letter, notes?.colour, team?.name, team?.letter, team?.colour]).toEqual(['Notes', 'N', 'c1', 'Team', 'T', 'c4']);
    const at = (time: string) => [ageText(team!, Date.parse(time)), isOutdated(team!, Date.parse(time))];
    expect(at('2026-11-24T11:20:30Z')).toEqual(['just fetched', false]);
    expect(at('2026-11-24T12:10:00Z')).toEqual(['50 min old', false]);
    expect(at('2026-11-24T14:36:00Z')).toEqual(['3 h old', true]);
    expect(at('2026-11-26T14:36:00Z')).toEqual(['2 days old', true]);
    expect(ageText(notes!, Date.parse('2026-11-24T14:36:00Z'))).toBe('');
    const unfetched = { ...team!, fetched: null };
    expect([ageText(unfetched, 0), isOutdated(unfetched, 0)]).toEqual(['never fetched', true]);
  });

  test('calendars are stale if even the newest is', () => {
    const [team, work] = sourcesOf({
      calendars: [
        { calendar: 'Team', kind: 'address', read_only: true, fetched: '2026-11-24T11:20:00Z', problems: [] },
        { calendar: 'Work', kind: 'caldav', read_only: false, fetched: '2026-11-24T12:00:00Z', problems: [] },
      ],
    });
    const [quarter, now] = [15 * 60_000, Date.parse('2026-11-24T12:10:00Z')];
    expect(isStale([team!, work!], now, quarter)).toBe(false);
    expect(isStale([team!], now, quarter)).toBe(true);
    expect(isStale([{ ...team!, fetched: null }], now, quarter)).toBe(true);
    expect(isStale([], now, quarter)).toBe(false);
  });
});

test.each([
  ['FREQ=WEEKLY;BYDAY=MO', 'Every week'],
  ['BYDAY=MO;INTERVAL=2;FREQ=WEEKLY', 'Every 2 weeks'],
  ['freq=daily;interval=1', 'Every day'],
  ['FREQ=FORTNIGHTLY', 'FREQ=FORTNIGHTLY'],
  ['', ''],
])('the rule %j is shown as %j', (rule, text) => expect(ruleText(rule)).toBe(text));

test('a new event of several days ends on its last one', () => {
  const read = (from: string, to: string, days: number) => readEvent({ title: 'Fair', day: '2026-12-01', from, to, days }, '2026-11-23');
  expect(read('', '', 2)).toEqual({ start: '2026-12-01', end: '2026-12-03' });
  expect(read('22:00', '02:00', 0)).toEqual({ start: '2026-12-01T22:00', end: '2026-12-02T02:00' });
  expect(read('22:00', '02:00', 1)).toEqual({ start: '2026-12-01T22:00', end: '2026-12-02T02:00' });
  expect(read('09:00', '17:00', 2)).toEqual({ start: '2026-12-01T09:00', end: '2026-12-03T17:00' });
});
