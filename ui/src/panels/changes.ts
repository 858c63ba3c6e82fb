// Which change sets belong to the last turn, and who allowed them.
import type { ChangeSetView } from '../ipc';
import { clockTime } from '../shared';
import type { CallItem, SessionState } from '../state/session';

export interface TurnChanges {
  /** Newest first. */
  readonly sets: readonly ChangeSetView[];
  /** "Allowed once at 14:31, by you" */
  readonly allowed: string | null;
}

/** The last turn's change sets, and the others of the chat; `sets` are newest first. */
export function changesOf(sets: readonly ChangeSetView[], state: SessionState): { turn: TurnChanges; earlier: readonly ChangeSetView[] } {
  const calls = (state.turns.at(-1)?.items ?? []).filter((item) => item.kind === 'call');
  const ids = new Set(calls.map((call) => call.result?.changeSet));
  return {
    turn: { sets: sets.filter((set) => ids.has(set.id) && set.notes.length > 0), allowed: allowedText(calls) },
    earlier: sets.filter((set) => !ids.has(set.id) && set.notes.length > 0),
  };
}

/** Something of it is still as Nova wrote it. */
export function stands(set: ChangeSetView): boolean {
  return set.notes.some((note) => !note.undone);
}

function allowedText(calls: readonly CallItem[]): string | null {
  const decided = calls.findLast((call) => (call.result?.changes.length ?? 0) > 0 && call.approval?.decided)?.approval?.decided;
  if (!decided) return null;
  const how = { once: 'once', session: 'for this chat', always: 'always', deny: '' }[decided.decision];
  const by = decided.by === 'user' || decided.by === 'you' ? 'you' : decided.by;
  return `Allowed ${how} at ${clockTime(decided.at)}, by ${by}`;
}
