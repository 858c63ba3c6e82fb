// How many of many entries are on the page: some at first, then more on demand. All of ten thousand at once would
// keep the window from answering.

import { useEffect, useRef, useState, type RefObject } from 'react';

/** Entries at first, and those that a click adds. */
export const FIRST = 50;
export const MORE = 150;

export interface More {
  readonly most: number;
  /** Draws more, and brings the focus to the first of them. */
  readonly show: () => void;
}

/** `entries` finds the entries on the page in `box`, in their order. */
export function useMore(box: RefObject<HTMLElement | null>, entries: string, first = FIRST): More {
  const [most, setMost] = useState(first);
  const next = useRef<number | null>(null);
  useEffect(() => {
    if (next.current === null) return;
    box.current?.querySelectorAll<HTMLElement>(entries)[next.current]?.focus();
    next.current = null;
  }, [box, entries, most]);
  return {
    most,
    show: () => {
      next.current = box.current?.querySelectorAll(entries).length ?? null;
      setMost(most + MORE);
    },
  };
}
