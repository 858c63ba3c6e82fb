// Moves events by pointer or keys. Dragging over free hours creates a new one.

import { useEffect, useRef, useState, type Dispatch, type KeyboardEvent, type PointerEvent } from 'react';

import { isNote, type CalendarEvent } from './events';
import type { Lift } from './lift';
import { keepsDays, movedBy, snapped, spanOf, STEP, stretchedBy } from './moving';
import { sourceOf, type CalendarSource } from './sources';
import type { CalendarChange, CalendarState } from './state';
import { clockOf, dayOf, minutesBetween, type Local } from './time';
import { timesText, whenText } from './words';
import type { Writing } from './useWriting';

/** Pointer distance that turns a press into a drag, px. */
const DRAG_FROM = 4;

export interface Dragging {
  /** Screen reader announcement of the last step. */
  readonly said: string;
  /** A new event being dragged out. */
  readonly drawn: { readonly start: Local; readonly end: Local } | null;
  ofEvent(event: CalendarEvent): PointerHandlers & { readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void };
  ofDay(day: string): PointerHandlers;
  /** Answers which instances of a series change; `null` reverts it. */
  choose(which: 'one' | 'all' | null): void;
  /** Whether a click is real, and not the end of a drag. */
  clicked(): boolean;
}

interface PointerHandlers {
  readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerMove: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerUp: () => void;
  readonly onPointerCancel: () => void;
}

interface Panel {
  readonly state: CalendarState;
  readonly dispatch: Dispatch<CalendarChange>;
  readonly sources: readonly CalendarSource[];
  readonly writing: Writing;
  readonly today: string;
}

interface Press {
  readonly event: CalendarEvent | null;
  readonly how: Lift['how'];
  readonly x: number;
  readonly y: number;
  /** Height of 24 hours in px, and their origin. */
  readonly height: number;
  readonly top: number;
  readonly day: string;
  begun: boolean;
}

export function useDragging({ state, dispatch, sources, writing, today }: Panel): Dragging {
  const [said, setSaid] = useState('');
  const [drawn, setDrawn] = useState<Dragging['drawn']>(null);
  const press = useRef<Press | null>(null);
  const dragged = useRef(false);
  const { lift } = state;

  const back = () => {
    press.current = null;
    setDrawn(null);
    dispatch({ type: 'returned' });
  };
  const down = (event: PointerEvent<HTMLElement>, of: CalendarEvent | null) => {
    dragged.current = false;
    const column = event.currentTarget.closest<HTMLElement>('[data-day]');
    if (event.button !== 0 || !column) return;
    const box = column.getBoundingClientRect();
    const how = (event.target as Element).closest('[data-stretch]') ? 'stretch' : 'move';
    press.current = { event: of, how, x: event.clientX, y: event.clientY, height: box.height, top: box.top, day: column.dataset['day'] ?? '', begun: false };
  };
  const move = (event: PointerEvent<HTMLElement>) => {
    const from = press.current;
    if (!from) return;
    // The button was released outside of the window.
    if (event.buttons === 0) return back();
    if (!from.begun) {
      if (Math.hypot(event.clientX - from.x, event.clientY - from.y) < DRAG_FROM) return;
      from.begun = dragged.current = true;
      event.currentTarget.setPointerCapture?.(event.pointerId);
      const fixed = from.event && whyFixed(sources, from.event);
      if (fixed) {
        press.current = null;
        return setSaid(fixed);
      }
      if (from.event) dispatch({ type: 'lifted', lift: { event: from.event, how: from.how, by: 'pointer', start: from.event.start, end: from.event.end } });
    }
    const minutes = (y: number) => ((y - from.top) / from.height) * 1440;
    if (!from.event) return setDrawn(spanOf(from.day, minutes(from.y), Math.min(1440, Math.max(0, minutes(event.clientY)))));
    // All-day events, and those rendered like them, move by days only.
    const by = event.currentTarget.closest('[data-whole-days]') ? 0 : snapped(minutes(event.clientY) - minutes(from.y));
    const days = minutesBetween(`${from.day}T00:00`, `${dayUnder(event.currentTarget, event.clientX) ?? from.day}T00:00`) / 1440;
    dispatch({ type: 'carried', ...(from.how === 'move' ? movedBy(from.event, by, days) : stretchedBy(from.event, by)) });
  };
  const up = () => {
    const from = press.current;
    press.current = null;
    if (from?.begun && from.event && lift) put(lift);
    if (from?.begun && drawn) {
      dispatch({ type: 'adding', event: { day: dayOf(drawn.start), from: clockOf(drawn.start), to: clockOf(drawn.end) } });
      setDrawn(null);
    }
  };
  const put = (lift: Lift) => {
    const moved = lift.start !== lift.event.start || lift.end !== lift.event.end;
    if (!moved || !lift.event.recurs || isNote(lift.event)) return void write(lift);
    dispatch({ type: 'asked' });
    setSaid('');
  };
  const choose = (which: 'one' | 'all' | null) => {
    const { choice } = state;
    if (choice === null) return;
    dispatch({ type: 'chosen' });
    focusLater(choice.event);
    if (which !== null) return void write({ ...choice, only: which === 'one' });
    dispatch({ type: 'refused', event: choice.event.key });
    setSaid(`${choice.event.title} is back ${spokenStart(choice.event, today)}.`);
  };
  const write = async (lift: Lift) => {
    const reason = await writing.drop(lift);
    const moved = lift.start !== lift.event.start || lift.end !== lift.event.end;
    setSaid(reason === null ? `${lift.event.title} ${moved ? 'is' : 'stays'} ${spoken(lift.event, lift, today)}.` : `${lift.event.title} is back ${spokenStart(lift.event, today)}: ${reason}.`);
    if (reason === null && lift.by === 'keys' && lift.event.wholeDay) {
      if (state.view === 'day') dispatch({ type: 'went', day: lift.start });
      focusLater(lift.event);
    }
  };
  const handlers = (of: CalendarEvent | null): PointerHandlers => ({
    onPointerDown: (event) => {
      event.stopPropagation();
      down(event, of);
    },
    onPointerMove: move,
    onPointerUp: up,
    onPointerCancel: back,
  });

  // Esc cancels a pointer drag wherever the focus is.
  const under = lift?.by === 'pointer' || drawn !== null;
  useEffect(() => {
    if (!under) return;
    const onEscape = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      press.current = null;
      setDrawn(null);
      dispatch({ type: 'returned' });
    };
    window.addEventListener('keydown', onEscape, true);
    return () => window.removeEventListener('keydown', onEscape, true);
  }, [under, dispatch]);

  return {
    said,
    drawn,
    ofEvent: (event) => ({
      ...handlers(event),
      onKeyDown: (pressed) => {
        // Enter clicks too, without ending a drag.
        dragged.current = false;
        keysOf({ event, lift, sources, today, dispatch, setSaid, put })(pressed);
      },
    }),
    ofDay: () => (sources.some(({ readOnly }) => !readOnly) ? handlers(null) : noHandlers),
    choose,
    clicked: () => !dragged.current,
  };
}

