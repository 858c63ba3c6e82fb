// Texts of the symbol panel. Pure.

import type { SourceView } from '../../ipc';
import { numberText, percentText } from '../../shared/amount';
import { decimal } from '../../shared/decimal';
import { dayText, clockTime } from '../../shared/format';
import { revealed } from '../../shared/invisible';
import type { Candidate, KeyFigure, Quote } from './answers';
import type { Trade } from './notes';
import { valueOn, type Chart, type Line, type LinePoint } from './series';

/** "Fri 20 Nov", "20 Nov 2025" in another year; "17:35" for a time of today. `today`: YYYY-MM-DD. */
export function whenText(at: string, today: string): string {
  const now = new Date(`${today}T12:00:00`);
  if (!at.includes('T')) return /^\d{4}-\d{2}-\d{2}$/.test(at) ? dayText(new Date(`${at}T12:00:00`), now) : at;
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  return date.toDateString() === now.toDateString() ? clockTime(at) : dayText(date, now);
}

/** "20 Nov", "20 Nov 2025" in another year. */
export function shortDay(at: string, today: string): string {
  return whenText(at, today).replace(/^[A-Z][a-z]{2} (?=\d)/, '');
}

/** "24 Nov 2025": always with the year. */
export function wholeDay(day: string): string {
  const date = new Date(`${day}T12:00:00`);
  return Number.isNaN(date.getTime()) ? day : dayText(date, new Date('0001-01-01T12:00:00'));
}

/** "No fresh price: last close of Fri 20 Nov, 42.18 EUR, source Stooq." without its first two words. */
export function lastCloseText({ at, price, currency, source }: Quote, today: string): string {
  return `last close of ${whenText(at, today)}, ${numberText(price)} ${currency}${source === '' ? '' : `, source ${source}`}.`;
}

/** "You bought 100 at 34.70" */
export function tradeText({ kind, quantity, price }: Trade): string {
  const amount = quantity === null ? '' : ` ${numberText(quantity)}`;
  const at = price === null ? '' : ` at ${numberText(price)}`;
  return `You ${kind === 'sell' ? 'sold' : 'bought'}${amount}${at}`;
}

/** A trade's kind in a list, and its details: "Bought" "200 at 29.90", "Dividend" ", 300 × 0.80". */
export function tradeParts({ kind, quantity, price }: Trade): { readonly word: string; readonly rest: string } {
  const [of, at] = [quantity === null ? '' : numberText(quantity), price === null ? '' : numberText(price)];
  switch (kind) {
    case 'buy':
      return { word: 'Bought', rest: [` ${of}`, at && `at ${at}`].filter(Boolean).join(' ') };
    case 'sell':
      return { word: 'Sold', rest: [` ${of}`, at && `at ${at}`].filter(Boolean).join(' ') };
    case 'dividend':
      return { word: 'Dividend', rest: of && at ? `, ${of} × ${at}` : '' };
    case 'split':
      return { word: 'Split', rest: quantity === null ? '' : `, ${quantity}` };
    default:
      return { word: kind.charAt(0).toUpperCase() + kind.slice(1), rest: '' };
  }
}

const sizes = [
  [12, 'tn'],
  [9, 'bn'],
  [6, 'm'],
] as const;

/** "1.92 bn EUR", "3.70 EUR", "17.8 %", "11.4". Long amounts are shortened for tables. */
export function figureText({ value, unit }: Pick<KeyFigure, 'value' | 'unit'>): string {
  if (value === null) return 'unknown';
  if (unit === 'percent' || unit === '%') return decimal(value) ? percentText(value) : value;
  if (unit === 'ratio' || unit === '') return numberText(value);
  return `${largeText(value)} ${unit}`;
}

/** Four digits of amounts from a million on: "1148000000" → "1.148 bn". */
function largeText(value: string): string {
  const known = decimal(value);
  if (!known) return value;
  const size = known.digits < 0n ? -known.digits : known.digits;
  const whole = size / 10n ** BigInt(known.scale);
  const found = sizes.find(([power]) => whole >= 10n ** BigInt(power));
  if (!found) return numberText(value);
  const [power, word] = found;
  const places = Math.max(0, 4 - (String(whole).length - power));
  const unit = 10n ** BigInt(power - places);
  const digits = String((whole + unit / 2n) / unit).padStart(places + 1, '0');
  const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '');
  return `${numberText((known.digits < 0n ? '-' : '') + text)} ${word}`;
}

/** All key figures as lines to paste elsewhere, unrounded, each with source and day. */
export function copiedFigures(symbol: string, figures: readonly KeyFigure[]): string {
  const lines = figures.map(({ name, value, unit, how, day, missing }) => {
    if (value === null) return `${name}: unknown${missing === null ? '' : ` (${missing})`}`;
    const amount = unit === 'percent' || unit === '%' ? percentText(value) : unit === 'ratio' || unit === '' ? value : `${value} ${unit}`;
    return `${name}: ${amount} (${[how, day].filter(Boolean).join(', ')})`;
  });
  return [symbol, ...lines].join('\n');
}

/** "NGTL", "NGTL average" */
export function lineName({ symbol, isAverage }: Line): string {
  return isAverage ? `${revealed(symbol)} average` : revealed(symbol);
}

