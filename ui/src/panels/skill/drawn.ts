// What the shapes of a chart have in common.

import { useEffect, useRef, useState } from 'react';

import type { ChartPart } from '../../ipc';
import type { Point } from './chart';

export interface Drawn {
  readonly part: ChartPart;
  readonly points: readonly Point[];
  /** Currency of all values; empty where it is not known. */
  readonly unit: string;
  /** What a screen reader says of it. */
  readonly label: string;
  /** A value of a point, in its format. */
  write(point: Point | undefined, series: number): string;
}

/** The width that a chart has, px; the first where nothing can be measured. */
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
