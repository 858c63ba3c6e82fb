// An event's attendees, and which of them are contacts of the skill crm. Pure.

import type { JsonValue } from '../../ipc';
import { at } from '../skill/answer';
import { listIn, textIn } from './events';

export interface Person {
  readonly name: string;
  readonly address: string;
  /** As in a calendar file: `ACCEPTED`. */
  readonly answer: string | null;
}

export interface Contact {
  readonly name: string;
  readonly path: string;
  readonly addresses: readonly string[];
}

/** Distinct attendees: names in a note, or entries of a calendar file. */
export function peopleOf(detail: JsonValue | null | undefined): Person[] {
  const names = at(detail, '/fields/attendees');
  const own = Array.isArray(names) ? names.flatMap((name) => (typeof name === 'string' ? [{ name, address: '', answer: null }] : [])) : [];
  const others = listIn(detail, 'attendees').flatMap((row) => {
    const [name, address] = [textIn(row, 'name'), textIn(row, 'address') ?? ''];
    return name === null && address === '' ? [] : [{ name: name ?? address, address, answer: textIn(row, 'answer') }];
  });
  return [...new Map([...own, ...others].map((person) => [person.name, person])).values()];
}

/** The contacts in the output of `crm.list_contacts`. */
export function contactsIn(answer: JsonValue | null | undefined): Contact[] {
  return listIn(answer, 'contacts').flatMap((row) => {
    const [name, path, email] = [textIn(row, 'name'), textIn(row, 'path'), row['email']];
    const addresses = (Array.isArray(email) ? email : [email]).filter((one) => typeof one === 'string');
    return name === null || path === null ? [] : [{ name, path, addresses }];
  });
}

/** The only contact with the person's address, else the only one with exactly that name. */
export function contactOf({ name, address }: Person, contacts: readonly Contact[]): Contact | null {
  const same = (one: string, other: string) => one !== '' && one.trim().toLowerCase() === other.trim().toLowerCase();
  const at = contacts.filter(({ addresses }) => addresses.some((own) => same(own, address)));
  const called = contacts.filter((contact) => same(contact.name, name));
  return at[0] ?? (called.length === 1 ? (called[0] ?? null) : null);
}