/** Formats a line's value: "+31.4 %", "42.18". */
export function pointText(chart: Chart, point: LinePoint | null | undefined): string {
  if (!point) return 'no close';
  return chart.scale === 'percent' ? percentText(point.text, true) : numberText(point.text);
}

/** "15:55" of `2026-11-20T15:55:00` */
export function timeText(time: string): string {
  return time.slice(11, 16);
}

/** "New York time" of `America/New_York`, "UTC-05:00" */
function zoneText(zone: string): string {
  return zone.includes('/') ? `${revealed(zone.split('/').at(-1) ?? '').replaceAll('_', ' ')} time` : revealed(zone);
}

/** "Percent since 24 Nov 2025, closes from Stooq", "EUR on Fri 20 Nov until 15:55, New York time, prices from Yahoo" */
export function scaleText(chart: Chart, today: string): string {
  const { scale, currency, source, zone, averageMissing } = chart;
  const [first = '', last = ''] = [chart.days[0], chart.days.at(-1)];
  if (zone !== null) return `${revealed(currency)} on ${whenText(first.slice(0, 10), today)} until ${timeText(last)}, ${zoneText(zone)}${source === null ? '' : `, prices from ${revealed(source)}`}`;
  const from = source === null ? '' : `, closes from ${revealed(source)}`;
  const average = averageMissing ? ', no average: days are missing' : '';
  return `${scale === 'percent' ? 'Percent' : revealed(currency)} since ${wholeDay(first)}${from}${average}`;
}

/** "Fri 20 Nov: NGTL 42.18 EUR, NGTL average 40.02, volume 120,400. You bought 100 at 34.70" */
export function dayReading(chart: Chart, day: string, today: string): string {
  const values = chart.lines.map((line) => {
    const unit = chart.scale === 'price' && !line.isAverage ? ` ${revealed(chart.currency)}` : '';
    const point = valueOn(line, day);
    return `${lineName(line)} ${pointText(chart, point)}${point ? unit : ''}`;
  });
  const volume = chart.volumes.find((one) => one.day === day)?.volume;
  const trades = chart.trades.filter((one) => one.day === day).map(({ trade }) => `. ${tradeText(trade)}`);
  return `${chart.zone === null ? whenText(day, today) : timeText(day)}: ${values.join(', ')}${volume === undefined ? '' : `, volume ${numberText(String(volume))}`}${trades.join('')}`;
}

/** Screen reader text of the chart: its range, and the lowest, highest and last value of each line. */
export function spokenChart(chart: Chart): string {
  const [first, last] = [chart.days[0], chart.days.at(-1)];
  if (first === undefined || last === undefined) return 'No closes';
  const lines = chart.lines.map((line) => {
    const sorted = line.points.toSorted((a, b) => a.value - b.value);
    const name = line.isAverage ? `${lineName(line)} of ${chart.averageDays} days` : lineName(line);
    return `${name}: lowest ${pointText(chart, sorted[0])}, highest ${pointText(chart, sorted.at(-1))}, at the end ${pointText(chart, line.points.at(-1))}`;
  });
  if (chart.zone !== null) return `Prices in ${revealed(chart.currency)} on ${wholeDay(first.slice(0, 10))}, from ${timeText(first)} to ${timeText(last)}, ${zoneText(chart.zone)}. ${lines.join('; ')}`;
  return `${chart.scale === 'percent' ? 'Change in percent' : `Closes in ${revealed(chart.currency)}`}, from ${wholeDay(first)} to ${wholeDay(last)}. ${lines.join('; ')}`;
}

/** "Xetra, EUR": exchange and currency of a match. */
export function placeText({ exchange, currency, kind }: Candidate): string {
  return [exchange, currency, kind].filter((part) => part !== null).join(', ');
}

/** A symbol suggested by an error, and its description. */
export interface Suggestion {
  readonly symbol: string;
  readonly about: string;
}

/** "Did you mean NGTL (Northgate Tooling, XETRA), NGT?" → NGTL and NGT. */
export function suggestionsIn(words: string): Suggestion[] {
  const listed = /Did you mean (.+)\?/.exec(words)?.[1] ?? '';
  return outside(listed).flatMap((part): Suggestion[] => {
    const [, symbol, about = ''] = /^([^\s"“”()]{1,20})(?: \((.*)\))?$/.exec(part.trim()) ?? [];
    return symbol === undefined ? [] : [{ symbol, about }];
  });
}

/** Splits a list at commas outside of brackets. */
function outside(list: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const sign of list) {
    depth += Number(sign === '(') - Number(sign === ')');
    if (sign === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += sign;
  }
  return parts;
}

/** Label of the link to the settings: a missing key, or something else; none if they do not help. */
export function settingsLabel(words: string): string | null {
  if (/\bkey\b/i.test(words)) return 'Add key';
  return /\bSettings\b/.test(words) ? 'Settings' : null;
}

/** "sec.gov, read 14:31": the source and time of an answer. */
export function readText(sources: readonly SourceView[], at: string, today: string): string {
  const hosts = sources.flatMap((source) => (source.kind === 'web' && URL.canParse(source.url) ? [new URL(source.url).host.replace(/^(www|data|api)\./, '')] : []));
  return [...new Set(hosts), `read ${whenText(at, today)}`].join(', ');
}
