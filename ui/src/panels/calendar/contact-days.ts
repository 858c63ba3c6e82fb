// Days of contacts as calendars of their own, read from the contacts' notes: birthdays, and when a contact with a
// cadence is due. Pure.

import type { JsonValue } from '../../ipc';
import type { Row } from '../skill/answer';
import { listIn, textIn, type CalendarEvent } from './events';
import type { CalendarSource } from './sources';

const ofContacts = { readOnly: true, remote: false, fetched: null, problem: null };

export const BIRTHDAYS: CalendarSource = { id: 'crm.birthdays', name: 'Birthdays', letter: 'B', colour: 'c3', ...ofContacts };
export const FOLLOW_UPS: CalendarSource = { id: 'crm.follow_ups', name: 'Follow-ups', letter: 'F', colour: 'c2', ...ofContacts };

/** The calendar of an event that is a day of a contact; none for any other event. */
export function contactSourceOf({ calendar }: CalendarEvent): CalendarSource | undefined {
  return [BIRTHDAYS, FOLLOW_UPS].find(({ id }) => id === calendar);
}

/** The output of `crm.birthdays` as all-day events; their id is the contact's note. */
export function birthdaysIn(answer: JsonValue | null | undefined): CalendarEvent[] {
  return listIn(answer, 'birthdays').flatMap((row) => {
    const [name, turns] = [textIn(row, 'name'), textIn(row, 'turns')];
    return dayOfContact(BIRTHDAYS, row, 'date', turns === null ? `${name}’s birthday` : `${name} ${turns}`);
  });
}

/** The contacts with a cadence in the output of `crm.follow_ups`; others are due on a day of their own. */
export function followUpsIn(answer: JsonValue | null | undefined, from: string, to: string): CalendarEvent[] {
  return listIn(answer, 'follow_ups').flatMap((row) => {
    const [name, every, day] = [textIn(row, 'name'), textIn(row, 'every'), textIn(row, 'next_contact') ?? ''];
    return every === null || day < from || day > to ? [] : dayOfContact(FOLLOW_UPS, row, 'next_contact', `Contact ${name}, ${every}`);
  });
}

function dayOfContact({ id }: CalendarSource, row: Row, key: string, title: string): CalendarEvent[] {
  const [name, day, path] = [textIn(row, 'name'), textIn(row, key), textIn(row, 'path')];
  if (name === null || day === null || path === null) return [];
  return [{ key: `${id} ${path}`, id: path, title, start: day, end: day, wholeDay: true, calendar: id, location: null, recurs: true, answer: null, there: null }];
}
