// Chart layout. Pure. Amounts become numbers here, only for drawing.

import type { ChartPart, JsonValue } from '../../ipc';
import { amountsOf } from '../../shared/amount';
import { fieldOf, fits, rowsAt, textOf, type Placed } from './answer';
import { daysBetween } from './words';

export interface Point {
  readonly placed: Placed;
  readonly x: string;
  /** By series; null if unknown. */
  readonly values: readonly (number | null)[];
  readonly dashed: boolean;
  readonly mark: number | null;
}

export function pointsOf(part: ChartPart, value: JsonValue | null): Point[] {
  const placed = rowsAt(value, part.rows).filter(({ row }) => fits(row, part.when));
  const points = placed.map((placed) => ({
    placed,
    x: textOf(fieldOf(placed.row, part.x)),
    values: part.series.map(({ field }) => sizeOf(fieldOf(placed.row, field))),
    dashed: part.dashed !== null && fieldOf(placed.row, part.dashed) === true,
    mark: part.mark === null ? null : sizeOf(fieldOf(placed.row, part.mark)),
  }));
  return part.shape === 'progress' ? byShare(points) : points;
}

/** Points with a limit, the fullest first. */
function byShare(points: readonly Point[]): Point[] {
  return points.filter(({ mark }) => mark !== null).toSorted((a, b) => shareOf(b) - shareOf(a));
}

/** A point's share of its limit; 1 is all of it. */
export function shareOf({ values: [value], mark }: Point): number {
  if (mark === null || value == null) return 0;
  return mark > 0 ? value / mark : value > 0 ? Infinity : 0;
}

/** Points that exceed or nearly reach their limit. */
export function nearMark(points: readonly Point[]): Point[] {
  return points.filter((point) => shareOf(point) >= NEAR);
}

/** The share of a limit that counts as nearly reached. */
const NEAR = 0.98;

/** A decimal as a number; null for several currencies. */
function sizeOf(value: JsonValue | undefined): number | null {
  const amounts = amountsOf(value);
  const size = amounts.length === 1 ? Number(amounts[0]?.amount.replace('−', '-')) : NaN;
  return Number.isFinite(size) ? size : null;
}

/** Four or five round ticks that cover all values. */
export function ticksOf(values: readonly number[], fromZero: boolean): number[] {
  const low = Math.min(...values, ...(fromZero ? [0] : []));
  const high = Math.max(...values, ...(fromZero ? [0] : []));
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const span = high - low || Math.abs(high) || 1;
  const rough = span / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 4, 5, 10].map((by) => by * power).find((by) => by >= rough * 0.999) ?? rough;
  const first = Math.floor(low / step + 1e-9) * step;
  const ticks: number[] = [];
  for (let tick = first; ticks.length < 12; tick += step) {
    ticks.push(Number(tick.toPrecision(12)));
    if (tick >= high - step * 1e-9) break;
  }
  return ticks;
}

/** Ticks of a logarithmic scale that cover all values, which are above zero: 1, 2 and 5 of each power of ten, or those of a linear scale in a narrow range. */
export function logTicksOf(values: readonly number[]): number[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (!Number.isFinite(low) || high / low < 2.5) return ticksOf(values, false);
  const lowest = Math.floor(Math.log10(low));
  const powers = Array.from({ length: Math.ceil(Math.log10(high)) - lowest + 1 }, (_, at) => lowest + at);
  const ticks = powers.flatMap((power) => [1, 2, 5].map((by) => Number((by * 10 ** power).toPrecision(12))));
  const [first = low, last = high] = [ticks.findLast((tick) => tick <= low), ticks.find((tick) => tick >= high)];
  return ticks.filter((tick) => tick >= first && tick <= last);
}

export interface Stretch {
  /** Indexes of its points. */
  readonly from: number;
  readonly to: number;
  readonly dashed: boolean;
}

/** Contiguous pieces of a line, split at missing values. */
export function stretchesOf(points: readonly Point[], series: number): Stretch[] {
  const found: Stretch[] = [];
  for (let place = 1; place < points.length; place += 1) {
    const [before, now] = [points[place - 1], points[place]];
    if (before?.values[series] == null || now?.values[series] == null) continue;
    const last = found.at(-1);
    if (last && last.to === place - 1 && last.dashed === now.dashed) found[found.length - 1] = { ...last, to: place };
    else found.push({ from: place - 1, to: place, dashed: now.dashed });
  }
  return found;
}

/** Selectable time spans, in days. */
export const spans = [
  { value: '1m', label: '1 m', days: 31 },
  { value: '6m', label: '6 m', days: 183 },
  { value: '1y', label: '1 y', days: 366 },
  { value: 'all', label: 'all', days: Infinity },
] as const;

export type Span = (typeof spans)[number]['value'];

/** The days from the first to the last point; none unless `x` is a date. */
export function daysOf(points: readonly Point[]): number | null {
  const [first, last] = [points[0], points.at(-1)];
  return first && last ? daysBetween(first.x, last.x) : null;
}

/** The points of the last `days` days. */
export function lately(points: readonly Point[], days: number): readonly Point[] {
  const end = points.at(-1)?.x ?? '';
  return points.filter(({ x }) => (daysBetween(x, end) ?? 0) <= days);
}

/**
 * Indexes of points that begin a month, with its name, at least `apart` apart. A partial first month gives
 * way to the first whole one.
 */
export function monthMarks(points: readonly Point[], apart = 1): { readonly at: number; readonly label: string }[] {
  const names = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
  const marks = points.flatMap(({ x }, at) => {
    const month = x.slice(0, 7);
    const before = points[at - 1]?.x.slice(0, 7);
    return month !== before ? [{ at, label: `${names[Number(x.slice(5, 7)) - 1] ?? x}${x.slice(5, 7) === '01' && points.length > 300 ? ` ${x.slice(0, 4)}` : ''}` }] : [];
  });
  const whole = (marks[1]?.at ?? Infinity) - (marks[0]?.at ?? 0) >= apart ? marks : marks.slice(1);
  const gaps = whole.slice(1).map(({ at }, place) => at - (whole[place]?.at ?? 0));
  const every = Math.max(Math.ceil(whole.length / 8), Math.ceil(apart / Math.max(1, Math.min(...gaps))));
  return whole.filter((_, place) => place % every === 0);
}
