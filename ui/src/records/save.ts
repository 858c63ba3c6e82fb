// State of saving a record's form: the opened values, conflicts with the note, and the result. Pure; the
// sheet runs the commands.

import type { FieldErrorView, JsonValue, NoteDiffView, SameRecord, SavedRecord, ToolResult, UserError } from '../ipc';

/** By path of the note. */
export type Diffs = { readonly [path: string]: NoteDiffView | undefined };

export type Values = { readonly [field: string]: JsonValue };

export interface SaveState {
  /** The note's values as seen by the user: differences from them are the user's changes. */
  readonly before: Values;
  readonly phase: 'editing' | 'saving' | 'deleting' | 'saved';
  /** Fields changed in both the note and the form, until the user chose. */
  readonly conflicts: readonly FieldErrorView[];
  /** The existing record that this one would duplicate, until the user chose. */
  readonly same: SameRecord | null;
  /** The values that the response refers to. */
  readonly sent: Values;
  /** Why nothing was saved. */
  readonly problem: UserError | null;
  /** The result of the save. */
  readonly result: ToolResult | null;
  /** Diffs of the changed notes, as far as known. */
  readonly diffs: Diffs;
  /** RFC 3339 */
  readonly undoneAt: string | null;
  /** The user wants to leave with unsaved changes: to another record's form, or to close. */
  readonly leaving: { readonly to: string | null } | null;
}

export type SaveEvent =
  | { readonly type: 'save_started'; readonly values: Values }
  | { readonly type: 'delete_started' }
  | { readonly type: 'save_answered'; readonly saved: SavedRecord; readonly diffs: Diffs }
  | { readonly type: 'failed'; readonly problem: UserError }
  /** The user has seen the note's value, whichever side they keep. */
  | { readonly type: 'conflict_decided'; readonly field: string }
  | { readonly type: 'undone'; readonly at: string }
  | { readonly type: 'leave_asked'; readonly to?: string }
  | { readonly type: 'stayed' };

export function opened(values: JsonValue): SaveState {
  return {
    before: isValues(values) ? values : {},
    phase: 'editing',
    conflicts: [],
    same: null,
    sent: {},
    problem: null,
    result: null,
    diffs: {},
    undoneAt: null,
    leaving: null,
  };
}

export function reduceSave(state: SaveState, event: SaveEvent): SaveState {
  switch (event.type) {
    case 'save_started':
      return { ...state, phase: 'saving', problem: null, same: null, sent: event.values, leaving: null };
    case 'delete_started':
      return { ...state, phase: 'deleting', problem: null, same: null, leaving: null };
    case 'save_answered': {
      const { errors, same = null, result } = event.saved;
      if (result?.ok) return { ...state, phase: 'saved', conflicts: [], result, diffs: event.diffs };
      return { ...state, phase: 'editing', conflicts: errors.filter(isConflict), same, problem: result?.error ?? null };
    }
    case 'failed':
      return { ...state, phase: state.phase === 'saved' ? 'saved' : 'editing', problem: event.problem };
    case 'conflict_decided': {
      const conflict = state.conflicts.find(({ field }) => field === event.field);
      if (!conflict) return state;
      return {
        ...state,
        before: { ...state.before, [event.field]: (conflict.theirs ?? null) as JsonValue },
        conflicts: state.conflicts.filter((other) => other !== conflict),
      };
    }
    case 'undone':
      return { ...state, undoneAt: event.at, problem: null };
    case 'leave_asked':
      return { ...state, leaving: { to: event.to ?? null } };
    case 'stayed':
      return { ...state, leaving: null };
  }
}

/** The duplicated record for these values; unknown unless they are the sent ones. */
export function sameAs({ same, sent }: SaveState, values: JsonValue): SameRecord | null {
  return isValues(values) && text(values) === text(sent) ? same : null;
}

/** The change of the record itself, if any, and of the notes changed as a consequence. */
export function writtenBy(result: ToolResult | null): { own: ToolResult['changes'][number] | undefined; others: ToolResult['changes'] } {
  const { value = null, changes = [] } = result ?? {};
  const path = isValues(value) ? value['path'] : undefined;
  const own = path === undefined ? changes[0] : changes.find((change) => change.path === path);
  return { own, others: changes.filter((change) => change !== own) };
}

/** Errors that do not depend on the note. */
export function faultsOf({ errors }: SavedRecord): { path: string; message: string }[] {
  return errors.filter((error) => !isConflict(error)).map(({ field, message }) => ({ path: field, message }));
}

/** A field's value within a sentence. */
export function wordsOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing';
  return Array.isArray(value) ? value.map(String).join(', ') : String(value);
}

function isConflict(error: FieldErrorView): boolean {
  return error.theirs !== undefined;
}

export function isValues(value: JsonValue | undefined): value is { [field: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Comparison ignores the order of fields. */
function text(values: Values): string {
  return JSON.stringify(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
}
