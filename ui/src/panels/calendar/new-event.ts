// Reads the form of a new event. Pure.

import { dateOf } from '../../shared/form/date-words';
import { addDays } from '../../shared/form/dates';
import type { CalendarEvent } from './events';
import type { CalendarSource } from './sources';
import { clockOf, shifted, timeOf, type Local } from './time';
import type { TitleWords } from './title-words';

/** The entries of the form; `null` for a field that the user left as it was. */
export interface Entries {
  readonly day: string | null;
  readonly from: string | null;
  readonly to: string | null;
}

export interface EventTimes {
  readonly day: string;
  readonly from: string;
  readonly to: string;
}

/** What the fields show: the user's entries, else what the title says, else how the form began. */
export function timesShown(entries: Entries, words: TitleWords | null, start: EventTimes): EventTimes {
  const begin = words?.from ?? null;
  const until = begin === null ? start.to : (words?.to ?? clockOf(shifted(`2000-01-01T${begin}`, 60)));
  return { day: entries.day ?? words?.day ?? start.day, from: entries.from ?? begin ?? start.from, to: entries.to ?? until };
}

/** The calendars that events can be added to. */
export function writableIn(sources: readonly CalendarSource[]): CalendarSource[] {
  return sources.filter(({ readOnly }) => !readOnly);
}

/** "ann@example.org, Ben <ben@example.org>" */
export function addressesIn(text: string): string[] {
  return text.split(/[,;\n]/).map((one) => one.trim()).filter((one) => one !== '');
}

/** The entries of a form, and how many days later it ends. */
type Typed = EventTimes & { readonly days?: number };

/** The tool's arguments, or the error of an entry. */
export function readEvent({ title, ...times }: Typed & { readonly title: string }, today: string): { start: Local; end: Local } | string {
  return title.trim() === '' ? 'Enter a title.' : readTimes(times, today);
}

/** Start and end, both dates for all-day, or the error of an entry. */
export function readTimes({ day, from, to, days = 0 }: Typed, today: string): { start: Local; end: Local } | string {
  const date = dateOf(day, today);
  if (date === null) return `“${day.trim()}” is not a date. Write it as 2026-11-30.`;
  if (from.trim() === '') return to.trim() === '' ? { start: date, end: addDays(date, days) } : 'Enter when it starts, or leave both times empty for the whole day.';
  const [begin, end] = [timeOf(from), timeOf(to)];
  if (begin === null) return `“${from.trim()}” is not a time. Write it as 09:30.`;
  const start = `${date}T${begin}`;
  if (to.trim() === '') return { start, end: shifted(start, 60) };
  if (end === null) return `“${to.trim()}” is not a time. Write it as 10:15.`;
  const same = `${addDays(date, days)}T${end}`;
  // An end before the start is on the next day.
  return { start, end: same > start ? same : shifted(same, 1440) };
}

/** "Every 2 weeks"; the rule itself if its frequency is unknown. */
export function ruleText(rule: string): string {
  const parts = Object.fromEntries(rule.toUpperCase().split(';').map((part) => part.split('=')));
  const unit = units[parts['FREQ'] ?? ''];
  if (unit === undefined) return rule;
  const every = Number(parts['INTERVAL'] ?? '1');
  return every === 1 ? `Every ${unit}` : `Every ${every} ${unit}s`;
}

const units: Readonly<Record<string, string>> = { HOURLY: 'hour', DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' };

/** The events at that time; all-day and declined ones leave it free. */
export function overlapping({ start, end }: { readonly start: Local; readonly end: Local }, events: readonly CalendarEvent[]): CalendarEvent[] {
  if (start.length === 10) return [];
  return events.filter((event) => !event.wholeDay && event.answer !== 'DECLINED' && event.proposed === undefined && event.start < end && event.end > start);
}
