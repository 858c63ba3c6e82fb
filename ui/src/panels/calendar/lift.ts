// Data of events being moved.

import type { CalendarEvent } from './events';
import type { Local } from './time';

/** The target of an event being moved or resized. */
export interface Lift {
  readonly event: CalendarEvent;
  readonly how: 'move' | 'stretch';
  readonly by: 'pointer' | 'keys';
  readonly start: Local;
  readonly end: Local;
  /** Of a series, only this instance changes. */
  readonly only?: boolean;
}

/** A move that was not written, because the event changed on its server. */
export interface EventConflict {
  /** The user's change, relative to the earlier version. */
  readonly lift: Lift;
  /** The event's current version on the server. */
  readonly theirs: CalendarEvent;
}
