// Renders the first entries of a long list, and more on demand. Rendering ten thousand at once would freeze
// the window.

import { useEffect, useRef, useState, type RefObject } from 'react';

/** Entries at first, and added by a click. */
export const FIRST = 50;
export const MORE = 150;

export interface More {
  readonly most: number;
  /** Renders more, and focuses the first of them. */
  readonly show: () => void;
}

/** `entries` selects the rendered entries in `box`, in order. */
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
