// Finds the change sets of the last turn, and who allowed them.
import type { ChangeSetView } from '../ipc';
import { clockTime, noteName } from '../shared';
import type { SetConflict } from '../state/app';
import type { CallItem, SessionState } from '../state/session';

export interface TurnChanges {
  /** Newest first. */
  readonly sets: readonly ChangeSetView[];
  /** "Allowed once at 14:31, by you" */
  readonly allowed: string | null;
}

/**
 * The last turn's change sets, given its `calls`, and the chat's others; `sets` are newest first. Interrupted
 * ones, which are listed separately, are in neither.
 */
export function changesOf(
  sets: readonly ChangeSetView[],
  calls: readonly CallItem[],
  interrupted: readonly ChangeSetView[],
): { turn: TurnChanges; earlier: readonly ChangeSetView[] } {
  const ids = new Set(calls.map((call) => call.result?.changeSet));
  const shown = sets.filter((set) => set.notes.length > 0 && !interrupted.some((other) => other.id === set.id));
  return {
    turn: { sets: shown.filter((set) => ids.has(set.id)), allowed: allowedText(calls) },
    earlier: shown.filter((set) => !ids.has(set.id)),
  };
}

/** The calls of the last turn. */
export function lastCalls({ turns }: SessionState): readonly CallItem[] {
  return (turns.at(-1)?.items ?? []).filter((item) => item.kind === 'call');
}

/** Whether any part is still as Nova wrote it. */
export function stands(set: ChangeSetView): boolean {
  return set.notes.some((note) => !note.undone);
}

/** "Jane Doe, Rollout left as they are.", for undecided notes; null if there are none. */
export function leftText(met: readonly SetConflict[]): string | null {
  const left = met.filter(({ decided }) => decided === null).map(({ conflict }) => noteName(conflict.path).name);
  if (left.length === 0) return null;
  const more = left.length > 3 ? ` and ${left.length - 3} more` : '';
  return `${left.slice(0, 3).join(', ')}${more} left ${left.length === 1 ? 'as it is' : 'as they are'}.`;
}

function allowedText(calls: readonly CallItem[]): string | null {
  const decided = calls.findLast((call) => (call.result?.changes.length ?? 0) > 0 && call.approval?.decided)?.approval?.decided;
  if (!decided) return null;
  const how = { once: 'once', session: 'for this chat', always: 'always', deny: '', cancel: '' }[decided.decision];
  const by = decided.by === 'user' || decided.by === 'you' ? 'you' : decided.by;
  return `Allowed ${how} at ${clockTime(decided.at)}, by ${by}`;
}
