// Layout of the back-test's chart. Pure; decimals become numbers here, only for drawing.

import { numberText, percentText } from '../../shared/amount';
import { revealed } from '../../shared/invisible';
import { ticksOf } from '../skill/chart';
import { daysBetween } from '../skill/words';
import { whenText, wholeDay } from '../symbol/words';
import type { BackTest, CurvePoint } from './backtest';

/** px */
const TOP = 10;
const EQUITY = 138;
/** Room for the caption of the drawdown. */
const BETWEEN = 30;
const FALL = 44;
const YEARS = 22;
const RIGHT = 46;
export const HEIGHT = TOP + EQUITY + BETWEEN + FALL + YEARS;

/** Coordinates of value and drawdown over one time axis. */
export interface Plot {
  readonly width: number;
  readonly first: string;
  readonly last: string;
  readonly span: number;
  readonly ticks: readonly number[];
  /** Scale of the drawdown: zero and the lowest mark, percent. */
  readonly falls: readonly [number, number];
  readonly fallTop: number;
  readonly floor: number;
  x(day: string): number;
  y(value: number): number;
  fall(percent: number): number;
}

export function plotOf(curve: readonly CurvePoint[], whole: number): Plot {
  const [first = '', last = ''] = [curve[0]?.day, curve.at(-1)?.day];
  const span = Math.max(1, daysBetween(first, last) ?? 1);
  const width = Math.max(40, whole - RIGHT);
  const ticks = ticksOf(curve.flatMap(({ value, benchmark }) => [value, benchmark].flatMap(sizeOf)), false);
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const deepest = Math.min(-1, ...curve.flatMap(({ fall, benchmarkFall }) => [fall, benchmarkFall].flatMap(sizeOf)));
  const floorOf = Math.floor(deepest / 5) * 5;
  const fallTop = TOP + EQUITY + BETWEEN;
  return {
    width,
    first,
    last,
    span,
    ticks,
    falls: [0, floorOf],
    fallTop,
    floor: fallTop + FALL,
    x: (day) => ((daysBetween(first, day) ?? 0) / span) * (width - 4),
    y: (value) => TOP + EQUITY - ((value - low) / (high - low || 1)) * EQUITY,
    fall: (percent) => fallTop + (percent / floorOf) * FALL,
  };
}

type Series = 'value' | 'benchmark' | 'fall' | 'benchmarkFall';

/** Splits a line at missing values. */
export function piecesOf(curve: readonly CurvePoint[], series: Series): { readonly day: string; readonly value: number }[][] {
  const pieces: { day: string; value: number }[][] = [[]];
  for (const point of curve) {
    const [value] = sizeOf(point[series]);
    if (value === undefined) pieces.push([]);
    else pieces.at(-1)?.push({ day: point.day, value });
  }
  return pieces.filter(({ length }) => length > 0);
}

function sizeOf(text: string | null): number[] {
  const size = text === null ? NaN : Number(text.replace('−', '-'));
  return Number.isFinite(size) ? [size] : [];
}

/** "Fri 20 Nov: 27,540 EUR, Europe mid caps 21,020, fall −3.2 %, benchmark −1.0 %" */
export function dayReading({ curve, currency, benchmark: compared }: BackTest, day: string, today: string): string {
  const point = curve.find((one) => one.day === day);
  if (!point) return '';
  const benchmark = point.benchmark === null ? '' : `, ${revealed(compared) || 'benchmark'} ${numberText(point.benchmark)}`;
  const other = point.benchmarkFall === null ? '' : `, benchmark ${percentText(point.benchmarkFall)}`;
  return `${whenText(day, today)}: ${numberText(point.value)} ${revealed(currency)}${benchmark}, fall ${percentText(point.fall)}${other}`;
}

/** The chart's label for screen readers: range, first and last value, deepest fall. */
export function spokenCurve({ curve, currency, benchmark: compared, deepestFall, deepestFallFrom, deepestFallTo }: BackTest, subject: string): string {
  const [first, last] = [curve[0], curve.at(-1)];
  if (!first || !last) return 'No values';
  const benchmark = last.benchmark === null ? '' : `; ${revealed(compared) || 'benchmark'}: ${numberText(last.benchmark)} at the end`;
  const when = deepestFallFrom === null || deepestFallTo === null ? '' : `, from ${wholeDay(deepestFallFrom)} to ${wholeDay(deepestFallTo)}`;
  const fall = deepestFall === null ? '' : `. Deepest fall ${percentText(deepestFall)}${when}`;
  return `Value in ${revealed(currency)}, from ${wholeDay(first.day)} to ${wholeDay(last.day)}. ${subject}: ${numberText(first.value)} at the start, ${numberText(last.value)} at the end${benchmark}${fall}`;
}
