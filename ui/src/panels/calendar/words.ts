// Texts of the calendar panel.

import { parts, weekdayOf } from '../../shared/form/date-words';
import { addDays } from '../../shared/form/dates';
import { revealed } from '../../shared/invisible';
import type { CalendarEvent } from './events';
import { mondayOf, type CalendarState } from './state';
import { clockOf, dayOf, instantOf, type Local } from './time';

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** "Mon 23 Nov", or "23 Nov 2025" if not in the year of `today`. */
export function dayText(day: string, today: string): string {
  const { year, month, day: number } = parts(day);
  const date = `${number} ${MONTHS[month - 1]}`;
  return year === parts(today).year ? `${weekdayText(day)} ${date}` : `${date} ${year}`;
}

export function weekdayText(day: string): string {
  return WEEKDAYS[weekdayOf(day)] ?? '';
}

/** "Mon 23 Nov", "23–29 Nov", "Nov 2026" */
export function titleOf({ view, day }: Pick<CalendarState, 'view' | 'day'>, today: string): string {
  if (view === 'day') return dayText(day, today);
  const { year, month } = parts(day);
  if (view === 'month') return `${MONTHS[month - 1]} ${year}`;
  const [first, last] = [parts(mondayOf(day)), parts(addDays(mondayOf(day), 6))];
  const month1 = first.month === last.month ? '' : ` ${MONTHS[first.month - 1]}`;
  const inYear = last.year === parts(today).year ? '' : ` ${last.year}`;
  return `${first.day}${month1}–${last.day} ${MONTHS[last.month - 1]}${inYear}`;
}

/** "14:00–15:00" */
export function timesText({ start, end }: { readonly start: Local; readonly end: Local }): string {
  return `${clockOf(start)}–${clockOf(end)}`;
}

/** "today, 14:00–15:00", "Mon 23 Nov to Wed 25 Nov" */
export function whenText(event: CalendarEvent, today: string): string {
  const named = (day: string) => (day === today ? 'today' : day === addDays(today, 1) ? 'tomorrow' : dayText(day, today));
  const [first, last] = [dayOf(event.start), dayOf(event.end)];
  if (event.wholeDay) return first === last ? `${named(first)}, all day` : `${named(first)} to ${named(last)}`;
  const midnight = clockOf(event.end) === '00:00' && last === addDays(first, 1);
  if (first === last || midnight) return `${named(first)}, ${timesText(event)}`;
  return `${named(first)}, ${clockOf(event.start)} to ${named(last)}, ${clockOf(event.end)}`;
}

/** "now, 24 min left"; empty unless in progress. By instants, which is correct across clock changes. */
export function nowText({ start, end, wholeDay }: CalendarEvent, now: number, zone: string | null): string {
  if (wholeDay) return '';
  const [begin, finish] = [instantOf(start, zone), instantOf(end, zone)];
  if (now < begin || now >= finish) return '';
  const minutes = Math.ceil((finish - now) / 60_000);
  if (minutes < 60) return `now, ${minutes} min left`;
  return `now, ${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`} left`;
}

const statuses: Readonly<Record<string, string>> = { 'NEEDS-ACTION': 'not answered', DECLINED: 'declined', TENTATIVE: 'maybe' };

/** "not answered", "declined"; empty for an ordinary event. */
export function statusText({ answer, proposed }: CalendarEvent): string {
  return proposed === undefined ? (statuses[answer ?? ''] ?? '') : 'waits for your answer';
}

/** Additional screen reader text of an event. */
export function spokenRest(event: CalendarEvent, calendar: string, readOnly: boolean): string {
  return [calendar, event.recurs ? 'recurring' : '', statusText(event), readOnly ? 'read only' : ''].filter((part) => part !== '').join(', ');
}

/** Maximum code units of a title in a question about it. */
const TITLE = 80;

/**
 * The start of a question about an event: "About [[Events/Dentist]] on 2026-11-25: ". An untrusted title is
 * cut to a short quotation.
 */
export function aboutText({ id, title, start }: CalendarEvent): string {
  const name = id.endsWith('.md') ? `[[${id.slice(0, -3)}]]` : `the event “${revealed(title.replaceAll(/\s+/g, ' ')).slice(0, TITLE)}”`;
  return `About ${name} on ${dayOf(start)}: `;
}
