import { useRef } from 'react';

interface ResizerProps {
  readonly label: string;
  readonly width: number;
  readonly least: number;
  readonly most: number;
  readonly onResize: (width: number) => void;
  /** The side of the column where the edge is. */
  readonly edge: 'left' | 'right';
}

const step = 16;

/** A column's edge: resized by dragging, or with the arrow keys. */
export function Resizer({ label, width, least, most, onResize, edge }: ResizerProps) {
  const start = useRef({ x: 0, width: 0 });
  const grow = edge === 'right' ? 1 : -1;
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={least}
      aria-valuemax={most}
      tabIndex={0}
      className={`absolute inset-y-0 z-10 w-2 cursor-col-resize touch-none after:absolute after:inset-y-0 after:left-[3px] after:w-0.5 hover:after:bg-line-strong ${edge === 'right' ? '-right-1' : '-left-1'}`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, width };
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId))
          onResize(start.current.width + (event.clientX - start.current.x) * grow);
      }}
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight') onResize(width + step * grow);
        else if (event.key === 'ArrowLeft') onResize(width - step * grow);
        else return;
        event.preventDefault();
      }}
    />
  );
}
