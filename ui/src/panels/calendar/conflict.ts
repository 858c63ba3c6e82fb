// A server event that was moved here while it changed there. Pure.

import type { JsonValue } from '../../ipc';
import { isRow } from '../skill/answer';
import { listIn, textIn, type CalendarEvent } from './events';
import type { EventConflict, Lift } from './lift';
import { whenText } from './words';

type Version = Pick<CalendarEvent, 'title' | 'start' | 'end' | 'wholeDay' | 'location'>;

export interface ConflictRow {
  readonly label: 'Time' | 'Title' | 'Place';
  readonly server: string;
  /** `null` if the user did not change it. */
  readonly here: string | null;
}

/** The conflict of a refused move; none if the event is unchanged, or its next occurrence is unknown. */
export function conflictOf(lift: Lift, detail: JsonValue | null): EventConflict | null {
  const [next] = listIn(detail, 'next');
  const [start, end] = next ? [textIn(next, 'start'), textIn(next, 'end')] : [null, null];
  if (!isRow(detail) || !next || start === null || end === null || lift.event.recurs) return null;
  const theirs = { ...lift.event, title: textIn(detail, 'title') ?? lift.event.title, start, end, wholeDay: next['whole_day'] === true, location: textIn(detail, 'location') };
  return isSame(theirs, lift.event) ? null : { lift, theirs };
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
