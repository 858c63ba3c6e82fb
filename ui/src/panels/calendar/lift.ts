// Events on their way to another time, as data.

import type { CalendarEvent } from './events';
import type { Local } from './time';

/** Where an event is to be while it is moved or stretched. */
export interface Lift {
  readonly event: CalendarEvent;
  readonly how: 'move' | 'stretch';
  readonly by: 'pointer' | 'keys';
  readonly start: Local;
  readonly end: Local;
}

/** A move that was not written, as the event changed on its server. */
export interface EventConflict {
  /** What the user did, to the event as it was before. */
  readonly lift: Lift;
  /** The event as the server has it now. */
  readonly theirs: CalendarEvent;
}
