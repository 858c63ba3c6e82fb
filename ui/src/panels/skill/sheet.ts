// State of a tool's form over a panel, from filling it in to the result. Pure. Only closing it discards
// entered values.

import type { JsonValue, UserError } from '../../ipc';

export interface SheetState {
  /** The run in progress. */
  readonly run: string | null;
  /** Why the last run was refused. */
  readonly error: UserError | null;
  /** The tool's proposal instead of a result, with its arguments. */
  readonly proposed: { readonly args: JsonValue; readonly answer: JsonValue } | null;
}

export type SheetEvent =
  | { readonly type: 'begun'; readonly run: string }
  | { readonly type: 'refused'; readonly run: string; readonly error: UserError }
  | { readonly type: 'proposed'; readonly run: string; readonly args: JsonValue; readonly answer: JsonValue }
  /** From the proposal back to the entered values. */
  | { readonly type: 'back' };

export const firstSheet = (proposed: SheetState['proposed'], error: UserError | null): SheetState => ({ run: null, error, proposed });

export function reduceSheet(state: SheetState, event: SheetEvent): SheetState {
  switch (event.type) {
    case 'begun':
      return { ...state, run: event.run, error: null };
    case 'refused':
      return state.run === event.run ? { ...state, run: null, error: event.error } : state;
    case 'proposed':
      return state.run === event.run ? { run: null, error: null, proposed: { args: event.args, answer: event.answer } } : state;
    case 'back':
      return state.run === null ? { ...state, error: null, proposed: null } : state;
  }
}
