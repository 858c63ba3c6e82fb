import { nothing } from '../../ipc';
import { useApp, useRpc } from '../../state/hooks';
import { useReads } from '../skill/useReads';
import { contactsIn, type Contact } from './attendees';

const asked = { tool: 'crm.list_contacts', args: {} };

/** The user's contacts where they are wanted; none while they are read, and without the skill crm. */
export function useContacts(wanted: boolean): readonly Contact[] | null {
  const registry = useApp(({ revisions }) => revisions.registry);
  const skills = useRpc('list_skills', wanted ? nothing : null, registry).data;
  const known = wanted && (skills ?? []).some(({ state, tools }) => (state === 'active' || state === 'available') && tools.includes(asked.tool));
  const result = useReads(known ? [asked] : []).of(asked)?.result;
  return known && result?.ok === true ? contactsIn(result.value) : null;
}
