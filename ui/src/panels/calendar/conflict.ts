// A server event that was moved here while it changed there. Pure.

import type { JsonValue } from '../../ipc';
import { isRow } from '../skill/answer';
import { listIn, textIn, type CalendarEvent } from './events';
import type { EventConflict, Lift } from './lift';
import { dayOf, minutesBetween, type Local } from './time';
import { whenText } from './words';

type Version = Pick<CalendarEvent, 'title' | 'start' | 'end' | 'wholeDay' | 'location'>;

export interface ConflictRow {
  readonly label: 'Time' | 'Title' | 'Place';
  readonly server: string;
  /** `null` if the user did not change it. */
  readonly here: string | null;
}

/**
 * The conflict of a refused move. `around` are the events of the days around it, `detail` its details, which know
 * the next occurrence only. None if the event is unchanged, or not found.
 */
export function conflictOf(lift: Lift, around: readonly CalendarEvent[], detail: JsonValue | null): EventConflict | null {
  const theirs = nearest(around.filter(({ id }) => id === lift.event.id), lift.event) ?? (lift.event.recurs ? null : nextOf(lift.event, detail));
  return theirs === null || isSame(theirs, lift.event) ? null : { lift, theirs };
}

/** The instance of a series that was moved, wherever it is now. */
function nearest(instances: readonly CalendarEvent[], { start }: CalendarEvent): CalendarEvent | null {
  const far = (event: CalendarEvent) => Math.abs(minutesBetween(timed(start), timed(event.start)));
  return instances.toSorted((a, b) => far(a) - far(b))[0] ?? null;
}

function timed(at: Local): Local {
  return `${dayOf(at)}T${at.slice(11) || '00:00'}`;
}

function nextOf(event: CalendarEvent, detail: JsonValue | null): CalendarEvent | null {
  const [next] = listIn(detail, 'next');
  const [start, end] = next ? [textIn(next, 'start'), textIn(next, 'end')] : [null, null];
  if (!isRow(detail) || !next || start === null || end === null) return null;
  return { ...event, title: textIn(detail, 'title') ?? event.title, start, end, wholeDay: next['whole_day'] === true, location: textIn(detail, 'location') };
}

/** The differences: its time, and the server's other changes. */
export function rowsOf({ lift, theirs }: EventConflict, today: string): ConflictRow[] {
  const { event, start, end } = lift;
  const rows: ConflictRow[] = [{ label: 'Time', server: whenText(theirs, today), here: whenText({ ...event, start, end }, today) }];
  if (theirs.title !== event.title) rows.push({ label: 'Title', server: theirs.title, here: null });
  if (theirs.location !== event.location) rows.push({ label: 'Place', server: theirs.location ?? 'none', here: null });
  return rows;
}

function isSame(one: Version, other: Version): boolean {
  return one.title === other.title && one.start === other.start && one.end === other.end && one.location === other.location;
}
