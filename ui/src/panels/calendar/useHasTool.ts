import { nothing } from '../../ipc';
import { useApp, useRpc } from '../../state/hooks';

/** Whether another skill that is switched on has this tool, where it is wanted; `false` while that is not known. */
export function useHasTool(tool: string, wanted: boolean): boolean {
  const registry = useApp(({ revisions }) => revisions.registry);
  const skills = useRpc('list_skills', wanted ? nothing : null, registry).data;
  return wanted && (skills ?? []).some(({ state, tools }) => (state === 'active' || state === 'available') && tools.includes(tool));
}
