import { createContext, useContext } from 'react';

import type { ChangeSetView } from '../ipc';
import type { CallItem } from '../state/session';

/** The change sets of the open chat, as last read. */
export const ChangeSetsContext = createContext<readonly ChangeSetView[]>([]);

/** That all a call wrote was undone, and when; none while something of it stands. */
export function useUndone(call: CallItem): { at: string | null } | null {
  return undoneOf(useContext(ChangeSetsContext), call);
}

export function undoneOf(sets: readonly ChangeSetView[], call: CallItem): { at: string | null } | null {
  const set = sets.find((other) => other.id === call.result?.changeSet);
  const notes = set?.notes.filter((note) => note.call === call.call) ?? [];
  return set && notes.length > 0 && notes.every((note) => note.undone) ? { at: set.undone_at } : null;
}
