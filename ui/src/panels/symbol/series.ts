// Data series of the chart. Pure. Closes become numbers here, only for drawing and the average.

import { addDays } from '../../shared/form/dates';
import { decimal } from '../../shared/decimal';
import type { Close, Moved, Quote } from './answers';
import { isSame, type Trade } from './notes';
import type { Range } from './state';

/** Days without a close that count as a gap: more than holidays, and than a thinned series skips. */
const GAP = 14;
const GAPS = 4;

export interface LinePoint {
  /** As of a `Close`. */
  readonly day: string;
  readonly value: number;
  /** The value as loaded or computed, a decimal. */
  readonly text: string;
}

export interface Line {
  readonly symbol: string;
  readonly isAverage: boolean;
  /** Index of its symbol among those compared, which sets the colour. */
  readonly place: number;
  readonly points: readonly LinePoint[];
}

/** A purchase or sale on the symbol's line. */
export interface TradeMark {
  readonly day: string;
  readonly value: number;
  readonly trade: Trade;
}

export interface Chart {
  /** `percent` is since the first day. */
  readonly scale: 'price' | 'percent';
  /** Currency of the prices. */
  readonly currency: string;
  readonly lines: readonly Line[];
  readonly volumes: readonly { readonly day: string; readonly volume: number }[];
  readonly trades: readonly TradeMark[];
  /** Every day with a value, oldest first. */
  readonly days: readonly string[];
  /** The later day to which the last close is extended. */
  readonly carriedTo: string | null;
  /** The average is requested, but impossible without every day. */
  readonly averageMissing: boolean;
  /** Trading days in the average. */
  readonly averageDays: number;
  /** Where the closes or prices are from. */
  readonly source: string | null;
  /** The zone of its times; `null` in a chart of days. */
  readonly zone: string | null;
}

interface ChartOf {
  readonly quote: Quote;
  /** Of the symbol and those compared with it; if empty, the price is shown. */
  readonly moved: readonly Moved[];
  readonly range: Range;
  readonly average: boolean;
  readonly averageDays: number;
  readonly trades: readonly Trade[];
  /** `YYYY-MM-DD` */
  readonly today: string;
}

/** One symbol in its price, several in percent of their first close. Within a day there is only the price. */
export function chartOf(of: ChartOf): Chart {
  return of.range === '1d' ? withinADay(of) : chartOfDays(of);
}

function withinADay({ quote: { symbol, currency, intraday }, averageDays }: ChartOf): Chart {
  const prices = intraday?.prices ?? [];
  return {
    scale: 'price',
    currency,
    lines: [{ symbol, isAverage: false, place: 0, points: prices.map(({ day, close }) => ({ day, value: Number(close), text: close })) }],
    volumes: prices.flatMap(({ day, volume }) => (volume === null ? [] : [{ day, volume }])),
    // Their notes have no time.
    trades: [],
    days: prices.map(({ day }) => day),
    carriedTo: null,
    averageMissing: false,
    averageDays,
    source: intraday?.source ?? null,
    zone: intraday?.zone ?? '',
  };
}

