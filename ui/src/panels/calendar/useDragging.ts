// Events on their way to another time: by the pointer, or by keys. A drag over free hours makes a new one.

import { useEffect, useRef, useState, type Dispatch, type KeyboardEvent, type PointerEvent } from 'react';

import type { CalendarEvent } from './events';
import { movedBy, snapped, spanOf, STEP, stretchedBy } from './moving';
import { sourceOf, type CalendarSource } from './sources';
import type { CalendarChange, CalendarState, Lift } from './state';
import { clockOf, dayOf, minutesBetween, type Local } from './time';
import { timesText } from './words';
import type { Writing } from './useWriting';

/** How far the pointer goes before a press is a drag, px. */
const DRAG_FROM = 4;

export interface Dragging {
  /** What a screen reader says of the last step. */
  readonly said: string;
  /** A new event that is being drawn. */
  readonly drawn: { readonly start: Local; readonly end: Local } | null;
  ofEvent(event: CalendarEvent): PointerHandlers & { readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void };
  ofDay(day: string): PointerHandlers;
  /** Whether a click is one, and not the end of a drag. */
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
}

interface Press {
  readonly event: CalendarEvent | null;
  readonly how: Lift['how'];
  readonly x: number;
  readonly y: number;
  /** px of 24 hours, and where they begin. */
  readonly height: number;
  readonly top: number;
  readonly day: string;
  begun: boolean;
}

export function useDragging({ state, dispatch, sources, writing }: Panel): Dragging {
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
    // Let go where nobody heard it.
    if (event.buttons === 0) return back();
    if (!from.begun) {
      if (Math.hypot(event.clientX - from.x, event.clientY - from.y) < DRAG_FROM) return;
      from.begun = dragged.current = true;
      event.currentTarget.setPointerCapture?.(event.pointerId);
      if (from.event && sourceOf(sources, from.event).readOnly) {
        press.current = null;
        return setSaid(readOnly(sources, from.event));
      }
      if (from.event) dispatch({ type: 'lifted', lift: { event: from.event, how: from.how, by: 'pointer', start: from.event.start, end: from.event.end } });
    }
    const minutes = (y: number) => ((y - from.top) / from.height) * 1440;
    if (!from.event) return setDrawn(spanOf(from.day, minutes(from.y), Math.min(1440, Math.max(0, minutes(event.clientY)))));
    const by = snapped(minutes(event.clientY) - minutes(from.y));
    const days = minutesBetween(`${from.day}T00:00`, `${dayUnder(event.currentTarget, event.clientX) ?? from.day}T00:00`) / 1440;
    dispatch({ type: 'carried', ...(from.how === 'move' ? movedBy(from.event, by, days) : stretchedBy(from.event, by)) });
  };
  const up = () => {
    const from = press.current;
    press.current = null;
    if (from?.begun && from.event && lift) void put(lift);
    if (from?.begun && drawn) {
      dispatch({ type: 'adding', event: { day: dayOf(drawn.start), from: clockOf(drawn.start), to: clockOf(drawn.end) } });
      setDrawn(null);
    }
  };
  const put = async (lift: Lift) => {
    const reason = await writing.drop(lift);
    const moved = lift.start !== lift.event.start || lift.end !== lift.event.end;
    setSaid(reason === null ? `${lift.event.title} ${moved ? 'is' : 'stays'} at ${timesText(lift).replace('–', ' to ')}.` : `${lift.event.title} is back at ${clockOf(lift.event.start)}: ${reason}.`);
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

  // Esc ends a drag by pointer too, wherever the focus is.
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
        // Enter clicks too, and ends no drag.
        dragged.current = false;
        keysOf({ event, lift, sources, dispatch, setSaid, put })(pressed);
      },
    }),
    ofDay: () => (sources.some(({ readOnly }) => !readOnly) ? handlers(null) : noHandlers),
    clicked: () => !dragged.current,
  };
}

const noHandlers: PointerHandlers = { onPointerDown: () => {}, onPointerMove: () => {}, onPointerUp: () => {}, onPointerCancel: () => {} };

interface KeyTarget {
  readonly event: CalendarEvent;
  readonly lift: Lift | null;
  readonly sources: readonly CalendarSource[];
  readonly dispatch: Dispatch<CalendarChange>;
  setSaid(words: string): void;
  put(lift: Lift): Promise<void>;
}

const steps: Readonly<Record<string, readonly [number, number]>> = { ArrowUp: [-STEP, 0], ArrowDown: [STEP, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Space lifts and drops, arrows move, Shift and arrows stretch, Esc returns. */
function keysOf({ event, lift, sources, dispatch, setSaid, put }: KeyTarget) {
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
        if (own) return void put(own);
        if (sourceOf(sources, event).readOnly) return setSaid(readOnly(sources, event));
        dispatch({ type: 'lifted', lift: { event, how: 'move', by: 'keys', start: event.start, end: event.end } });
        setSaid(`${event.title} is lifted. Arrows move it, Shift and arrows change its end, Space drops it, Esc returns it.`);
      });
    }
    if (!own) return;
    if (pressed.key === 'Escape') {
      return act(() => {
        dispatch({ type: 'returned' });
        setSaid(`${event.title} is back at ${clockOf(event.start)}.`);
      });
    }
    const step = steps[pressed.key];
    if (!step) return;
    act(() => {
      const [minutes, days] = step;
      const from = { ...event, start: own.start, end: own.end };
      // One call writes one of both: to stretch gives up what was moved, and the reverse.
      const how = pressed.shiftKey ? 'stretch' : 'move';
      const begun = own.how === how ? from : event;
      const next = how === 'stretch' ? stretchedBy(begun, minutes) : movedBy(begun, minutes, days);
      dispatch({ type: 'carried', how, ...next });
      setSaid(timesText(next).replace('–', ' to '));
    });
  };
}

function readOnly(sources: readonly CalendarSource[], event: CalendarEvent): string {
  return `${sourceOf(sources, event).name} is read only.`;
}

/** The day whose column is at that place. */
function dayUnder(inside: HTMLElement, x: number): string | undefined {
  const columns = [...(inside.closest('[data-hours]')?.querySelectorAll<HTMLElement>('[data-day]') ?? [])];
  return columns.find((column) => {
    const { left, right } = column.getBoundingClientRect();
    return left <= x && x < right;
  })?.dataset['day'];
}
