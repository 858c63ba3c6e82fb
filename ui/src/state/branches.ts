// Which turn of a chat comes after which. The log is one line; where two turns come after the same one,
// the newer is in force until the user chooses the other. The backend follows the same rules.

export interface Branches {
  /** Each turn with the one before it, null for a first one; in the order of the log. */
  readonly turns: readonly { readonly turn: string; readonly before: string | null }[];
  /** By turn, or null for the beginning, which one is in force after it, where there are several. */
  readonly next: ReadonlyMap<string | null, string>;
  /** The last turn in force. */
  readonly last: string | null;
}

export const noBranches: Branches = { turns: [], next: new Map(), last: null };

/** `after`: undefined in a log from before there were branches, where each turn comes after the last. */
export function started(branches: Branches, turn: string, after?: string | null): Branches {
  if (has(branches, turn)) return branches;
  const known = after === null || (after !== undefined && has(branches, after));
  const before = known ? after : branches.last;
  const turns = [...branches.turns, { turn, before }];
  if (before === branches.last) return { ...branches, turns, last: turn };
  return chosen({ ...branches, turns }, turn);
}

/** The turn, what it comes after and what came last after it are in force. */
export function chosen(branches: Branches, turn: string): Branches {
  if (!has(branches, turn)) return branches;
  const before = new Map(branches.turns.map((link) => [link.turn, link.before]));
  const next = new Map(branches.next);
  for (let at: string | null = turn; at !== null; at = before.get(at) ?? null) next.set(before.get(at) ?? null, at);
  return { ...branches, next, last: inForce({ ...branches, next }).at(-1) ?? null };
}

/** The turns of the branch in force, oldest first. */
export function inForce({ turns, next }: Branches): string[] {
  const after = new Map<string | null, string>(turns.map(({ turn, before }) => [before, turn]));
  const found: string[] = [];
  for (let at: string | null | undefined = null; at !== undefined; ) {
    at = next.get(at) ?? after.get(at);
    if (at !== undefined) found.push(at);
  }
  return found;
}

/** The turn before; null for a first one, undefined for one that is not known. */
export function beforeOf({ turns }: Branches, turn: string): string | null | undefined {
  return turns.find((link) => link.turn === turn)?.before;
}

/** The turns that come after the same one as this, oldest first. */
export function siblings(branches: Branches, turn: string): string[] {
  const before = beforeOf(branches, turn);
  return before === undefined ? [] : branches.turns.flatMap((link) => (link.before === before ? [link.turn] : []));
}

export function has({ turns }: Branches, turn: string): boolean {
  return turns.some((link) => link.turn === turn);
}
