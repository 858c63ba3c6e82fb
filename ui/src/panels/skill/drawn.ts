// Shared by all chart types.

import { useEffect, useRef, useState } from 'react';

import type { ChartPart } from '../../ipc';
import type { Point } from './chart';

export interface Drawn {
  readonly part: ChartPart;
  readonly points: readonly Point[];
  /** Currency of all values; empty if unknown. */
  readonly unit: string;
  /** Screen reader text. */
  readonly label: string;
  /** Formats a point's value. */
  write(point: Point | undefined, series: number): string;
}

/** The width of a chart, px; `first` until measured. */
export function useWidth(first: number) {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(first);
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      const now = ref.current?.clientWidth ?? 0;
      if (now > 0) setWidth(now);
    });
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return [ref, width] as const;
}
