// Opens the tool that turns mentions into links, whose form lists them before anything is written.

import { nothing } from '../ipc';
import { useActions, useApp, useRpc } from '../state/hooks';
import { troubleOf } from './tool-trouble';

const TOOL = 'vault.suggest_links';

/**
 * Opens the form for a note or folder, or for all notes (`null`); null while the tool is unavailable, or if
 * `asks` is false.
 */
export function useSuggestLinks(asks = true): ((path: string | null) => void) | null {
  const { show } = useActions();
  const revision = useApp(({ revisions }) => revisions.registry);
  const tools = useRpc('list_tools', asks ? nothing : null, revision);
  const tool = tools.data?.find(({ name }) => name === TOOL);
  if (!tool || troubleOf(tool)?.usable === false) return null;
  return (path) => show({ kind: 'run-tool', tool: TOOL, args: { ...(path === null ? {} : { path }), dry_run: true } });
}
