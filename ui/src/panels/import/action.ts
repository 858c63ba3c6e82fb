import type { PanelAction, PanelView } from '../../ipc';

/** The button of a panel that imports files. */
export function importOf({ panel }: Pick<PanelView, 'panel'>): PanelAction | null {
  return panel.tabs.flatMap(({ actions }) => actions).find((action) => action.import && action.tool !== null) ?? null;
}
