// Computes the target of a moved or resized event, and its tool's arguments. Pure.

import { addDays } from '../../shared/form/dates';
import { isNote, type CalendarEvent } from './events';
import type { Lift } from './lift';
import { clockOf, dayOf, inZone, localAt, minuteOf, minutesBetween, settled, shifted, type Local } from './time';

/** Minutes of one step. */
export const STEP = 15;

/** Rounds to the nearest step, in wall-clock time. */
export function snapped(minutes: number): number {
  return Math.round(minutes / STEP) * STEP;
}

/** Whether it recurs and only changes as a whole, so that it stays on its day. */
export function keepsDays(event: CalendarEvent): boolean {
  return event.recurs && isNote(event);
}

/** Moves the event by minutes and days. */
export function movedBy(event: CalendarEvent, minutes: number, days: number): { start: Local; end: Local } {
  const { start, end, wholeDay } = event;
  const kept = keepsDays(event);
  if (wholeDay) return kept ? { start, end } : { start: addDays(start, days), end: addDays(end, days) };
  const length = minutesBetween(start, end);
  const day = kept ? dayOf(start) : addDays(dayOf(start), days);
  const at = kept ? Math.min(1440 - STEP, Math.max(0, minuteOf(start) + minutes)) : minuteOf(start) + minutes;
  const next = localAt(day, at);
  return { start: next, end: shifted(next, length) };
}

/**
 * Moves its end by minutes, to at least one step after its start; a recurring event lasts at most a day.
 * All-day events end `days` later.
 */
export function stretchedBy(event: CalendarEvent, minutes: number, days = 0): { start: Local; end: Local } {
  const { start, end, recurs, wholeDay } = event;
  if (wholeDay) {
    const last = addDays(end, keepsDays(event) ? 0 : days);
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

type Put = Pick<Lift, 'event' | 'how' | 'start' | 'end' | 'only'>;

export type Told = { readonly args: Readonly<Record<string, string | boolean>> } | { readonly refused: string };

/**
 * The arguments of `update_event`. Times of a note are in its own zone, `own`, those of a server in the user's, `zone`,
 * where an instance is named by its start and the tool moves all of them by as much as that one.
 */
export function argsOf({ event, how, only = false, ...put }: Put, zone: string | null, own: string | null): Told {
  const instance: Readonly<Record<string, string>> = only ? { date: event.start } : {};
  if (event.wholeDay) return { args: { event: event.id, ...instance, ...(how === 'move' ? { start: put.start } : { end: put.end }) } };
  const { start, end } = settledSpan(put, zone);
  const there = (at: Local) => inZone(at, zone, own ?? zone);
  const key = how === 'move' ? 'start' : 'end';
  const time = there(how === 'move' ? start : end);
  if (!event.recurs || only) return { args: { event: event.id, ...instance, [key]: time } };
  if (!isNote(event)) return { args: { event: event.id, date: event.start, all: true, [key]: time } };
  // The recurrence rule sets the days; only the time of day of all of them can change.
  if (how === 'move' && dayOf(time) !== dayOf(there(event.start))) return { refused: `In its own time zone ${event.title} would move to another day. Change its days in the note` };
  return { args: { event: event.id, [key]: clockOf(time) } };
}

/** "Move Dentist to 15:00": label of the change, as shown in the Undo bar. */
export function labelOf({ event, how, start, end, only = false }: Put, dayText: (day: string) => string): string {
  const name = event.recurs && !only ? `every ${event.title}` : event.title;
  if (event.wholeDay) return how === 'move' ? `Move ${name} to ${dayText(start)}` : `Set the last day of ${name} to ${dayText(end)}`;
  if (how === 'stretch') return `Set the end of ${name} to ${clockOf(end)}`;
  const day = dayOf(start) === dayOf(event.start) ? '' : `${dayText(dayOf(start))}, `;
  return `Move ${name} to ${day}${clockOf(start)}`;
}

/** Why not all instances of the series can change, as a sentence; null if they can. */
export function whyNotAll({ event, how, start, end }: Put): string | null {
  const all = !event.wholeDay && dayOf(how === 'move' ? start : end) === dayOf(how === 'move' ? event.start : event.end);
  return all ? null : 'All of them keep their days.';
}
