import { useContacts } from '../calendar/useContacts';
import type { Contact } from '../calendar/attendees';

/** The user's contact with exactly this address; none while loading, and without the skill crm. */
export function useContact(address: string): Contact | null {
  const contacts = useContacts(address !== '');
  const wanted = address.trim().toLowerCase();
  return contacts?.find(({ addresses }) => addresses.some((own) => own.trim().toLowerCase() === wanted)) ?? null;
}
