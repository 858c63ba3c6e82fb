// Lays out overlapping events side by side with equal widths, in order of start.

import type { Piece } from './events';

export interface Box extends Piece {
  /** From the left, zero-based. */
  readonly column: number;
  /** Number of columns that share the width. */
  readonly columns: number;
}

/** `least`: the minimum height of an event, in minutes. */
export function sideBySide(pieces: readonly Piece[], least: number): Box[] {
  const sorted = pieces.toSorted((a, b) => a.from - b.from || b.to - a.to);
  const boxes: Box[] = [];
  let group: { readonly piece: Piece; readonly column: number }[] = [];
  /** The end of the last event in each column. */
  let ends: number[] = [];
  const close = () => {
    boxes.push(...group.map(({ piece, column }) => ({ ...piece, column, columns: ends.length })));
    group = [];
    ends = [];
  };
  for (const piece of sorted) {
    // No earlier event reaches it: start a new group.
    if (ends.every((end) => end <= piece.from)) close();
    const free = ends.findIndex((end) => end <= piece.from);
    const column = free < 0 ? ends.length : free;
    ends[column] = Math.max(piece.to, piece.from + least);
    group.push({ piece, column });
  }
  close();
  return boxes;
}
