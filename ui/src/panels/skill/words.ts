// Formats values of a panel. Pure.

import type { JsonValue, PanelFormat } from '../../ipc';
import { amountsOf, moneyText, numberText, percentText } from '../../shared/amount';
import { decimal } from '../../shared/decimal';
import { textOf } from './answer';
import { byName } from '../../shared/natural';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const DAY = 86_400_000;

/** "Tue 24 Nov" within a week from today, else "8 Dec", with the year if distant. `today`: YYYY-MM-DD. */
export function dateText(value: string, today: string): string {
  const days = daysBetween(today, value) ?? NaN;
  return dayOf(value, today, days > 0 && days < 7);
}

/** "Tue 24 Nov" for a column of dates: also for past days, as long as no year is needed. */
export function weekdayText(value: string, today: string): string {
  return dayOf(value, today, true);
}

function dayOf(value: string, today: string, weekday: boolean): string {
  const days = daysBetween(today, value);
  if (days === null) return monthText(value);
  if (days === 0) return 'today';
  const date = new Date(`${value.slice(0, 10)}T00:00:00Z`);
  const day = `${date.getUTCDate()} ${months[date.getUTCMonth()]}`;
  if (Math.abs(days) > 330) return `${day} ${date.getUTCFullYear()}`;
  return weekday ? `${weekdays[date.getUTCDay()]} ${day}` : day;
}

/** "17:35" for a time of today, else "2 days old". */
export function ageText(value: string, today: string): string {
  const local = value.includes('T') ? localParts(value) : { day: value, time: '' };
  const days = daysBetween(local.day, today);
  if (days === null) return value;
  if (days <= 0) return local.time === '' ? 'today' : local.time;
  return days === 1 ? '1 day old' : `${days} days old`;
}

/** "November 2026" for `2026-11` */
export function monthText(month: string): string {
  const [, year, number] = /^(\d{4})-(\d{2})$/.exec(month) ?? [];
  const names = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
  return year === undefined ? month : `${names[Number(number) - 1] ?? month} ${year}`;
}

/** A tool's text with amounts in the window's format: "+ 3.50 EUR upcoming" → "+ €3.50 upcoming". */
export function wordsText(words: string): string {
  return words.replace(/(^|[ (])([−-]?\d+(?:\.\d+)?) ([A-Z]{3})\b/g, (_, before: string, amount: string, currency: string) => before + moneyText({ amount, currency }));
}

/** The month `by` months later: `2026-11`, 2 → `2027-01`. */
export function monthAfter(month: string, by: number): string {
  const [year = NaN, number = NaN] = month.split('-').map(Number);
  const count = year * 12 + number - 1 + by;
  if (Number.isNaN(count)) return month;
  return `${String(Math.floor(count / 12)).padStart(4, '0')}-${String((count % 12) + 1).padStart(2, '0')}`;
}

/** A value in its format, as text. */
export function valueText(value: JsonValue | undefined, format: PanelFormat, unit: string, today: string): string {
  if (value === undefined || value === null || value === '') return '';
  switch (format) {
    case 'money':
    case 'gain':
    case 'signed':
      return amountsOf(value, unit)
        .map((amount) => moneyText(amount, format !== 'money'))
        .join(', ');
    case 'number':
      return numberText(textOf(value));
    case 'percent':
    case 'bar':
      return percentOf(textOf(value), false);
    case 'change':
      return percentOf(textOf(value), true);
    case 'date':
      return dateText(textOf(value), today);
    case 'age':
      return ageText(textOf(value), today);
    case 'text':
    case 'note':
    case 'tags':
      return textOf(value);
  }
}

/** Right-aligned formats. */
export function isFigureFormat(format: PanelFormat): boolean {
  return ['number', 'money', 'percent', 'gain', 'signed', 'change'].includes(format);
}

/** The sort key of a column: figures by size, the rest by text. */
export function sortValue(value: JsonValue | undefined, format: PanelFormat): string | number {
  if (!isFigureFormat(format) && format !== 'bar') return textOf(value).toLowerCase();
  const [amount] = amountsOf(value);
  return amount && decimal(amount.amount) ? Number(amount.amount.replace('−', '-')) : -Infinity;
}

/** Natural order with numbers by size; empty text comes last. */
export function byText(a: string, b: string): number {
  if (a === '' || b === '') return Number(a === '') - Number(b === '');
  return byName(a, b);
}

/** "Move A to won" → "Moved A to won": a button's label after it is done. */
export function pastText(label: string): string {
  const [verb = '', ...rest] = label.split(' ');
  return [pastOf(verb), ...rest].join(' ');
}

const irregular: Readonly<Record<string, string>> = {
  Log: 'Logged', Set: 'Set', Put: 'Put', Send: 'Sent', Make: 'Made', Write: 'Wrote', Take: 'Took', Drop: 'Dropped', Tag: 'Tagged', Plan: 'Planned', Get: 'Got', Buy: 'Bought', Sell: 'Sold', Pay: 'Paid',
};

function pastOf(verb: string): string {
  const [, word = verb, rest = ''] = /^(\p{L}+)(.*)$/u.exec(verb) ?? [];
  if (irregular[word]) return irregular[word] + rest;
  if (/ed$/.test(word)) return verb;
  return `${word.endsWith('e') ? `${word}d` : /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ied` : `${word}ed`}${rest}`;
}

/** "lead" → "Lead", `close_date` → "Close date" */
export function titled(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Whole days between two dates; none for an invalid date. */
export function daysBetween(from: string, to: string): number | null {
  const [a, b] = [from, to].map((date) => (/^\d{4}-\d{2}-\d{2}/.test(date) ? Date.parse(`${date.slice(0, 10)}T00:00:00Z`) : NaN));
  const days = ((b ?? NaN) - (a ?? NaN)) / DAY;
  return Number.isNaN(days) ? null : days;
}

function percentOf(value: string, signed: boolean): string {
  return decimal(value) === null ? value : percentText(value, signed);
}

function localParts(at: string): { day: string; time: string } {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return { day: at, time: '' };
  const two = (value: number) => String(value).padStart(2, '0');
  return {
    day: `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`,
    time: `${two(date.getHours())}:${two(date.getMinutes())}`,
  };
}
