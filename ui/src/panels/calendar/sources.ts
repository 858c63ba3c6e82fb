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

/** Minutes after which fetched data shows its age. */
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

/** "3 h old"; empty if fresh. `now` in ms. */
export function ageText({ fetched }: CalendarSource, now: number): string {
  if (fetched === null) return '';
  const minutes = Math.floor((now - Date.parse(fetched)) / 60_000);
  if (!(minutes >= FRESH)) return '';
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h old`;
  const days = Math.floor(minutes / (24 * 60));
  return days === 1 ? '1 day old' : `${days} days old`;
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
