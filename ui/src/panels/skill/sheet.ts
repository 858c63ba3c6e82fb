// The form of a tool over a panel, from filling it in to the result: pure. What is typed is lost only by closing it.

import type { JsonValue, UserError } from '../../ipc';

export interface SheetState {
  /** The call that runs now. */
  readonly run: string | null;
  /** Why the last one was refused. */
  readonly error: UserError | null;
  /** What the tool answered instead of doing it, and the arguments it answered to. */
  readonly proposed: { readonly args: JsonValue; readonly answer: JsonValue } | null;
}

export type SheetEvent =
  | { readonly type: 'begun'; readonly run: string }
  | { readonly type: 'refused'; readonly run: string; readonly error: UserError }
  | { readonly type: 'proposed'; readonly run: string; readonly args: JsonValue; readonly answer: JsonValue }
  /** From what is proposed back to what was typed. */
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
