// Who takes part in an event, and who of them is a contact of the skill crm: pure.

import type { JsonValue } from '../../ipc';
import { at } from '../skill/answer';
import { listIn, textIn } from './events';

export interface Person {
  readonly name: string;
  readonly address: string;
  /** As a calendar file says it: `ACCEPTED`. */
  readonly answer: string | null;
}

export interface Contact {
  readonly name: string;
  readonly path: string;
  readonly addresses: readonly string[];
}

/** Who takes part, each once: names of a note, or what a calendar file says of each. */
export function peopleOf(detail: JsonValue | null | undefined): Person[] {
  const names = at(detail, '/fields/attendees');
  const own = Array.isArray(names) ? names.flatMap((name) => (typeof name === 'string' ? [{ name, address: '', answer: null }] : [])) : [];
  const others = listIn(detail, 'attendees').flatMap((row) => {
    const [name, address] = [textIn(row, 'name'), textIn(row, 'address') ?? ''];
    return name === null && address === '' ? [] : [{ name: name ?? address, address, answer: textIn(row, 'answer') }];
  });
  return [...new Map([...own, ...others].map((person) => [person.name, person])).values()];
}

/** The contacts that `crm.list_contacts` answered. */
export function contactsIn(answer: JsonValue | null | undefined): Contact[] {
  return listIn(answer, 'contacts').flatMap((row) => {
    const [name, path, email] = [textIn(row, 'name'), textIn(row, 'path'), row['email']];
    const addresses = (Array.isArray(email) ? email : [email]).filter((one) => typeof one === 'string');
    return name === null || path === null ? [] : [{ name, path, addresses }];
  });
}

/** The one contact with the address of a person; where none has it, the one of exactly that name. */
export function contactOf({ name, address }: Person, contacts: readonly Contact[]): Contact | null {
  const same = (one: string, other: string) => one !== '' && one.trim().toLowerCase() === other.trim().toLowerCase();
  const at = contacts.filter(({ addresses }) => addresses.some((own) => same(own, address)));
  const called = contacts.filter((contact) => same(contact.name, name));
  return at[0] ?? (called.length === 1 ? (called[0] ?? null) : null);
}
