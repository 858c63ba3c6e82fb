// What parts of a turn know about the rest of it. Stays identical while an answer streams, so that a word
// only re-renders the message it belongs to.
import { sameList } from '../state/same';
import type { CallItem, SessionState, Turn } from '../state/session';

export type Around = Pick<Turn, 'text' | 'skills' | 'tool' | 'status'> & { readonly calls: readonly CallItem[] };

/** Finished turns are queried at each step of another one's stream. */
const known = new WeakMap<Turn, Around>();

export function aroundOf(turn: Turn | undefined): Around | null {
  if (turn === undefined) return null;
  const { text, skills, tool, status, items } = turn;
  const around = known.get(turn) ?? { text, skills, tool, status, calls: items.filter((item) => item.kind === 'call') };
  known.set(turn, around);
  return around;
}

export function sameAround(before: Around | null, now: Around | null): boolean {
  if (before === null || now === null) return before === now;
  return (
    before.status === now.status &&
    before.text === now.text &&
    before.tool === now.tool &&
    before.skills === now.skills &&
    sameList(before.calls, now.calls)
  );
}

/** Cached likewise, by session state. */
const byId = new WeakMap<SessionState['all'], ReadonlyMap<string, Turn>>();

/** Also finds turns of other branches: the page shows the old branch until it is updated. */
export function turnOf({ all }: SessionState, id: string): Turn | undefined {
  const found = byId.get(all) ?? new Map(all.map((turn) => [turn.id, turn]));
  byId.set(all, found);
  return found.get(id);
}
