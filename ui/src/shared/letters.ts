// Fuzzy matching of a query against names, with the matching ranges.

/** From `start` up to `end`, in the original text. */
export type Range = readonly [start: number, end: number];

/** Best first. `inside`: a substring within a word; `apart`: a subsequence. */
export type Kind = 'prefix' | 'word' | 'inside' | 'apart';

export interface Match {
  readonly kind: Kind;
  /** Letters between the matching ones; fewer is better. */
  readonly gaps: number;
  readonly ranges: readonly Range[];
}

/** `null` without a match. A single letter only matches a word start. */
export function matchName(query: string, name: string): Match | null {
  const wanted = fold(query).letters;
  const text = fold(name);
  if (wanted.length === 0) return null;
  const row = rowOf(wanted, text);
  if (row && row.kind !== 'inside') return row;
  if (wanted.length < 2) return null;
  return row ?? apart(wanted, text);
}

/** Only word starts count in a sentence: it has enough letters to match anything as a subsequence. */
export function matchSentence(query: string, sentence: string): Match | null {
  const wanted = fold(query).letters;
  if (wanted.length < 2) return null;
  const row = rowOf(wanted, fold(sentence));
  return row && row.kind !== 'inside' ? row : null;
}

interface Folded {
  readonly letters: readonly string[];
  /** Range in the original text, by letter. */
  readonly from: readonly Range[];
  /** Whether a word starts here, by letter. */
  readonly begins: readonly boolean[];
}

/** Removes case and accents; a character may become several letters, and `_` becomes `-`. */
function fold(text: string): Folded {
  const letters: string[] = [];
  const from: Range[] = [];
  const begins: boolean[] = [];
  let at = 0;
  let before = ' ';
  for (const sign of text) {
    const begin = isSign(sign) && (!isSign(before) || (isUpper(sign) && !isUpper(before)));
    const folded = sign.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('_', '-');
    [...folded].forEach((letter, index) => {
      letters.push(letter);
      from.push([at, at + sign.length]);
      begins.push(begin && index === 0);
    });
    at += sign.length;
    before = sign;
  }
  return { letters, from, begins };
}

/** The best substring match. */
function rowOf(wanted: readonly string[], text: Folded): Match | null {
  let inside: number | null = null;
  for (let start = 0; start + wanted.length <= text.letters.length; start += 1) {
    if (!wanted.every((letter, index) => text.letters[start + index] === letter)) continue;
    if (start === 0) return found('prefix', text, start, wanted.length);
    if (text.begins[start]) return found('word', text, start, wanted.length);
    inside ??= start;
  }
  return inside === null ? null : found('inside', text, inside, wanted.length);
}

function found(kind: Kind, text: Folded, start: number, length: number): Match {
  return { kind, gaps: 0, ranges: joined(text.from.slice(start, start + length)) };
}

/** A subsequence match: forward to the first end, then back to the nearest letters. */
function apart(wanted: readonly string[], text: Folded): Match | null {
  let next = 0;
  let end = 0;
  while (end < text.letters.length && next < wanted.length) {
    if (text.letters[end] === wanted[next]) next += 1;
    end += 1;
  }
  if (next < wanted.length) return null;
  const places: number[] = [];
  for (let at = end - 1; places.length < wanted.length; at -= 1) {
    if (text.letters[at] === wanted[wanted.length - 1 - places.length]) places.unshift(at);
  }
  const first = places[0] ?? 0;
  return { kind: 'apart', gaps: end - first - wanted.length, ranges: joined(places.flatMap((at) => text.from.slice(at, at + 1))) };
}

function joined(ranges: readonly Range[]): Range[] {
  const all: Range[] = [];
  for (const [start, end] of ranges) {
    const last = all.at(-1);
    if (last && start <= last[1]) all[all.length - 1] = [last[0], Math.max(last[1], end)];
    else all.push([start, end]);
  }
  return all;
}

function isSign(sign: string): boolean {
  return /[\p{L}\p{N}]/u.test(sign);
}

function isUpper(sign: string): boolean {
  return /\p{Lu}/u.test(sign);
}
