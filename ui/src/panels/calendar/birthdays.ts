// Birthdays of contacts as a separate calendar, read from their notes. Pure.

import type { JsonValue } from '../../ipc';
import { listIn, textIn, type CalendarEvent } from './events';
import type { CalendarSource } from './sources';

export const BIRTHDAYS: CalendarSource = {
  id: 'crm.birthdays',
  name: 'Birthdays',
  letter: 'B',
  colour: 'c3',
  readOnly: true,
  remote: false,
  fetched: null,
  problem: null,
};

/** The output of `crm.birthdays` as all-day events; their id is the contact's note. */
export function birthdaysIn(answer: JsonValue | null | undefined): CalendarEvent[] {
  return listIn(answer, 'birthdays').flatMap((row) => {
    const [name, day, path, turns] = [textIn(row, 'name'), textIn(row, 'date'), textIn(row, 'path'), textIn(row, 'turns')];
    if (name === null || day === null || path === null) return [];
    return [
      {
        key: `${BIRTHDAYS.id} ${path}`,
        id: path,
        title: turns === null ? `${name}’s birthday` : `${name} ${turns}`,
        start: day,
        end: day,
        wholeDay: true,
        calendar: BIRTHDAYS.id,
        location: null,
        recurs: true,
        answer: null,
        there: null,
      },
    ];
  });
}
