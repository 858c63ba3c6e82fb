// Virtualises rows of equal height.

import { useEffect, useState, type RefObject } from 'react';

/** px; equals the table's `BodyRow`. */
export const ROW_HEIGHT = 31;
/** Rows rendered beyond the visible ones. */
const OVERSCAN = 20;

export interface Window {
  readonly from: number;
  readonly to: number;
  /** Height of the rows omitted above and below, px. */
  readonly before: number;
  readonly after: number;
}

/** All rows if disabled. Follows the scroll position of the ancestor marked `data-scroll`. */
export function useVirtual(body: RefObject<HTMLElement | null>, count: number, on: boolean): Window {
  const [seen, setSeen] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const scroller = body.current?.closest<HTMLElement>('[data-scroll]');
    if (!on || !scroller) return;
    const look = () => {
      const offset = (body.current?.getBoundingClientRect().top ?? 0) - scroller.getBoundingClientRect().top;
      setSeen({ top: -offset, height: scroller.clientHeight });
    };
    look();
    scroller.addEventListener('scroll', look, { passive: true });
    return () => scroller.removeEventListener('scroll', look);
  }, [body, on]);
  return on ? windowOf(seen.top, seen.height, count) : { from: 0, to: count, before: 0, after: 0 };
}

/** The rows around the visible ones; `top` is how far the first row is scrolled out of view, px. */
export function windowOf(top: number, height: number, count: number): Window {
  const from = Math.min(Math.max(0, Math.floor(top / ROW_HEIGHT) - OVERSCAN), Math.max(0, count - 1));
  const to = Math.min(count, Math.ceil((top + height) / ROW_HEIGHT) + OVERSCAN);
  return { from, to: Math.max(from, to), before: from * ROW_HEIGHT, after: (count - Math.max(from, to)) * ROW_HEIGHT };
}
