// Panels as declared by manifests and completed by the backend, and the output of the sample skills.

import type { FigureView, JsonValue, Panel, PanelView, Result, SourceView } from '../ipc';

type Declared = { [key: string]: JsonValue };

const defaults: Record<string, Declared> = {
  summary: { args: {} },
  table: { args: {}, place: 'below', title: '', more: null, sort: null, total: null, quiet: null, actions: [], empty: null },
  board: { args: {}, place: 'below', one: null, many: null, folded: [], detail: [], value: null, unit: null, date: null, drop: null, actions: [], empty: null },
  list: { args: {}, place: 'below', detail: [], date: null, group: null, groups: [], sorts: [], rest: null, actions: [], empty: null },
  chart: { args: {}, place: 'below', unit: null, dashed: null, mark: null, note: null, empty: null, detail: null, when: {}, narrow: null, choose: null },
  form: { args: {}, place: 'below', title: '' },
};
const action: Declared = { label: '', icon: null, tool: null, args: {}, ask: false, import: false, record: null, edit: false, field: null, delete: false, when: {}, key: null, more: [] };
const nested: Record<string, Declared> = {
  items: { format: 'text', unit: null, detail: null, optional: false, line: false, icon: null },
  columns: { format: 'text', unit: null, detail: null, roomy: false },
  series: { format: 'text' },
  groups: { late: false },
  rest: { tab: null },
  actions: action,
  drop: action,
  more: action,
  action,
  empty: { action: null },
  inputs: { choices: [], default: '', among: [] },
  count: { args: {} },
};

/** Completes a declaration with defaults, like the backend. */
export function panelOf(skill: string, name: string, tabs: readonly Declared[], more: Partial<PanelView> = {}): PanelView {
  const panel = { tabs: tabs.map((tab) => ({ title: '', count: null, inputs: [], actions: [], ...(whole(tab) as Declared) })) };
  return { skill, name, icon: null, panel: panel as unknown as Panel, problem: null, ...more };
}

function whole(value: JsonValue, key = ''): JsonValue {
  if (Array.isArray(value)) return value.map((part) => whole(part, key));
  if (typeof value !== 'object' || value === null) return value;
  const filled = Object.fromEntries(Object.entries(value).map(([own, part]) => [own, own === 'args' || own === 'when' ? part : whole(part, own)]));
  const kind = typeof filled['kind'] === 'string' ? defaults[filled['kind']] : undefined;
  return { ...(kind ?? nested[key]), ...filled };
}

/** Output of a tool with these notes as sources. */
export function answer(value: JsonValue, notes: readonly string[] = [], figures: readonly FigureView[] = []): Result<'call_tool'> {
  const sources: SourceView[] = notes.map((path) => ({ kind: 'note', path }));
  return { ok: true, value, error: null, sources, figures: [...figures], changes: [], change_set: null, ms: 3 };
}

export function figure(at: string, label: string, value: string, unit: string, more: Partial<FigureView> = {}): FigureView {
  return { at, label, value, unit, formula: null, parts: [], sources: [], caution: null, ...more };
}

/** A part of a figure in its derivation. */
export const figurePart = (label: string, value: string, unit = 'EUR', caution: string | null = null) => ({ label, value, unit, caution });
