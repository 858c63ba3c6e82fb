import type { PanelAction, PanelView } from '../../ipc';

/** Extensions of bank files that the import reads. */
export const BANK_FILES: readonly string[] = ['csv', 'txt', 'tsv', 'tab'];

/** The import button of a panel. */
export function importOf({ panel }: Pick<PanelView, 'panel'>): PanelAction | null {
  return panel.tabs.flatMap(({ actions }) => actions).find((action) => action.import && action.tool !== null) ?? null;
}
