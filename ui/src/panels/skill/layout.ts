// Layout of a tab's parts. Pure.

import type { JsonValue, PanelInput, PanelPart, PanelTab } from '../../ipc';

/** A tab as rendered. */
export interface ShownTab {
  readonly key: string;
  readonly title: string;
  /** The declared tab whose count, inputs and actions it has. */
  readonly tab: PanelTab;
  readonly layout: Layout;
}

export interface Layout {
  /** At the top, in full width. */
  readonly top: readonly PanelPart[];
  /** Rows of parts, each side by side. */
  readonly rows: readonly (readonly PanelPart[])[];
  /** In the side column. */
  readonly side: readonly PanelPart[];
  /** At the foot of the panel, always visible. */
  readonly foot: readonly ChartOf[];
  /** Charts of another tab, summarised in one line. */
  readonly brief: readonly ChartOf[];
}

/**
 * The declared tabs; without room for a side column, its parts become tabs: "Follow-ups" after "Pipeline",
 * "Value" and "Allocation" after "Positions". Charts with the same title share one.
 */
export function tabsOf(tabs: readonly PanelTab[], room: boolean): ShownTab[] {
  const declared = new Set(tabs.map(({ title }) => title));
  return tabs.flatMap((tab, place) => {
    const whole = { key: `${place}`, title: tab.title, tab, layout: layoutOf(tab.parts) };
    if (room) return [whole];
    const aside = tab.parts.filter((part, at) => isAside(tab.parts, at) && narrowTitle(part) !== '');
    const stay = tab.parts.filter((part) => !aside.includes(part));
    // A tab without other content keeps them.
    if (aside.length === 0 || stay.every(({ kind }) => kind === 'summary')) return [whole];
    const brief = aside.filter((part): part is ChartOf => part.kind === 'chart' && part.shape === 'progress');
    const summary = layoutOf(stay.filter(({ kind }) => kind === 'summary'));
    const titles = [...new Set(aside.map(narrowTitle))].filter((title) => !declared.has(title));
    return [
      { ...whole, layout: { ...layoutOf(stay), brief } },
      ...titles.map((title, at) => {
        const own = aside.filter((part) => narrowTitle(part) === title);
        const [only] = own;
        return {
          key: `${place}.${at}`,
          title,
          tab: { ...tab, count: only && own.length === 1 ? countOf(only) : null },
          layout: { ...summary, rows: own.map((part) => [part]) },
        };
      }),
    ];
  });
}

type ChartOf = Extract<PanelPart, { kind: 'chart' }>;

export function layoutOf(parts: readonly PanelPart[]): Layout {
  const top: PanelPart[] = [];
  const rows: PanelPart[][] = [];
  const side: PanelPart[] = [];
  const foot: ChartOf[] = [];
  for (const part of parts) {
    const place = placeOf(part);
    const last = rows.at(-1);
    if (part.kind === 'chart' && part.shape === 'strip') foot.push(part);
    else if (place === 'side') side.push(part);
    else if (part.kind === 'summary' && rows.length === 0) top.push(part);
    else if (place === 'beside' && last) last.push(part);
    else rows.push([part]);
  }
  return { top, rows, side, foot, brief: [] };
}

/** The number of a part's rows, unless it depends on arguments. */
function countOf(part: PanelPart): PanelTab['count'] {
  if (part.kind !== 'list' && part.kind !== 'table') return null;
  return Object.keys(part.args).length === 0 ? { tool: part.tool, args: {}, at: part.rows } : null;
}

/** A part's title, as for its tab. */
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
    case 'calendar':
    case 'mail':
    case 'symbol':
    case 'screener':
      return '';
  }
}

/** The title of a part's own tab. */
function narrowTitle(part: PanelPart): string {
  return part.kind === 'chart' && part.narrow !== null ? part.narrow : titleOf(part);
}

/** Whether it shares a row with another part. */
function isAside(parts: readonly PanelPart[], at: number): boolean {
  const [part, next] = [parts[at], parts[at + 1]];
  if (!part) return false;
  if (part.kind === 'chart' && part.shape === 'strip') return true;
  return placeOf(part) !== 'below' || (next !== undefined && placeOf(next) === 'beside');
}

function placeOf(part: PanelPart) {
  return part.kind === 'summary' || part.kind === 'calendar' || part.kind === 'mail' || part.kind === 'symbol' || part.kind === 'screener' ? 'below' : part.place;
}

/** An input used by only one chart is shown there; the others in the panel's head. */
export function homeOf({ name }: PanelInput, parts: readonly PanelPart[]): PanelPart | null {
  const users = parts.filter((part) => mentions(part.args, name));
  const charts = users.filter(({ kind }) => kind === 'chart');
  return users.length === 1 && charts.length === 1 ? (charts[0] ?? null) : null;
}

function mentions(value: JsonValue | Readonly<Record<string, JsonValue>>, name: string): boolean {
  if (typeof value === 'string') return value.includes(`{${name}}`);
  return typeof value === 'object' && value !== null && Object.values(value).some((part) => mentions(part, name));
}
