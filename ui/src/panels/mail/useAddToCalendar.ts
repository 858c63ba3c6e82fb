// An event that is attached to a message, in the calendar.

import { useBackend } from '../../ipc';
import { useActions, useApp } from '../../state/hooks';
import type { NewEvent } from '../../state/app';
import { addDays } from '../../shared/form/dates';
import { listingOf, type CalendarEvent } from '../calendar/events';
import { clockOf, dayOf, minutesBetween } from '../calendar/time';
import { failed } from '../skill/useReads';
import type { AttachedEvent } from './messages';

/** Opens the event if a calendar has it, else the form of a new one; `null` without a calendar. */
export function useAddToCalendar(): ((event: AttachedEvent) => Promise<void>) | null {
  const backend = useBackend();
  const skill = useApp((app) => app.skillPanels.find(({ panel: { tabs } }) => tabs[0]?.parts[0]?.kind === 'calendar')?.skill ?? null);
  const { showInCalendar } = useActions();
  if (skill === null) return null;
  return async (event) => {
    const day = dayOf(event.start);
    // In the user's zone, an event of another one may be on the day before or after.
    const args = { from: addDays(day, -1), days: 3 };
    const run = `panel-${crypto.randomUUID()}`;
    const { value } = await backend.rpc('call_tool', { tool: `${skill}.list_events`, args, run }).catch(failed);
    const existing = existingIn(listingOf([value]).events, event);
    if (existing === undefined) showInCalendar(skill, { day, add: newEventOf(event) });
    else showInCalendar(skill, { day: dayOf(existing.start), event: existing.key });
  };
}

/** The same event in a calendar: an invitation that a server has filed, or what was added from it before. */
export function existingIn(events: readonly CalendarEvent[], { uid, title, start, zone }: AttachedEvent): CalendarEvent | undefined {
  const filed = uid === '' ? undefined : events.find((event) => event.id === `${event.calendar}/${uid}`);
  return filed ?? events.find((event) => zone === null && event.start === start && event.title === title);
}

export function newEventOf({ title, start, end, zone, rule, exceptions, location }: AttachedEvent): NewEvent {
  const [day, last] = [dayOf(start), dayOf(end)];
  const isTimed = start.length > 10;
  return {
    day,
    from: isTimed ? clockOf(start) : '',
    to: isTimed ? clockOf(end) : '',
    days: Math.max(0, Math.round(minutesBetween(`${day}T00:00`, `${last}T00:00`) / 1440)),
    title,
    place: location,
    ...(zone === null ? {} : { zone }),
    ...(rule === null ? {} : { rule, exceptions }),
  };
}
