import { useReads } from '../skill/useReads';
import { contactsIn, type Contact } from './attendees';
import { useHasTool } from './useHasTool';

const asked = { tool: 'crm.list_contacts', args: {} };

/** The user's contacts if wanted; none while loading, and without the skill crm. */
export function useContacts(wanted: boolean): readonly Contact[] | null {
  const known = useHasTool(asked.tool, wanted);
  const result = useReads(known ? [asked] : []).of(asked)?.result;
  return known && result?.ok === true ? contactsIn(result.value) : null;
}
