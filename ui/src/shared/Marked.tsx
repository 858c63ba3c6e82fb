import type { Range } from './letters';

/** Matching letters are marked by colour, weight and underline; greyed rows only by weight and underline. */
export function Marked({ text, ranges, able = true }: { text: string; ranges: readonly Range[]; able?: boolean }) {
  return parts(text, ranges).map(({ from, part, inside }) =>
    inside ? (
      <mark
        key={from}
        className={`bg-transparent font-bold underline decoration-[1.5px] underline-offset-2 [text-decoration-skip-ink:none] ${able ? 'text-accent' : 'text-fg-2'}`}
      >
        {part}
      </mark>
    ) : (
      part
    ),
  );
}

/** Splits the text at the ranges. */
export function parts(text: string, ranges: readonly Range[]): { from: number; part: string; inside: boolean }[] {
  const all: { from: number; part: string; inside: boolean }[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    if (start > at) all.push({ from: at, part: text.slice(at, start), inside: false });
    all.push({ from: start, part: text.slice(start, end), inside: true });
    at = end;
  }
  if (at < text.length) all.push({ from: at, part: text.slice(at), inside: false });
  return all;
}
