// Events that overlap stand side by side and share the width, in order of their start.

import type { Piece } from './events';

export interface Box extends Piece {
  /** From the left, from 0. */
  readonly column: number;
  /** How many share the width where it stands. */
  readonly columns: number;
}

/** `least`: minutes that even the shortest one takes up on the page. */
export function sideBySide(pieces: readonly Piece[], least: number): Box[] {
  const sorted = pieces.toSorted((a, b) => a.from - b.from || b.to - a.to);
  const boxes: Box[] = [];
  let group: { readonly piece: Piece; readonly column: number }[] = [];
  /** Where the last one of each column ends. */
  let ends: number[] = [];
  const close = () => {
    boxes.push(...group.map(({ piece, column }) => ({ ...piece, column, columns: ends.length })));
    group = [];
    ends = [];
  };
  for (const piece of sorted) {
    // Nothing that stands there reaches it: a new group begins.
    if (ends.every((end) => end <= piece.from)) close();
    const free = ends.findIndex((end) => end <= piece.from);
    const column = free < 0 ? ends.length : free;
    ends[column] = Math.max(piece.to, piece.from + least);
    group.push({ piece, column });
  }
  close();
  return boxes;
}
