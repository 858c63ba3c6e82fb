// Where the parts of a tab stand: pure.

import type { JsonValue, PanelInput, PanelPart, PanelTab } from '../../ipc';

/** A tab as it is shown. */
export interface ShownTab {
  readonly key: string;
  readonly title: string;
  /** The declared tab whose count, inputs and actions it has. */
  readonly tab: PanelTab;
  readonly layout: Layout;
}

export interface Layout {
  /** Above everything, as wide as the panel. */
  readonly top: readonly PanelPart[];
  /** Below each other; parts in one row stand beside each other. */
  readonly rows: readonly (readonly PanelPart[])[];
  /** In the column beside all of them. */
  readonly side: readonly PanelPart[];
}

/**
 * The declared tabs; where there is no room beside, what stands there becomes a tab of its own: "Follow-ups"
 * after "Pipeline", "Value" and "Allocation" after "Positions".
 */
export function tabsOf(tabs: readonly PanelTab[], room: boolean): ShownTab[] {
  return tabs.flatMap((tab, place) => {
    const title = tab.title;
    if (room) return [{ key: `${place}`, title, tab, layout: layoutOf(tab.parts) }];
    const aside = tab.parts.filter((part, at) => isAside(tab.parts, at) && titleOf(part) !== '');
    const stay = tab.parts.filter((part) => !aside.includes(part));
    // A tab that has nothing else keeps what it has.
    if (aside.length === 0 || stay.every(({ kind }) => kind === 'summary')) {
      return [{ key: `${place}`, title, tab, layout: layoutOf(tab.parts) }];
    }
    const summary = stay.filter(({ kind }) => kind === 'summary');
    return [
      { key: `${place}`, title, tab, layout: layoutOf(stay) },
      ...aside.map((part, at) => ({
        key: `${place}.${at}`,
        title: titleOf(part),
        tab: { ...tab, count: countOf(part) },
        layout: { ...layoutOf(summary), rows: [[part]], side: [] },
      })),
    ];
  });
}

export function layoutOf(parts: readonly PanelPart[]): Layout {
  const top: PanelPart[] = [];
  const rows: PanelPart[][] = [];
  const side: PanelPart[] = [];
  for (const part of parts) {
    const place = placeOf(part);
    const last = rows.at(-1);
    if (place === 'side') side.push(part);
    else if (part.kind === 'summary' && rows.length === 0) top.push(part);
    else if (place === 'beside' && last) last.push(part);
    else rows.push([part]);
  }
  return { top, rows, side };
}

/** How many rows it has; not where only its arguments would tell. */
function countOf(part: PanelPart): PanelTab['count'] {
  if (part.kind !== 'list' && part.kind !== 'table') return null;
  return Object.keys(part.args).length === 0 ? { tool: part.tool, at: part.rows } : null;
}

/** The title of a part, as its tab would say it. */
export function titleOf(part: PanelPart): string {
  switch (part.kind) {
    case 'list':
      return part.heading;
    case 'table':
    case 'chart':
    case 'form':
      return part.title;
    case 'board':
    case 'summary':
      return '';
  }
}

/** It stands beside another one, or another one stands beside it. */
function isAside(parts: readonly PanelPart[], at: number): boolean {
  const [part, next] = [parts[at], parts[at + 1]];
  if (!part) return false;
  return placeOf(part) !== 'below' || (next !== undefined && placeOf(next) === 'beside');
}

function placeOf(part: PanelPart) {
  return part.kind === 'summary' ? 'below' : part.place;
}

/** An input that one chart alone uses stands at this chart; the others in the panel's head. */
export function homeOf({ name }: PanelInput, parts: readonly PanelPart[]): PanelPart | null {
  const users = parts.filter((part) => mentions(part.args, name));
  const charts = users.filter(({ kind }) => kind === 'chart');
  return users.length === 1 && charts.length === 1 ? (charts[0] ?? null) : null;
}

function mentions(value: JsonValue | Readonly<Record<string, JsonValue>>, name: string): boolean {
  if (typeof value === 'string') return value.includes(`{${name}}`);
  return typeof value === 'object' && value !== null && Object.values(value).some((part) => mentions(part, name));
}
