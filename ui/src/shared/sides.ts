// Two versions of a text, reduced to their differences.

export interface Side {
  /** Line number in its own text, 1-based. */
  readonly number: number;
  readonly text: string;
  readonly differs: boolean;
}

export interface Difference {
  readonly left: readonly Side[];
  readonly right: readonly Side[];
}

/** The differences, each with at most one equal line around it. */
export function differences(left: string, right: string): Difference[] {
  const a = lines(left);
  const b = lines(right);
  const same = matches(a, b);
  const places: Difference[] = [];
  let i = 0;
  let j = 0;
  for (const [nextI, nextJ] of [...same, [a.length, b.length] as const]) {
    if (nextI > i || nextJ > j) {
      places.push({
        left: [...around(a, i - 1), ...side(a, i, nextI), ...around(a, nextI)],
        right: [...around(b, j - 1), ...side(b, j, nextJ), ...around(b, nextJ)],
      });
    }
    i = nextI + 1;
    j = nextJ + 1;
  }
  return places;
}

function lines(text: string): string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}

function side(all: string[], from: number, to: number): Side[] {
  return all.slice(from, to).map((text, index) => ({ number: from + index + 1, text, differs: true }));
}

function around(all: string[], at: number): Side[] {
  const text = all[at];
  return text === undefined ? [] : [{ number: at + 1, text, differs: false }];
}

/** A longest common subsequence of lines. Long notes only match at both ends. */
function matches(a: string[], b: string[]): (readonly [number, number])[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;

  const pairs: (readonly [number, number])[] = Array.from({ length: head }, (_, index) => [index, index] as const);
  const n = a.length - head - tail;
  const m = b.length - head - tail;
  if (n * m <= 1_000_000) {
    const longest = Array.from({ length: n + 1 }, () => new Uint32Array(m + 1));
    const at = (i: number, j: number) => longest[i]?.[j] ?? 0;
    for (let i = n - 1; i >= 0; i -= 1) {
      const row = longest[i];
      for (let j = m - 1; j >= 0; j -= 1) {
        if (row) row[j] = a[head + i] === b[head + j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
      }
    }
    let i = 0;
    let j = 0;
    while (i < n && j < m) {
      if (a[head + i] === b[head + j]) {
        pairs.push([head + i, head + j]);
        i += 1;
        j += 1;
      } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
      else j += 1;
    }
  }
  for (let k = tail; k > 0; k -= 1) pairs.push([a.length - k, b.length - k]);
  return pairs;
}
