import { createContext, useContext } from 'react';

import type { ChangeSetView } from '../ipc';
import type { CallItem } from '../state/session';

/** The open chat's change sets, as last loaded. */
export const ChangeSetsContext = createContext<readonly ChangeSetView[]>([]);

/** When all writes of a call were undone; null while any of them remains. */
export function useUndone(call: CallItem): { at: string | null } | null {
  return undoneOf(useContext(ChangeSetsContext), call);
}

export function undoneOf(sets: readonly ChangeSetView[], call: CallItem): { at: string | null } | null {
  const set = sets.find((other) => other.id === call.result?.changeSet);
  const notes = set?.notes.filter((note) => note.call === call.call) ?? [];
  return set && notes.length > 0 && notes.every((note) => note.undone) ? { at: set.undone_at } : null;
}