function chartOfDays({ quote, moved, range, average, averageDays, trades, today }: ChartOf): Chart {
  const shown = inRange(quote.closes, range);
  const own = moved.find(({ symbol }) => isSame(symbol, quote.symbol))?.points;
  const from = own ? (own[0]?.day ?? '') : (shown[0]?.day ?? '');
  const base = own ? baseOf(quote.closes, from) : null;
  const main: readonly LinePoint[] = own
    ? own.map(({ day, change }) => ({ day, value: Number(change), text: change }))
    : shown.map(({ day, close }) => ({ day, value: Number(close), text: close }));
  const compared = moved.filter(({ symbol }) => own && !isSame(symbol, quote.symbol)).map((one, at): Line => ({
    symbol: one.symbol,
    isAverage: false,
    place: at + 1,
    points: one.points.map(({ day, change }) => ({ day, value: Number(change), text: change })),
  }));
  const to = main.at(-1)?.day ?? '';
  const averaged = average && isDaily(quote.closes) && (!own || base !== null) ? averageOf(quote.closes, averageDays).filter(({ day }) => day >= from && day <= to) : [];
  const inScale = base === null ? averaged : averaged.map(({ day, value }) => pointOf(day, (value / base - 1) * 100, 1));
  const lines: Line[] = [
    { symbol: quote.symbol, isAverage: false, place: 0, points: main },
    ...compared,
    ...(inScale.length > 0 ? [{ symbol: quote.symbol, isAverage: true, place: 0, points: inScale }] : []),
  ];
  return {
    scale: own ? 'percent' : 'price',
    currency: quote.currency,
    lines,
    volumes: quote.closes.flatMap(({ day, volume }) => (volume !== null && day >= from && day <= to ? [{ day, volume }] : [])),
    trades: marksOf(trades, main),
    days: [...new Set(lines.flatMap(({ points }) => points.map(({ day }) => day)))].toSorted(),
    averageMissing: average && !isDaily(quote.closes),
    averageDays,
    carriedTo: quote.isClose && to !== '' && to < today ? today : null,
    source: quote.closesSource,
    zone: null,
  };
}

const back: Readonly<Record<Range, number>> = { '1d': 0, '1m': 31, '6m': 183, '1y': 366, '5y': 1827, all: Infinity };

/** The closes of a range that ends with the last one. */
export function inRange(closes: readonly Close[], range: Range): readonly Close[] {
  const last = closes.at(-1)?.day;
  if (last === undefined || range === 'all') return closes;
  const from = addDays(last, -back[range]);
  return closes.filter(({ day }) => day >= from);
}

/** The mean of the last `days` closes, from the first day with enough; two more decimals than its closes. */
export function averageOf(closes: readonly Close[], days: number): LinePoint[] {
  const places = Math.min(6, Math.max(2, ...closes.map(({ close }) => decimal(close)?.scale ?? 0)));
  const points: LinePoint[] = [];
  let sum = 0;
  closes.forEach(({ day, close }, at) => {
    sum += Number(close) - (at >= days ? Number(closes[at - days]?.close) : 0);
    if (at >= days - 1) points.push(pointOf(day, sum / days, places));
  });
  return points;
}

/** The decimals, up to six, that tell evenly spaced ticks apart. */
export function placesOf([first = 0, second = 1]: readonly number[]): number {
  const step = Math.abs(second - first);
  return [0, 1, 2, 3, 4, 5].find((places) => Math.abs(Number(step.toFixed(places)) - step) < step * 1e-6) ?? 6;
}

/** Days from one point in time to another; the fraction of a day between times. */
export function between(from: string, to: string): number {
  const [start, end] = [from, to].map((day) => Date.parse(day.includes('T') ? `${day}Z` : day));
  return ((end ?? NaN) - (start ?? NaN)) / 86_400_000;
}

/** Whether every trading day exists; a long series is thinned. */
export function isDaily(closes: readonly Close[]): boolean {
  return spacingOf(closes) < 2;
}

/** Days between points: the median, which weekends and a single gap do not affect. */
function spacingOf(points: readonly { readonly day: string }[]): number {
  const spaces = points.slice(1).map(({ day }, at) => between(points[at]?.day ?? day, day));
  return spaces.toSorted((a, b) => a - b)[Math.floor(spaces.length / 2)] ?? 0;
}

const gapOf = (points: readonly { readonly day: string }[]) => Math.max(GAP, GAPS * spacingOf(points));

function pointOf(day: string, value: number, places: number): LinePoint {
  return { day, value, text: value.toFixed(places) };
}

/** The reference close for percentages: that of the first day, or the last one before it. */
function baseOf(closes: readonly Close[], from: string): number | null {
  const close = Number(closes.findLast(({ day }) => day <= from)?.close);
  return Number.isFinite(close) && close > 0 ? close : null;
}

