import type { PanelAction, PanelView } from '../../ipc';

/** Extensions of bank files that the import reads. */
export const BANK_FILES: readonly string[] = ['csv', 'txt', 'tsv', 'tab'];

/** What the sheet calls the files that a tool imports. */
export interface FileWords {
  readonly title: string;
  readonly choose: string;
  readonly drop: string;
  readonly same: string;
  readonly entry: readonly [string, string];
}

export function fileWords(tool: string): FileWords {
  const who = tool.startsWith('portfolio.') ? 'broker' : 'bank';
  return {
    title: `Import ${who} file`,
    choose: `Choose a ${who} file`,
    drop: `Drop a ${who} file here`,
    same: who === 'broker' ? 'Is this the same trade?' : 'Is this the same payment?',
    entry: who === 'broker' ? ['trade', 'trades'] : ['entry', 'entries'],
  };
}

/** The import button of a panel. */
export function importOf({ panel }: Pick<PanelView, 'panel'>): PanelAction | null {
  return panel.tabs.flatMap(({ actions }) => actions).find((action) => action.import && action.tool !== null) ?? null;
}
