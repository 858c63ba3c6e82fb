// Parses dates in words, such as "next friday" or "in 2 weeks", to `YYYY-MM-DD`. Never reads the clock.

import { addDays, dateText, daysIn, MONTHS, otherSpelling } from './dates';

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];

/** The day of a text; `null` for anything else. `today` is `YYYY-MM-DD`. */
export function dateOf(text: string, today: string): string | null {
  const typed = text.trim();
  if (/^\d{4}-\d{2}-\d{2}$/.test(typed)) return otherSpelling(typed);
  const other = otherSpelling(typed);
  if (other !== null || !/^\d{4}-\d{2}-\d{2}$/.test(today)) return other;
  const words = typed.toLowerCase().replace(/[,.]/g, ' ').replace(/^(on|at|the)\s+/, '').replace(/\s+/g, ' ').trim();
  return fixed(words, today) ?? inUnits(words, today) ?? weekday(words, today) ?? edgeOf(words, today) ?? dayAndMonth(words, today);
}

function fixed(words: string, today: string): string | null {
  const days = { today: 0, tomorrow: 1, yesterday: -1, 'day after tomorrow': 2, 'day before yesterday': -2 }[words];
  return days === undefined ? null : addDays(today, days);
}

/** "in 2 weeks", "3 days ago", "next month", "a year from now" */
function inUnits(words: string, today: string): string | null {
  const around = /^(next|last) (week|month|year)$/.exec(words);
  if (around) return moved(today, around[1] === 'next' ? 1 : -1, around[2] ?? '');
  const ahead = /^(?:in )?(\w+) (day|week|month|year)s?(?: from (?:now|today))?$/.exec(words);
  const ago = /^(\w+) (day|week|month|year)s? ago$/.exec(words);
  const found = ago ?? (ahead && /^in | from /.test(words) ? ahead : null);
  if (!found) return null;
  const number = numberOf(found[1] ?? '');
  return number === null ? null : moved(today, ago ? -number : number, found[2] ?? '');
}

/** "friday" is the next one, "next friday" that of next week. */
function weekday(words: string, today: string): string | null {
  const found = /^(?:(this|next|last) )?([a-z]{3,9})$/.exec(words);
  const at = found ? DAYS.findIndex((day) => day.startsWith(found[2] ?? '')) : -1;
  if (!found || at < 0) return null;
  const now = weekdayOf(today);
  if (found[1] === 'next') return addDays(today, 7 - now + at);
  const ahead = (at - now + 6) % 7 + 1;
  return addDays(today, found[1] === 'last' ? (ahead === 7 ? -7 : ahead - 7) : ahead);
}

/** "end of month", "start of next year" */
function edgeOf(words: string, today: string): string | null {
  const found = /^(start|beginning|end) of (?:the |this )?(next |last )?(week|month|year)$/.exec(words);
  if (!found) return null;
  const unit = found[3] ?? '';
  const step = found[2] === undefined ? 0 : found[2] === 'next ' ? 1 : -1;
  const end = found[1] === 'end';
  if (unit === 'week') return addDays(today, 7 * step - weekdayOf(today) + (end ? 6 : 0));
  const { year, month } = parts(moved(`${today.slice(0, 8)}01`, step, unit));
  if (unit === 'year') return end ? dateText(year, 12, 31) : dateText(year, 1, 1);
  return dateText(year, month, end ? daysIn(year, month) : 1);
}

/** "1 december", "dec 1st": in the year that makes it nearest to today. */
function dayAndMonth(words: string, today: string): string | null {
  const found = /^(\d{1,2})(?:st|nd|rd|th)?(?: of)? ([a-z]{3,9})(?: (\d{4}))?$/.exec(words);
  const turned = /^([a-z]{3,9}) (\d{1,2})(?:st|nd|rd|th)?(?: (\d{4}))?$/.exec(words);
  const [day, name, given] = found ? [found[1], found[2], found[3]] : [turned?.[2], turned?.[1], turned?.[3]];
  const month = name === undefined ? 0 : MONTHS.findIndex((own) => own.toLowerCase().startsWith(name)) + 1;
  if (month === 0) return null;
  const { year } = parts(today);
  const years = given === undefined ? [year - 1, year, year + 1] : [Number(given)];
  const dates = years.filter((year) => Number(day) >= 1 && Number(day) <= daysIn(year, month)).map((year) => dateText(year, month, Number(day)));
  const away = (date: string) => Math.abs(Date.parse(date) - Date.parse(today));
  return dates.toSorted((a, b) => away(a) - away(b))[0] ?? null;
}

/** Moves a date; a day missing in the target month becomes its last. */
export function moved(date: string, by: number, unit: string): string {
  if (unit === 'day') return addDays(date, by);
  if (unit === 'week') return addDays(date, 7 * by);
  const { year, month, day } = parts(date);
  const months = year * 12 + month - 1 + by * (unit === 'year' ? 12 : 1);
  const [toYear, toMonth] = [Math.floor(months / 12), (months % 12) + 1];
  return dateText(toYear, toMonth, Math.min(day, daysIn(toYear, toMonth)));
}

/** Monday is 0. */
export function weekdayOf(date: string): number {
  return (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;
}

export function parts(date: string): { year: number; month: number; day: number } {
  return { year: Number(date.slice(0, 4)), month: Number(date.slice(5, 7)), day: Number(date.slice(8, 10)) };
}

function numberOf(word: string): number | null {
  if (/^\d{1,4}$/.test(word)) return Number(word);
  if (word === 'a' || word === 'an') return 1;
  const at = NUMBERS.indexOf(word);
  return at < 0 ? null : at;
}
