// The user's changes in the calendar: each is a call of the skill's tools, with its bar and Undo.

import type { Dispatch } from 'react';

import { useBackend, type JsonValue } from '../../ipc';
import { addDays } from '../../shared/form/dates';
import { isRow, type Row } from '../skill/answer';
import { failed } from '../skill/useReads';
import type { PanelCalls } from '../skill/useCalls';
import { conflictOf } from './conflict';
import { listIn, listingOf, textIn, type CalendarEvent } from './events';
import type { Lift } from './lift';
import { argsOf, labelOf, settledSpan } from './moving';
import type { Contact } from './attendees';
import type { CalendarSource } from './sources';
import type { CalendarChange, CalendarState } from './state';
import { clockOf, dayOf, localAt, minuteOf, shifted, wallIn, type Local } from './time';
import { dayText } from './words';

interface Panel {
  readonly state: CalendarState;
  readonly dispatch: Dispatch<CalendarChange>;
  readonly zone: string | null;
  readonly today: string;
  readonly sources: readonly CalendarSource[];
  nameOf(tool: string): string;
  readonly calls: PanelCalls;
  again(): void;
}

export interface WrittenEvent {
  readonly title: string;
  readonly start: Local;
  readonly end: Local;
  /** May be empty. */
  readonly location: string;
  /** The calendar of a server; `null` for a note. */
  readonly calendar: string | null;
  /** E-mail addresses that the server invites. */
  readonly attendees: readonly string[];
  /** A recurrence rule; `null` for a single event. */
  readonly rule: string | null;
  /** The zone of its times; `null` for the user's. */
  readonly zone: string | null;
}

export type Answer = 'accept' | 'tentative' | 'decline';

const answered: Readonly<Record<Answer, string>> = { accept: 'Accept', tentative: 'Answer maybe to', decline: 'Decline' };

export interface Writing {
  /** Begins a new event on the visible day. */
  add(): void;
  /** Writes it; returns the error, or none. */
  create(event: WrittenEvent): Promise<string | null>;
  /** Writes a dropped event; returns the error, or none. */
  drop(lift: Lift): Promise<string | null>;
  /** `onlyThisOne`: deletes one instance of a recurring event. */
  remove(event: CalendarEvent, onlyThisOne: boolean): void;
  /** Answers an invitation of a server. */
  respond(event: CalendarEvent, organizer: string, answer: Answer): void;
  /** Creates or finds a meeting's note; none on failure. */
  makeNote(event: CalendarEvent): Promise<{ readonly path: string; readonly isNew: boolean } | null>;
  /** Adds it to the log of a contact. */
  log(event: CalendarEvent, contact: Contact): void;
}

export function useWriting({ state, dispatch, zone, today, nameOf, calls, again }: Panel): Writing {
  const backend = useBackend();
  const call = async (label: string, tool: string, args: Readonly<Record<string, JsonValue>>, run?: string) => {
    const result = await calls.call(label, nameOf(tool), args, run);
    again();
    return result;
  };
  const reasonOf = ({ ok, error }: Awaited<ReturnType<typeof call>>) => (ok ? null : (error?.message ?? 'It failed without a reason.'));

  /** The event's details, needed to write to it. */
  const detailOf = async (event: CalendarEvent): Promise<JsonValue> => {
    const run = `panel-${crypto.randomUUID()}`;
    return (await backend.rpc('call_tool', { tool: nameOf('get_event'), args: { event: event.id }, run }).catch(failed)).value;
  };

  /** The events of the week before and after it, as they are now. */
  const around = async ({ start }: CalendarEvent): Promise<readonly CalendarEvent[]> => {
    const args = { from: addDays(dayOf(start), -7), days: 15 };
    const run = `panel-${crypto.randomUUID()}`;
    return listingOf([(await backend.rpc('call_tool', { tool: nameOf('list_events'), args, run }).catch(failed)).value]).events;
  };

  return {
    add: () => {
      const next = shifted(wallIn(Date.now(), zone), 60).slice(0, 14);
      const from = state.day === today && dayOf(next) === today ? `${clockOf(`${next}00`)}` : '09:00';
      dispatch({ type: 'adding', event: { day: state.day, from, to: clockOf(localAt(state.day, Math.min(minuteOf(`${state.day}T${from}`) + 60, 1439))) } });
    },
    create: async ({ title, start, end, location, calendar, attendees, rule, zone: own }) => {
      const span = start.length > 10 && own === null ? settledSpan({ start, end }, zone) : { start, end };
      const args = {
        title,
        ...span,
        ...(calendar === null ? {} : { calendar }),
        ...(location === '' ? {} : { location }),
        ...(attendees.length === 0 ? {} : { attendees: [...attendees] }),
        ...(rule === null ? {} : { rrule: rule }),
        ...(own === null ? {} : { timezone: own }),
      };
      return reasonOf(await call(`Add ${title}`, 'create_event', args));
    },
    drop: async (lift) => {
      const { event } = lift;
      if (lift.start === event.start && lift.end === event.end) {
        dispatch({ type: 'returned' });
        return null;
      }
      dispatch({ type: 'dropped' });
      const detail = await detailOf(event);
      const told = argsOf(lift, zone, textIn(fieldsOf(detail), 'timezone'));
      const run = `panel-${crypto.randomUUID()}`;
      const reason = 'refused' in told ? told.refused : reasonOf(await call(labelOf(lift, (day) => dayText(day, today)), 'update_event', { ...told.args, ...notifyOf(detail) }, run));
      if (reason === null) return null;
      dispatch({ type: 'refused', event: event.key });
      const conflict = event.id.endsWith('.md') ? null : conflictOf(lift, await around(event), await detailOf(event));
      if (conflict !== null) {
        // The card shows it, with both versions.
        calls.dismiss({ id: run });
        dispatch({ type: 'conflicted', conflict });
      }
      return reason;
    },
    remove: (event, onlyThisOne) => {
      const label = onlyThisOne ? `Skip ${event.title} on ${dayText(dayOf(event.start), today)}` : `Delete ${event.title}`;
      const remove = async () => {
        const notify = event.id.endsWith('.md') ? {} : notifyOf(await detailOf(event));
        const { ok } = await call(label, 'delete_event', { event: event.id, ...(onlyThisOne ? { date: event.start } : {}), ...notify });
        if (ok) dispatch({ type: 'closed' });
      };
      void remove();
    },
    respond: (event, organizer, answer) => {
      void call(`${answered[answer]} ${event.title}`, 'respond', { event: event.id, organizer, answer });
    },
    makeNote: async (event) => {
      const { value } = await call(`Make the meeting note of ${event.title}`, 'document_event', { event: event.id, date: dayOf(event.start) });
      const path = isRow(value) ? textIn(value, 'path') : null;
      return path === null ? null : { path, isNew: isRow(value) && value['new'] === true };
    },
    log: (event, { name, path }) => {
      const text = `Meeting: ${event.id.endsWith('.md') ? `[[${event.id.slice(0, -3)}]]` : event.title}`;
      void calls.call(`Log ${event.title} with ${name}`, 'crm.log_interaction', { name: path, text, date: dayOf(event.start) });
    },
  };
}

function fieldsOf(detail: JsonValue): Row {
  const fields = isRow(detail) ? detail['fields'] : null;
  return isRow(fields) ? fields : {};
}

/** The attendees whom a server notifies of a change: the question names them. */
function notifyOf(detail: JsonValue): { notify?: string[] } {
  const people = listIn(detail, 'attendees').flatMap((row) => textIn(row, 'address') ?? []);
  return people.length === 0 ? {} : { notify: people };
}
