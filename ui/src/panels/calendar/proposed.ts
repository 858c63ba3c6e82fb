// New events that wait for the user's answer at a card. Pure.

import type { CallItem } from '../../state/session';
import { isRow } from '../skill/answer';
import { textIn, type CalendarEvent } from './events';
import { shifted } from './time';

/** The events that waiting calls of `tool` would create; without calls whose times cannot be read. */
export function proposedIn(calls: readonly CallItem[], tool: string): CalendarEvent[] {
  return calls.flatMap((call) => {
    if (call.tool !== tool || !isRow(call.args)) return [];
    const { args } = call;
    const [title, start, end] = [textIn(args, 'title'), textIn(args, 'start')?.replace(' ', 'T') ?? '', textIn(args, 'end')?.replace(' ', 'T') ?? ''];
    const wholeDay = DAY.test(start);
    // A time of another zone has its own place, which only the tool knows.
    if (title === null || !(wholeDay || TIME.test(start)) || textIn(args, 'timezone') !== null) return [];
    const last = wholeDay ? (DAY.test(end) ? end : start) : endOf(start, end);
    const event = { key: `proposed ${call.id}`, id: '', title, start, end: last, wholeDay, calendar: textIn(args, 'calendar') ?? 'vault', location: textIn(args, 'location') };
    return [{ ...event, recurs: textIn(args, 'rrule') !== null, answer: null, there: null, proposed: call.call }];
  });
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/;

/** An hour after the start by default; the clock alone is of the same day. */
function endOf(start: string, end: string): string {
  const given = /^\d{2}:\d{2}$/.test(end) ? `${start.slice(0, 11)}${end}` : end;
  return TIME.test(given) && given > start ? given : shifted(start, 60);
}
