// State of the calendar panel. Pure, without a clock.

import { moved as stepped, parts, weekdayOf } from '../../shared/form/date-words';
import { addDays, dateText, daysIn } from '../../shared/form/dates';
import { type CalendarEvent } from './events';
import type { NewEvent } from '../../state/app';
import type { EventConflict, Lift } from './lift';
import type { Local } from './time';

export type CalendarView = 'day' | 'week' | 'month';

export type Times = Pick<Lift, 'start' | 'end'>;

export interface CalendarState {
  readonly view: CalendarView;
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** Ids of hidden calendars. */
  readonly hidden: readonly string[];
  /** The event with an open sheet. */
  readonly open: string | null;
  readonly adding: NewEvent | null;
  /** The time that the form of a new event says, drawn among the hours. */
  readonly planned: Times | null;
  readonly lift: Lift | null;
  /** A dropped event of a series: whether all change is being asked. */
  readonly choice: Lift | null;
  /** Targets of dropped events by key, until reloaded. */
  readonly put: Readonly<Record<string, Times>>;
  /** Waits for a choice between the server's version and the user's. */
  readonly conflict: EventConflict | null;
}

export type CalendarChange =
  | { readonly type: 'viewed'; readonly view: CalendarView; readonly day?: string }
  | { readonly type: 'went'; readonly day: string }
  /** Moves to the next or previous day, week or month. */
  | { readonly type: 'turned'; readonly by: 1 | -1 }
  | { readonly type: 'toggled'; readonly calendar: string }
  | { readonly type: 'opened'; readonly event: string }
  | { readonly type: 'adding'; readonly event: NewEvent }
  | { readonly type: 'planned'; readonly times: Times | null }
  /** Closes the sheet or the form. */
  | { readonly type: 'closed' }
  | { readonly type: 'lifted'; readonly lift: Lift }
  | { readonly type: 'carried'; readonly start: Local; readonly end: Local; readonly how?: Lift['how'] }
  | { readonly type: 'returned' }
  | { readonly type: 'dropped' }
  /** Dropped, but which instances change is still to be chosen. */
  | { readonly type: 'asked' }
  | { readonly type: 'chosen' }
  | { readonly type: 'refused'; readonly event: string }
  | { readonly type: 'conflicted'; readonly conflict: EventConflict }
  /** A version was chosen. */
  | { readonly type: 'settled' }
  /** The events were reloaded. */
  | { readonly type: 'answered' };

export const firstCalendar = (day: string): CalendarState => ({ view: 'day', day, hidden: [], open: null, adding: null, planned: null, lift: null, choice: null, put: {}, conflict: null });

export function reduceCalendar(state: CalendarState, change: CalendarChange): CalendarState {
  switch (change.type) {
    case 'viewed':
      return { ...state, view: change.view, day: change.day ?? state.day, lift: null };
    case 'went':
      return { ...state, day: change.day, lift: null };
    case 'turned':
      return { ...state, day: stepped(state.day, change.by, state.view), lift: null };
    case 'toggled': {
      const { calendar } = change;
      const hidden = state.hidden.includes(calendar) ? state.hidden.filter((one) => one !== calendar) : [...state.hidden, calendar];
      return { ...state, hidden };
    }
    case 'opened':
      return { ...state, open: change.event, adding: null, planned: null };
    case 'adding':
      return { ...state, adding: change.event, open: null };
    case 'planned':
      return { ...state, planned: change.times };
    case 'closed':
      return { ...state, open: null, adding: null, planned: null };
    case 'lifted':
      // What waits for a choice stays where it was dropped.
      return state.choice === null ? { ...state, lift: change.lift } : state;
    case 'carried':
      return state.lift ? { ...state, lift: { ...state.lift, how: change.how ?? state.lift.how, start: change.start, end: change.end } } : state;
    case 'returned':
      return { ...state, lift: null };
    case 'dropped':
      return dropped(state);
    case 'asked':
      return { ...dropped(state), choice: state.lift };
    case 'chosen':
      return { ...state, choice: null };
    case 'refused': {
      const { [change.event]: _gone, ...put } = state.put;
      return { ...state, put };
    }
    case 'conflicted':
      return { ...state, conflict: change.conflict };
    case 'settled':
      return { ...state, conflict: null };
    case 'answered':
      return Object.keys(state.put).length === 0 ? state : { ...state, put: {} };
  }
}

function dropped(state: CalendarState): CalendarState {
  if (!state.lift) return state;
  const { event, start, end } = state.lift;
  return { ...state, lift: null, put: { ...state.put, [event.key]: { start, end } } };
}

/** Events to render: without hidden ones, and at their targets. */
export function shownEvents({ hidden, put }: CalendarState, events: readonly CalendarEvent[]): CalendarEvent[] {
  return events.filter(({ calendar }) => !hidden.includes(calendar)).map((event) => ({ ...event, ...put[event.key] }));
}

/** The rendered days; for a month, those of its weeks. */
export function daysShown({ view, day }: Pick<CalendarState, 'view' | 'day'>): string[] {
  if (view === 'day') return [day];
  const [first, last] = view === 'week' ? [day, day] : monthOf(day);
  const days: string[] = [];
  for (let next = mondayOf(first); next <= addDays(mondayOf(last), 6); next = addDays(next, 1)) days.push(next);
  return days;
}

/** The Mondays of the weeks to load: one request per week. */
export function weeksShown(state: Pick<CalendarState, 'view' | 'day'>): string[] {
  return [...new Set(daysShown(state).map(mondayOf))];
}

export function mondayOf(day: string): string {
  return addDays(day, -weekdayOf(day));
}

function monthOf(day: string): [string, string] {
  const { year, month } = parts(day);
  return [dateText(year, month, 1), dateText(year, month, daysIn(year, month))];
}
