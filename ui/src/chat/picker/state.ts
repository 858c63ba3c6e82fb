// Which row of the picker is marked. A pure reducer for text and keys; `mark` finds the rows.

import { type SkillChoice, type ToolChoice, toolsOf } from './choices';
import type { Slash } from './slash';

export interface PickerState {
  /** None while the picker is closed. */
  readonly slash: Slash | null;
  /** The choice by arrows or mouse, until further typing. */
  readonly column: Column | null;
  readonly skill: string | null;
  readonly tool: string | null;
}

export type Column = 'skills' | 'tools';

export type PickerEvent =
  | { readonly type: 'opened' | 'typed'; readonly slash: Slash }
  | { readonly type: 'closed' }
  | { readonly type: 'moved'; readonly by: number; readonly choices: readonly SkillChoice[] }
  | { readonly type: 'column'; readonly to: Column; readonly choices: readonly SkillChoice[] }
  | { readonly type: 'pointed'; readonly skill: string; readonly tool?: string };

export const closed: PickerState = { slash: null, column: null, skill: null, tool: null };

export function reducePicker(state: PickerState, event: PickerEvent): PickerState {
  switch (event.type) {
    case 'opened':
      return { ...closed, slash: event.slash };
    case 'typed':
      if (state.slash === null) return state;
      return state.slash.query === event.slash.query && state.slash.at === event.slash.at ? state : { ...closed, slash: event.slash };
    case 'closed':
      return state.slash === null ? state : closed;
    case 'moved':
      return moved(state, event.by, event.choices);
    case 'column': {
      const { skill, tool } = mark(state, event.choices);
      if (!skill || (event.to === 'tools' && !tool)) return state;
      // The tool is pinned, so that semantic results do not move it.
      return { ...state, column: event.to, skill: skill.row.id, tool: event.to === 'tools' ? (tool?.row.name ?? null) : state.tool };
    }
    case 'pointed':
      return { ...state, column: event.tool === undefined ? 'skills' : 'tools', skill: event.skill, tool: event.tool ?? null };
  }
}

export interface Marked {
  readonly column: Column;
  /** `null` without a match. */
  readonly skill: SkillChoice | null;
  /** The tool that is or would be marked in the tools column. */
  readonly tool: ToolChoice | null;
}

/** The first match, unless the user chose another that still exists. */
export function mark(state: PickerState, choices: readonly SkillChoice[]): Marked {
  const skill = choices.find(({ row }) => row.id === state.skill) ?? choices[0] ?? null;
  const tools = skill ? toolsOf(skill) : [];
  const tool = tools.find(({ row }) => row.name === state.tool) ?? tools[0] ?? null;
  const wanted = state.column ?? (skill?.first === 'tool' ? 'tools' : 'skills');
  return { column: tool ? wanted : 'skills', skill, tool };
}

function moved(state: PickerState, by: number, choices: readonly SkillChoice[]): PickerState {
  const { column, skill, tool } = mark(state, choices);
  if (!skill) return state;
  if (column === 'skills') {
    const next = stepped(choices, skill, by);
    return { ...state, column, skill: next.row.id, tool: null };
  }
  const next = tool && stepped(toolsOf(skill), tool, by);
  return { ...state, column, skill: skill.row.id, tool: next?.row.name ?? null };
}

/** Steps wrap around; page jumps stop at the ends. */
function stepped<T>(rows: readonly T[], from: T, by: number): T {
  const at = rows.indexOf(from) + by;
  const to = Math.abs(by) === 1 ? (at + rows.length) % rows.length : Math.min(rows.length - 1, Math.max(0, at));
  return rows[to] ?? from;
}
