// The order of a chat's turns. The log is linear; if two turns follow the same one, the newer is active until
// the user chooses the other. The backend follows the same rules.

export interface Branches {
  /** Each turn with its predecessor, null for a first one; in log order. */
  readonly turns: readonly { readonly turn: string; readonly before: string | null }[];
  /** The active successor by turn (null for the beginning), if there are several. */
  readonly next: ReadonlyMap<string | null, string>;
  /** The last turn of the active branch. */
  readonly last: string | null;
}

export const noBranches: Branches = { turns: [], next: new Map(), last: null };

/** `after`: undefined in a log from before branches existed, where each turn follows the last. */
export function started(branches: Branches, turn: string, after?: string | null): Branches {
  if (has(branches, turn)) return branches;
  const known = after === null || (after !== undefined && has(branches, after));
  const before = known ? after : branches.last;
  const turns = [...branches.turns, { turn, before }];
  if (before === branches.last) return { ...branches, turns, last: turn };
  return chosen({ ...branches, turns }, turn);
}

/** Activates the turn, its predecessors and its last active successors. */
export function chosen(branches: Branches, turn: string): Branches {
  if (!has(branches, turn)) return branches;
  const before = new Map(branches.turns.map((link) => [link.turn, link.before]));
  const next = new Map(branches.next);
  for (let at: string | null = turn; at !== null; at = before.get(at) ?? null) next.set(before.get(at) ?? null, at);
  return { ...branches, next, last: inForce({ ...branches, next }).at(-1) ?? null };
}

/** The turns of the active branch, oldest first. */
export function inForce({ turns, next }: Branches): string[] {
  const after = new Map<string | null, string>(turns.map(({ turn, before }) => [before, turn]));
  const found: string[] = [];
  for (let at: string | null | undefined = null; at !== undefined; ) {
    at = next.get(at) ?? after.get(at);
    if (at !== undefined) found.push(at);
  }
  return found;
}

/** The predecessor; null for a first turn, undefined for an unknown one. */
export function beforeOf({ turns }: Branches, turn: string): string | null | undefined {
  return turns.find((link) => link.turn === turn)?.before;
}

/** The turns with the same predecessor, oldest first. */
export function siblings(branches: Branches, turn: string): string[] {
  const before = beforeOf(branches, turn);
  return before === undefined ? [] : branches.turns.flatMap((link) => (link.before === before ? [link.turn] : []));
}

export function has({ turns }: Branches, turn: string): boolean {
  return turns.some((link) => link.turn === turn);
}
