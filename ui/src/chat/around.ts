// What the parts of a turn know of the turn around them. It stays the same while an answer grows, so that a word
// more draws nothing but the message that it is of.
import { sameList } from '../state/same';
import type { CallItem, SessionState, Turn } from '../state/session';

export type Around = Pick<Turn, 'text' | 'skills' | 'tool' | 'status'> & { readonly calls: readonly CallItem[] };

/** Of turns that have ended they are asked for at each step of the stream of another. */
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

/** So is each turn. */
const byId = new WeakMap<SessionState['all'], ReadonlyMap<string, Turn>>();

/** Also of another branch: when one is chosen, the page shows the old one until it is told. */
export function turnOf({ all }: SessionState, id: string): Turn | undefined {
  const found = byId.get(all) ?? new Map(all.map((turn) => [turn.id, turn]));
  byId.set(all, found);
  return found.get(id);
}
