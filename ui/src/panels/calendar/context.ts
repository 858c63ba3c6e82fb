// Context shared by all parts of the calendar panel.

import { createContext, useContext, type Dispatch } from 'react';

import type { CalendarEvent } from './events';
import type { CalendarSource } from './sources';
import type { CalendarChange, CalendarState } from './state';
import type { Dragging } from './useDragging';
import type { Fetching } from './useFetching';
import type { Writing } from './useWriting';

export interface CalendarContext {
  readonly state: CalendarState;
  readonly dispatch: Dispatch<CalendarChange>;
  /** Events to render. */
  readonly events: readonly CalendarEvent[];
  readonly sources: readonly CalendarSource[];
  /** The current minute, ms. */
  readonly now: number;
  /** In the user's zone, `YYYY-MM-DD`. */
  readonly today: string;
  readonly zone: string | null;
  /** Nothing of the visible range is loaded yet. */
  readonly reading: boolean;
  readonly dragging: Dragging;
  readonly writing: Writing;
  readonly fetching: Fetching;
  /** Reloads everything that is shown. */
  reload(): void;
  /** The full name of one of the skill's tools. */
  nameOf(tool: string): string;
}

const Context = createContext<CalendarContext | null>(null);

export const CalendarProvider = Context.Provider;

export function useCalendar(): CalendarContext {
  const calendar = useContext(Context);
  if (!calendar) throw new Error('A part of the calendar is rendered outside it');
  return calendar;
}
