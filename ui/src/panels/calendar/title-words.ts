// Finds a day and times in the title of a new event: "Lunch with Ravi tomorrow 12:30". Pure, without a clock.

import { dateOf } from '../../shared/form/date-words';
import { timeOf } from './time';

export interface TitleWords {
  /** Without the words that were understood. */
  readonly title: string;
  /** The words, as written. */
  readonly words: string;
  /** `YYYY-MM-DD` */
  readonly day: string | null;
  /** `HH:MM` */
  readonly from: string | null;
  readonly to: string | null;
}

/** Most words of a day: "on the 1st of December 2026". */
const MOST = 6;

/** Most code units of a title. */
const LONGEST = 200;

/** Single words that mean a day wherever they stand; "Sun" or "May" may also be a name. */
const DAY = /^(today|tomorrow|(mon|tues|wednes|thurs|fri|satur|sun)day)$/i;
const SHORT_DAY = /^(mon|tue|wed|thu|fri|sat|sun)$/i;

const TIME = String.raw`\d{1,2}(?:[:.]\d{2}|h\d{2}|h)?(?:\s?[ap]m)?`;
/** A number alone is a time only after "at" or in a span: "Room 12" has none. */
const TIMES = new RegExp(String.raw`(?:^|\s)(?:(?:from\s+)(${TIME})\s*(?:-|–|to|until|till)\s*(${TIME})|(${TIME})\s*[-–]\s*(${TIME})|(?:at|@)\s*(${TIME})|(\d{1,2}[:.]\d{2}(?:\s?[ap]m)?|\d{1,2}h\d{2}|\d{1,2}\s?[ap]m|\d{1,2}h))(?=$|[\s,;!])`, 'i');

/** The day and times in a title; `null` if there are none, or nothing else. `today` is `YYYY-MM-DD`. */
export function wordsIn(text: string, today: string): TitleWords | null {
  if (text.length > LONGEST) return null;
  const times = timesIn(text);
  const rest = times === null ? text : `${text.slice(0, times.at)} \n ${text.slice(times.at + times.words.length)}`;
  const day = dayIn(rest, today);
  if (times === null && day === null) return null;
  const title = tidy((day?.rest ?? rest).replace('\n', ' '));
  if (title === '') return null;
  // In their order in the title.
  const words = [day?.words ?? '', times?.words.trim() ?? ''].filter((one) => one !== '').toSorted((a, b) => text.indexOf(a) - text.indexOf(b));
  return { title, words: words.join(' '), day: day?.day ?? null, from: times?.from ?? null, to: times?.to ?? null };
}

function timesIn(text: string): { readonly at: number; readonly words: string; readonly from: string; readonly to: string | null } | null {
  const found = TIMES.exec(text);
  if (!found) return null;
  const [words, a, b, c, d, at, alone] = found;
  const [first, last] = [a ?? c ?? at ?? alone ?? '', b ?? d ?? null];
  const to = last === null ? null : timeOf(last);
  // "2-3 pm": both are in the afternoon.
  const half = /[ap]m$/i.exec(last ?? '')?.[0];
  const from = timeOf(half !== undefined && !/m$/i.test(first) ? `${first} ${half}` : first);
  const plain = c !== undefined && !/[:.hm]/i.test(`${c}${d}`);
  return from === null || (last !== null && to === null) || plain ? null : { at: found.index, words, from, to };
}

/** The longest run of words that is a day; of equally long ones the last. */
function dayIn(text: string, today: string): { readonly day: string; readonly words: string; readonly rest: string } | null {
  const words = [...text.matchAll(/[^\s,;]+/g)];
  for (let length = Math.min(MOST, words.length); length > 0; length -= 1) {
    for (let at = words.length - length; at >= 0; at -= 1) {
      const run = words.slice(at, at + length);
      const [begin, end] = [run[0]?.index ?? 0, (run.at(-1)?.index ?? 0) + (run.at(-1)?.[0].length ?? 0)];
      const written = text.slice(begin, end);
      if (written.includes('\n') || !isDay(written, end === text.trimEnd().length || /^\s*\n\s*$/.test(text.slice(end)))) continue;
      const day = dateOf(written, today);
      if (day !== null) return { day, words: written, rest: `${text.slice(0, begin)} ${text.slice(end)}` };
    }
  }
  return null;
}

/** Whether the words can only mean a day; a short weekday does at the end. */
function isDay(written: string, isLast: boolean): boolean {
  const [word, ...more] = written.split(/\s+/);
  if (more.length === 0) return DAY.test(written) || /^\d{4}-\d{2}-\d{2}$/.test(written) || /^\d{1,2}\.\d{1,2}\.\d{4}$/.test(written) || (isLast && SHORT_DAY.test(written));
  return /\d/.test(written) || /^(on|next|this|in|day|the)$/i.test(word ?? '');
}

function tidy(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/\s+([,;])/g, '$1').replaceAll(/^[\s,;–-]+|[\s,;–-]+$/g, '').replace(/\s+(on|at)$/i, '');
}