/** After a render: it may be another element, below another day. */
function focusLater({ key }: CalendarEvent): void {
  requestAnimationFrame(() => [...document.querySelectorAll<HTMLElement>('[data-event]')].find(({ dataset }) => dataset['event'] === key)?.focus());
}

const noHandlers: PointerHandlers = { onPointerDown: () => {}, onPointerMove: () => {}, onPointerUp: () => {}, onPointerCancel: () => {} };

interface KeyTarget {
  readonly event: CalendarEvent;
  readonly lift: Lift | null;
  readonly sources: readonly CalendarSource[];
  readonly today: string;
  readonly dispatch: Dispatch<CalendarChange>;
  setSaid(words: string): void;
  put(lift: Lift): void;
}

const steps: Readonly<Record<string, readonly [number, number]>> = { ArrowUp: [-STEP, 0], ArrowDown: [STEP, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Space picks up and drops, arrows move, Shift and arrows resize, Esc cancels. */
function keysOf({ event, lift, sources, today, dispatch, setSaid, put }: KeyTarget) {
  return (pressed: KeyboardEvent<HTMLElement>) => {
    if (pressed.ctrlKey || pressed.metaKey || pressed.altKey) return;
    const own = lift?.event.key === event.key && lift.by === 'keys' ? lift : null;
    const act = (work: () => void) => {
      pressed.preventDefault();
      pressed.stopPropagation();
      work();
    };
    if (pressed.key === ' ') {
      return act(() => {
        if (own) return put(own);
        const fixed = whyFixed(sources, event);
        if (fixed !== null) return setSaid(fixed);
        dispatch({ type: 'lifted', lift: { event, how: 'move', by: 'keys', start: event.start, end: event.end } });
        setSaid(`${event.title} is lifted. Arrows move it, Shift and arrows change its end, Space drops it, Esc returns it.`);
      });
    }
    if (!own) return;
    if (pressed.key === 'Escape') {
      return act(() => {
        dispatch({ type: 'returned' });
        setSaid(`${event.title} is back ${spokenStart(event, today)}.`);
      });
    }
    const step = steps[pressed.key];
    if (!step) return;
    act(() => {
      const [minutes, days] = step;
      const from = { ...event, start: own.start, end: own.end };
      // One call writes only one of both: resizing discards a move, and vice versa.
      const how = pressed.shiftKey ? 'stretch' : 'move';
      const begun = own.how === how ? from : event;
      const next = how === 'stretch' ? stretchedBy(begun, minutes, days) : movedBy(begun, minutes, days);
      dispatch({ type: 'carried', how, ...next });
      setSaid(event.wholeDay ? whenText({ ...event, ...next }, today) : timesText(next).replace('–', ' to '));
    });
  };
}

/** Why an event cannot be moved; none if it can. */
function whyFixed(sources: readonly CalendarSource[], event: CalendarEvent): string | null {
  const { name, readOnly } = sourceOf(sources, event);
  if (event.proposed !== undefined) return `${event.title} waits for your answer.`;
  if (readOnly) return `${name} is read only.`;
  return event.wholeDay && keepsDays(event) ? `${event.title} recurs. Edit it to change its days.` : null;
}

/** "at 11:00 to 12:00", "on Tue 24 Nov, all day" */
function spoken(event: CalendarEvent, at: Pick<Lift, 'start' | 'end'>, today: string): string {
  if (!event.wholeDay) return `at ${timesText(at).replace('–', ' to ')}`;
  return `on ${whenText({ ...event, ...at }, today)}`;
}

function spokenStart(event: CalendarEvent, today: string): string {
  return event.wholeDay ? spoken(event, event, today) : `at ${clockOf(event.start)}`;
}

/** The day of the column at that position. */
function dayUnder(inside: HTMLElement, x: number): string | undefined {
  const columns = [...(inside.closest('[data-hours], [data-whole-days]')?.querySelectorAll<HTMLElement>('[data-day]') ?? [])];
  return columns.find((column) => {
    const { left, right } = column.getBoundingClientRect();
    return left <= x && x < right;
  })?.dataset['day'];
}
