// Computes the target of a moved or resized event, and its tool's arguments. Pure.

import { addDays } from '../../shared/form/dates';
import type { CalendarEvent } from './events';
import type { Lift } from './lift';
import { clockOf, dayOf, inZone, localAt, minuteOf, minutesBetween, settled, shifted, type Local } from './time';

/** Minutes of one step. */
export const STEP = 15;

/** Rounds to the nearest step, in wall-clock time. */
export function snapped(minutes: number): number {
  return Math.round(minutes / STEP) * STEP;
}

/** Moves the event by minutes and days. A recurring one stays on its day, because it changes as a whole. */
export function movedBy({ start, end, recurs, wholeDay }: CalendarEvent, minutes: number, days: number): { start: Local; end: Local } {
  if (wholeDay) return recurs ? { start, end } : { start: addDays(start, days), end: addDays(end, days) };
  const length = minutesBetween(start, end);
  const day = recurs ? dayOf(start) : addDays(dayOf(start), days);
  const at = recurs ? Math.min(1440 - STEP, Math.max(0, minuteOf(start) + minutes)) : minuteOf(start) + minutes;
  const next = localAt(day, at);
  return { start: next, end: shifted(next, length) };
}

/**
 * Moves its end by minutes, to at least one step after its start; a recurring event lasts at most a day.
 * All-day events end `days` later.
 */
export function stretchedBy({ start, end, recurs, wholeDay }: CalendarEvent, minutes: number, days = 0): { start: Local; end: Local } {
  if (wholeDay) {
    const last = addDays(end, recurs ? 0 : days);
    return { start, end: last < start ? start : last };
  }
  const length = Math.max(STEP, minutesBetween(start, end) + minutes);
  return { start, end: shifted(start, recurs ? Math.min(length, 1440) : length) };
}

/** A new event between two minutes of a day, in either order. */
export function spanOf(day: string, a: number, b: number): { start: Local; end: Local } {
  const [from, to] = [Math.min(snapped(a), snapped(b)), Math.max(snapped(a), snapped(b))];
  return { start: localAt(day, from), end: localAt(day, Math.max(to, from + STEP)) };
}

/** When the clock skips an hour, both ends are shifted equally: the event keeps its wall-clock duration. */
export function settledSpan({ start, end }: { start: Local; end: Local }, zone: string | null): { start: Local; end: Local } {
  const begin = settled(start, zone);
  return { start: begin, end: settled(shifted(end, minutesBetween(start, begin)), zone) };
}

export type Told = { readonly args: Readonly<Record<string, string | boolean>> } | { readonly refused: string };

/**
 * The arguments of `update_event`. Times of a note are in its own zone, `own`, those of a server in the user's, `zone`: there
 * the tool moves all instances of a recurring event by as much as this one.
 */
export function argsOf({ event, how, ...put }: Pick<Lift, 'event' | 'how' | 'start' | 'end'>, zone: string | null, own: string | null): Told {
  if (event.wholeDay) return { args: { event: event.id, ...(how === 'move' ? { start: put.start } : { end: put.end }) } };
  const { start, end } = settledSpan(put, zone);
  const there = (at: Local) => inZone(at, zone, own ?? zone);
  const key = how === 'move' ? 'start' : 'end';
  const time = there(how === 'move' ? start : end);
  if (!event.recurs) return { args: { event: event.id, [key]: time } };
  if (!event.id.endsWith('.md')) return { args: { event: event.id, date: event.start, all: true, [key]: time } };
  // The recurrence rule sets the days; only the time of day of all of them can change.
  if (how === 'move' && dayOf(time) !== dayOf(there(event.start))) return { refused: `In its own time zone ${event.title} would move to another day. Change its days in the note` };
  return { args: { event: event.id, [key]: clockOf(time) } };
}

/** "Move Dentist to 15:00": label of the change, as shown in the Undo bar. */
export function labelOf({ event, how, start, end }: Pick<Lift, 'event' | 'how' | 'start' | 'end'>, dayText: (day: string) => string): string {
  const name = event.recurs ? `every ${event.title}` : event.title;
  if (event.wholeDay) return how === 'move' ? `Move ${name} to ${dayText(start)}` : `Set the last day of ${name} to ${dayText(end)}`;
  if (how === 'stretch') return `Set the end of ${name} to ${clockOf(end)}`;
  const day = dayOf(start) === dayOf(event.start) ? '' : `${dayText(dayOf(start))}, `;
  return `Move ${name} to ${day}${clockOf(start)}`;
}
