import type { PanelAction, PanelView } from '../../ipc';

/** The endings of the files that a bank offers and the import reads. */
export const BANK_FILES: readonly string[] = ['csv', 'txt', 'tsv', 'tab'];

/** The button of a panel that imports files. */
export function importOf({ panel }: Pick<PanelView, 'panel'>): PanelAction | null {
  return panel.tabs.flatMap(({ actions }) => actions).find((action) => action.import && action.tool !== null) ?? null;
}
