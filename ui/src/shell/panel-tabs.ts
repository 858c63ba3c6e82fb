// Which tabs of the right panel show labels, and which icons.

import type { PanelTab } from '../state/app';

interface Tab {
  readonly tab: PanelTab;
  readonly label: string;
  readonly count?: number;
  readonly keepsLabel?: boolean;
}

/** Pixels, for the interface's font at its default size. */
const LETTER = 7;
const ICON = 16;
const PADDING = 16;
/** Between two tabs, and between a label and its count. */
const BETWEEN = 4;
const BEFORE_COUNT = 6;

/**
 * The tabs that show labels within `room` px: the chosen one, and the others of its kind if all fit.
 * Truncated labels would be indistinguishable, so either all are complete or all are icons.
 */
export function labelled(tabs: readonly Tab[], chosen: PanelTab | undefined, room: number): ReadonlySet<PanelTab> {
  const kept = tabs.find(({ tab }) => tab === chosen)?.keepsLabel === true ? tabs.filter(({ keepsLabel }) => keepsLabel) : [];
  const all = new Set([...kept.map(({ tab }) => tab), ...(chosen === undefined ? [] : [chosen])]);
  const width = tabs.map((tab) => widthOf(tab, all.has(tab.tab))).reduce((sum, one) => sum + one, 0);
  return width <= room ? all : new Set(chosen === undefined ? [] : [chosen]);
}

function widthOf({ label, count = 0 }: Tab, hasLabel: boolean): number {
  const figure = count === 0 ? 0 : BEFORE_COUNT + String(count).length * LETTER;
  return PADDING + BETWEEN + (hasLabel ? label.length * LETTER : ICON) + figure;
}
