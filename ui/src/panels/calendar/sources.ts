// Calendars: their names, marks, and the age of their data.

import type { JsonValue } from '../../ipc';
import { listIn, textIn, type CalendarEvent } from './events';

export type SourceColour = 'c1' | 'c2' | 'c3' | 'c4';

export interface CalendarSource {
  /** As named by the tools. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  readonly letter: string;
  readonly colour: SourceColour;
  readonly readOnly: boolean;
  /** Fetched from an address or a server. */
  readonly remote: boolean;
  /** Time of the fetch, RFC 3339. */
  readonly fetched: string | null;
  /** Why it cannot be shown. */
  readonly problem: { readonly problem: string; readonly remedy: string | null } | null;
}

const colours: readonly SourceColour[] = ['c1', 'c4', 'c3', 'c2'];

/** Minutes after which fetched data counts as outdated. */
const FRESH = 60;

export function sourcesOf(answer: JsonValue | null | undefined): CalendarSource[] {
  return listIn(answer, 'calendars').flatMap((row, place) => {
    const id = textIn(row, 'calendar');
    if (id === null) return [];
    const notes = row['kind'] === 'notes';
    const name = notes ? 'Notes' : id;
    const whole = listIn(row, 'problems').find((problem) => textIn(problem, 'event') === null);
    return [
      {
        id,
        name,
        letter: ([...name][0] ?? '?').toUpperCase(),
        colour: colours[place % colours.length] ?? 'c1',
        readOnly: row['read_only'] === true,
        remote: row['kind'] === 'address' || row['kind'] === 'caldav',
        fetched: textIn(row, 'fetched'),
        problem: whole ? { problem: textIn(whole, 'problem') ?? 'It cannot be read', remedy: textIn(whole, 'remedy') } : null,
      },
    ];
  });
}

/** "12 min old", "never fetched"; empty for a calendar of this machine. `now` in ms. */
export function ageText({ remote, fetched }: CalendarSource, now: number): string {
  const minutes = minutesSince(fetched, now);
  if (!remote) return '';
  if (minutes === null) return 'never fetched';
  if (minutes < 1) return 'just fetched';
  if (minutes < 60) return `${minutes} min old`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h old`;
  const days = Math.floor(minutes / (24 * 60));
  return days === 1 ? '1 day old' : `${days} days old`;
}

export function isOutdated({ remote, fetched }: CalendarSource, now: number): boolean {
  return remote && (minutesSince(fetched, now) ?? FRESH) >= FRESH;
}

/** Whether even the newest remote calendar is older than `most`, ms; `false` without any. */
export function isStale(sources: readonly CalendarSource[], now: number, most: number): boolean {
  const remote = sources.filter((source) => source.remote);
  return remote.length > 0 && remote.every(({ fetched }) => (minutesSince(fetched, now) ?? Infinity) * 60_000 >= most);
}

/** `null` for an unknown time. */
function minutesSince(at: string | null, now: number): number | null {
  const since = at === null ? NaN : Math.floor((now - Date.parse(at)) / 60_000);
  return Number.isNaN(since) ? null : since;
}

/** Errors of the last fetch, by calendar name. */
export function refusedBy(answer: JsonValue | null | undefined): Record<string, string> {
  return Object.fromEntries(
    listIn(answer, 'calendars').flatMap((row) => {
      const [name, problem] = [textIn(row, 'calendar'), textIn(row, 'problem')];
      return name === null || problem === null ? [] : [[name, problem]];
    }),
  );
}

/** The calendar of an event; a nameless one before the calendars are loaded. */
export function sourceOf(sources: readonly CalendarSource[], { calendar }: CalendarEvent): CalendarSource {
  return (
    sources.find(({ id }) => id === calendar) ?? { id: calendar, name: calendar, letter: '', colour: 'c1', readOnly: true, remote: false, fetched: null, problem: null }
  );
}
