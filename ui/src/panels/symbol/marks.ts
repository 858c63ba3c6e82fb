// Places labels of a chart's marks without overlaps. Pure.

/** Approximate width of a letter in the chart's small type, px. */
const LETTER = 6.2;
const APART = 12;

export interface PlacedMark {
  /** `null` without room. */
  readonly label: string | null;
  readonly anchor: 'start' | 'middle' | 'end';
}

/** `marks`: from left to right, `x` in px of `width`. */
export function placedMarks(marks: readonly { readonly x: number; readonly words: string }[], width: number): PlacedMark[] {
  let free = -Infinity;
  return marks.map(({ x, words }): PlacedMark => {
    const size = words.length * LETTER;
    const anchor = x < size / 2 ? 'start' : x > width - size / 2 ? 'end' : 'middle';
    const from = anchor === 'start' ? x : anchor === 'middle' ? x - size / 2 : x - size;
    if (from < free) return { label: null, anchor };
    free = from + size + APART;
    return { label: words, anchor };
  });
}
