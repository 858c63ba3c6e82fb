import { nothing } from '../../ipc';
import { useApp, useRpc } from '../../state/hooks';

/** Whether an enabled skill has this tool, if wanted; `false` while unknown. */
export function useHasTool(tool: string, wanted: boolean): boolean {
  const registry = useApp(({ revisions }) => revisions.registry);
  const skills = useRpc('list_skills', wanted ? nothing : null, registry).data;
  return wanted && (skills ?? []).some(({ state, tools }) => (state === 'active' || state === 'available') && tools.includes(tool));
}
