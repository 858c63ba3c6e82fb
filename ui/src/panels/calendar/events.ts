// Converts the output of the calendar's tools to events to render.

import type { JsonValue } from '../../ipc';
import { at, isRow, type Row, type RowProblem } from '../skill/answer';
import { dayOf, minuteOf, minutesBetween, type Local } from './time';

export interface CalendarEvent {
  /** Identifies this instance. */
  readonly key: string;
  /** Identifies the event for tools: the path of its note, or its calendar and UID. */
  readonly id: string;
  readonly title: string;
  /** In the user's zone; for all-day events the first day. */
  readonly start: Local;
  /** Like `start`; for all-day events the last day. */
  readonly end: Local;
  readonly wholeDay: boolean;
  readonly calendar: string;
  readonly location: string | null;
  readonly recurs: boolean;
  /** The user's answer to an invitation, in calendar notation: `NEEDS-ACTION`. */
  readonly answer: string | null;
  /** Its start in its own zone: "2026-11-24 14:00 America/New_York". */
  readonly there: string | null;
  /** The waiting call that would create it. */
  readonly proposed?: string;
}

/** The part of an event on one day, in minutes since midnight. */
export interface Piece {
  readonly event: CalendarEvent;
  readonly from: number;
  readonly to: number;
}

export interface Listing {
  readonly events: readonly CalendarEvent[];
  /** None for the machine's zone. */
  readonly zone: string | null;
  /** Problems of single events. */
  readonly problems: readonly RowProblem[];
}

/** Merges several weeks: an event across their border is one event. */
export function listingOf(answers: readonly (JsonValue | null | undefined)[]): Listing {
  const events = new Map<string, CalendarEvent>();
  const problems = new Map<string, RowProblem>();
  let zone: string | null = null;
  for (const answer of answers) {
    if (!isRow(answer)) continue;
    zone = textIn(answer, 'zone') ?? zone;
    for (const row of listIn(answer, 'events')) {
      const event = eventOf(row);
      if (event) events.set(event.key, event);
    }
    // A calendar that cannot be read at all is reported in its own line.
    for (const row of listIn(answer, 'problems')) if (textIn(row, 'event') !== null || textIn(row, 'calendar') === null) problems.set(JSON.stringify(row), problemOf(row));
  }
  return { events: [...events.values()].toSorted(byStart), zone, problems: [...problems.values()] };
}

function eventOf(row: Row): CalendarEvent | null {
  const [id, start, end] = [textIn(row, 'event'), textIn(row, 'start'), textIn(row, 'end')];
  if (id === null || start === null || end === null) return null;
  const [recurs, calendar] = [row['recurs'] === true, textIn(row, 'calendar') ?? ''];
  return {
    // Stable under moves, so that it keeps the focus; instances of a series differ only by their start.
    key: recurs ? `${start} ${calendar} ${id}` : `${calendar} ${id}`,
    id,
    title: textIn(row, 'title') ?? '(no title)',
    start,
    end,
    wholeDay: row['whole_day'] === true,
    calendar,
    location: textIn(row, 'location'),
    recurs,
    answer: textIn(row, 'answer'),
    there: textIn(row, 'there'),
  };
}

/** Whether it is a note of the vault, not an event of a server. */
export function isNote({ id }: Pick<CalendarEvent, 'id'>): boolean {
  return id.endsWith('.md');
}

function problemOf(row: Row): RowProblem {
  const event = textIn(row, 'event');
  const path = event?.endsWith('.md') ? event : null;
  const problem = textIn(row, 'problem') ?? '';
  return { path, line: typeof row['line'] === 'number' ? row['line'] : null, problem: path === null && event !== null ? `${event}: ${problem}` : problem, remedy: textIn(row, 'remedy') };
}

/** The timed events of a day, by start; an event that covers the day counts as all-day there. */
export function piecesOn(events: readonly CalendarEvent[], day: string): Piece[] {
  return events.flatMap((event) => {
    if (event.wholeDay || isLong(event) || !isOn(event, day)) return [];
    const from = dayOf(event.start) === day ? minuteOf(event.start) : 0;
    const to = dayOf(event.end) === day ? minuteOf(event.end) : 1440;
    // When the clock is set back, an event may end at an earlier time than it began.
    return [{ event, from, to: Math.max(from, to) }];
  });
}

export function wholeDayOn(events: readonly CalendarEvent[], day: string): CalendarEvent[] {
  return events.filter((event) => (event.wholeDay || isLong(event)) && isOn(event, day));
}

/** All events of a day, all-day ones first. */
export function eventsOn(events: readonly CalendarEvent[], day: string): CalendarEvent[] {
  return [...wholeDayOn(events, day), ...piecesOn(events, day).map(({ event }) => event)];
}

/** "day 1 of 3"; empty for a single day. */
export function dayOfDays(event: CalendarEvent, day: string): string {
  const days = Math.round(minutesBetween(`${dayOf(event.start)}T00:00`, `${dayOf(event.end)}T00:00`) / 1440) + 1;
  if (days < 2) return '';
  const place = Math.round(minutesBetween(`${dayOf(event.start)}T00:00`, `${day}T00:00`) / 1440) + 1;
  return `day ${place} of ${days}`;
}

export function isOn({ start, end, wholeDay }: CalendarEvent, day: string): boolean {
  if (dayOf(start) > day || dayOf(end) < day) return false;
  // An end at midnight does not reach into that day.
  return wholeDay || dayOf(start) === day || end > `${day}T00:00`;
}

function isLong({ start, end, wholeDay }: CalendarEvent): boolean {
  return !wholeDay && minutesBetween(start, end) >= 1440;
}

/** Longest first among equal starts. */
function byStart(a: CalendarEvent, b: CalendarEvent): number {
  return order(a.start, b.start) || order(b.end, a.end) || order(a.title, b.title);
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function textIn(row: Row, key: string): string | null {
  const value = row[key];
  return typeof value === 'string' && value !== '' ? value : null;
}

export function listIn(value: JsonValue | null | undefined, key: string): Row[] {
  const list = at(value, `/${key}`);
  return Array.isArray(list) ? list.filter(isRow) : [];
}
