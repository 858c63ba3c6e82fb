// What every part of the calendar's panel needs of it.

import { createContext, useContext, type Dispatch } from 'react';

import type { CalendarEvent } from './events';
import type { CalendarSource } from './sources';
import type { CalendarChange, CalendarState } from './state';
import type { Dragging } from './useDragging';
import type { Writing } from './useWriting';

export interface CalendarContext {
  readonly state: CalendarState;
  readonly dispatch: Dispatch<CalendarChange>;
  /** As they are to be drawn. */
  readonly events: readonly CalendarEvent[];
  readonly sources: readonly CalendarSource[];
  /** The minute that it is, ms. */
  readonly now: number;
  /** In the user's zone, `YYYY-MM-DD`. */
  readonly today: string;
  readonly zone: string | null;
  /** Nothing of what is shown was read yet. */
  readonly reading: boolean;
  readonly dragging: Dragging;
  readonly writing: Writing;
  /** The whole name of one of the skill's tools. */
  nameOf(tool: string): string;
}

const Context = createContext<CalendarContext | null>(null);

export const CalendarProvider = Context.Provider;

export function useCalendar(): CalendarContext {
  const calendar = useContext(Context);
  if (!calendar) throw new Error('A part of the calendar stands outside of it');
  return calendar;
}