/** Placed on the line, because a later split may have divided the prices. */
function marksOf(trades: readonly Trade[], main: readonly LinePoint[]): TradeMark[] {
  const [first, last] = [main[0], main.at(-1)];
  if (!first || !last) return [];
  return trades
    .filter(({ kind, day }) => (kind === 'buy' || kind === 'sell') && day >= first.day && day <= last.day)
    .map((trade) => ({ day: trade.day, value: (main.findLast(({ day }) => day <= trade.day) ?? first).value, trade }))
    .toSorted((a, b) => (a.day < b.day ? -1 : 1));
}

/** Contiguous pieces of a line: holidays are bridged, a longer gap splits it. */
export function piecesOf(points: readonly LinePoint[]): LinePoint[][] {
  const pieces: LinePoint[][] = [];
  const gap = gapOf(points);
  for (const point of points) {
    const piece = pieces.at(-1);
    const before = piece?.at(-1);
    if (piece && before && between(before.day, point.day) <= gap) piece.push(point);
    else pieces.push([point]);
  }
  return pieces;
}

const names = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * Labelled first days of months, or of years if there are many; within a month, every seventh day; within a day,
 * times. At most `most`.
 */
export function timeMarks(from: string, to: string, most: number): { readonly day: string; readonly label: string }[] {
  if (from.includes('T')) return hourMarks(from, to, most);
  const span = between(from, to);
  if (!(span >= 1) || most < 1) return [];
  if (span <= 45) {
    const every = 7 * Math.max(1, Math.ceil(span / 7 / most));
    return Array.from({ length: Math.floor(span / every) }, (_, at) => addDays(from, (at + 1) * every)).map((day) => ({ day, label: `${Number(day.slice(8))} ${names[Number(day.slice(5, 7)) - 1] ?? ''}` }));
  }
  const [first, last] = [monthsOf(from) + 1, monthsOf(to)];
  const rough = (last - first + 1) / most;
  const step = [1, 2, 3, 6, 12, 24, 60, 120, 240].find((months) => months >= rough) ?? 480;
  const marks: { day: string; label: string }[] = [];
  for (let month = Math.ceil(first / step) * step; month <= last; month += step) {
    const year = String(Math.floor(month / 12)).padStart(4, '0');
    marks.push({ day: `${year}-${String((month % 12) + 1).padStart(2, '0')}-01`, label: step >= 12 || (month % 12 === 0 && span > 400) ? year : (names[month % 12] ?? '') });
  }
  return marks;
}

/** Minutes between labels. */
const steps = [5, 10, 15, 30, 60, 120, 180, 240, 360];

/** Times of one day. */
function hourMarks(from: string, to: string, most: number): { readonly day: string; readonly label: string }[] {
  const [first, last] = [minutesOf(from), minutesOf(to)];
  const step = steps.find((minutes) => (last - first) / minutes < most);
  const marks: { day: string; label: string }[] = [];
  for (let at = Math.ceil(first / (step ?? 1)) * (step ?? 1); step !== undefined && at <= last; at += step) {
    const label = `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;
    marks.push({ day: `${from.slice(0, 10)}T${label}:00`, label });
  }
  return marks;
}

const minutesOf = (time: string) => Number(time.slice(11, 13)) * 60 + Number(time.slice(14, 16));
const monthsOf = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;

/** A line's value on a day, or the last one within a bridged gap. */
export function valueOn({ points }: Line, day: string): LinePoint | null {
  const point = points.findLast((one) => one.day <= day);
  return point && between(point.day, day) <= gapOf(points) ? point : null;
}

/** The one of sorted days that is nearest to so many days after the first. */
export function nearestDay(days: readonly string[], after: number): string | null {
  const [first = ''] = days;
  const at = days.findIndex((day) => between(first, day) >= after);
  const [next, before] = [days[at], days[at < 0 ? days.length - 1 : at - 1]];
  if (next === undefined || before === undefined) return next ?? before ?? null;
  return between(first, next) - after <= after - between(first, before) ? next : before;
}
