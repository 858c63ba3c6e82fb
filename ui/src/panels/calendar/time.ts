// Wall-clock times of a zone, `2026-11-24T09:30`. They are moved on the calendar and converted to instants by
// the rules of their zone, never by a fixed offset: two days of a year have 23 and 25 hours.

/** `YYYY-MM-DDTHH:MM` */
export type Local = string;

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

export function dayOf(at: Local): string {
  return at.slice(0, 10);
}

/** Wall-clock minutes since midnight. */
export function minuteOf(at: Local): number {
  return Number(at.slice(11, 13)) * 60 + Number(at.slice(14, 16));
}

export function clockOf(at: Local): string {
  return at.slice(11, 16);
}

/** The time this many minutes after midnight; 1440 is midnight of the next day. */
export function localAt(day: string, minute: number): Local {
  return shifted(`${day}T00:00`, minute);
}

/** In wall-clock time: 23:45 plus 30 minutes is 00:15 of the next day, even across a clock change. */
export function shifted(at: Local, minutes: number): Local {
  return new Date(Date.parse(`${at}:00Z`) + minutes * MINUTE).toISOString().slice(0, 16);
}

/** In wall-clock time. */
export function minutesBetween(from: Local, to: Local): number {
  return (Date.parse(`${to}:00Z`) - Date.parse(`${from}:00Z`)) / MINUTE;
}

/** The wall-clock time of an instant (ms) in a zone, or in the machine's zone without one. */
export function wallIn(instant: number, zone: string | null): Local {
  const found: Record<string, string> = {};
  for (const { type, value } of clockIn(zone).formatToParts(instant)) found[type] = value;
  const year = (found['year'] ?? '').padStart(4, '0');
  return `${year}-${found['month']}-${found['day']}T${found['hour']}:${found['minute']}`;
}

/**
 * The instant of a time in a zone, ms. An ambiguous time is its first occurrence; a skipped one is shifted by
 * the length of the gap, as the calendar's tools do.
 */
export function instantOf(at: Local, zone: string | null): number {
  const wanted = Date.parse(`${at}:00Z`);
  const offset = (instant: number) => Date.parse(`${wallIn(instant, zone)}:00Z`) - Math.floor(instant / MINUTE) * MINUTE;
  const [before, after] = [offset(wanted - DAY), offset(wanted + DAY)];
  const found = [wanted - before, wanted - after].find((instant) => wallIn(instant, zone) === at);
  return found ?? wanted - before;
}

/** The time itself or, if the zone skips it, the one after the gap. */
export function settled(at: Local, zone: string | null): Local {
  return wallIn(instantOf(at, zone), zone);
}

/** The same instant in another zone's wall-clock time. */
export function inZone(at: Local, from: string | null, to: string | null): Local {
  return from === to ? at : wallIn(instantOf(at, from), to);
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockIn(zone: string | null): Intl.DateTimeFormat {
  const key = zone ?? '';
  const known = clocks.get(key);
  if (known) return known;
  const made = made24(zone);
  clocks.set(key, made);
  return made;
}

/** Falls back to the machine's zone for an unknown one. */
function made24(zone: string | null): Intl.DateTimeFormat {
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  try {
    return new Intl.DateTimeFormat('en-GB', { ...parts, ...(zone === null ? {} : { timeZone: zone }) });
  } catch {
    return new Intl.DateTimeFormat('en-GB', parts);
  }
}

/** "9", "9:30", "9.30", "14h", "2 pm" → `HH:MM`; none for an invalid time. */
export function timeOf(text: string): string | null {
  const found = /^(\d{1,2})(?:[:.h](\d{2}))?\s*(h|am|pm)?$/i.exec(text.trim());
  if (!found) return null;
  const half = found[3]?.toLowerCase();
  const [typed, minute] = [Number(found[1]), Number(found[2] ?? 0)];
  if ((half === 'am' || half === 'pm') && (typed < 1 || typed > 12)) return null;
  const hour = half === 'pm' ? (typed % 12) + 12 : half === 'am' ? typed % 12 : typed;
  return hour > 23 || minute > 59 ? null : `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}
