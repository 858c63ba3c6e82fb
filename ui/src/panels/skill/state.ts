// What a panel has read, as data: pure, no clock and no identity of its own.
// A distinct tool with its arguments is one read, however many parts show it.

import type { JsonValue, ToolResult, UserError } from '../../ipc';

export interface Asked {
  /** `skill.tool` */
  readonly tool: string;
  readonly args: Readonly<Record<string, JsonValue>>;
}

export interface Read extends Asked {
  /** The call that runs now. */
  readonly run: string | null;
  /** The last answer that succeeded; kept while it is read again and when that fails. */
  readonly result: ToolResult | null;
  /** When that answer came, RFC 3339. */
  readonly at: string | null;
  /** Why the last reading failed. */
  readonly error: UserError | null;
  /** Something changed since the last call began: it is read once more. */
  readonly stale: boolean;
}

export type Reads = Readonly<Record<string, Read>>;

export type ReadEvent =
  | { readonly type: 'begun'; readonly asked: Asked; readonly run: string }
  | { readonly type: 'ended'; readonly asked: Asked; readonly run: string; readonly at: string; readonly result: ToolResult }
  /** Notes or tools changed, or the user asks: whatever was read may be old, or what has this key. */
  | { readonly type: 'changed'; readonly key?: string };

export function reduceReads(reads: Reads, event: ReadEvent): Reads {
  switch (event.type) {
    case 'begun': {
      const { tool, args } = event.asked;
      const before = reads[keyOf(event.asked)] ?? { tool, args, result: null, at: null, error: null };
      return { ...reads, [keyOf(event.asked)]: { ...before, run: event.run, stale: false } };
    }
    case 'ended': {
      const key = keyOf(event.asked);
      const before = reads[key];
      if (before?.run !== event.run) return reads;
      const { result, at } = event;
      const answer = result.ok ? { result, at, error: null } : { error: result.error ?? silent(event.asked.tool) };
      return { ...reads, [key]: { ...before, ...answer, run: null } };
    }
    case 'changed':
      return Object.fromEntries(Object.entries(reads).map(([key, read]) => [key, event.key === undefined || event.key === key ? { ...read, stale: true } : read]));
  }
}

/** What a panel that was closed had read, as the next one begins with it. A call that still ran is not waited for. */
export function settled(reads: Reads): Reads {
  const known = Object.entries(reads).filter(([, { result, error }]) => result !== null || error !== null);
  return Object.fromEntries(known.map(([key, read]) => [key, { ...read, run: null }]));
}

/** Of what is wanted, what is to be read now: never read, or old and not being read. */
export function dueReads(reads: Reads, wanted: readonly Asked[]): Asked[] {
  const due = new Map<string, Asked>();
  for (const asked of wanted) {
    const read = reads[keyOf(asked)];
    if (read === undefined || (read.stale && read.run === null)) due.set(keyOf(asked), asked);
  }
  return [...due.values()];
}

/** The same for the same tool and arguments, in whatever order they stand. */
export function keyOf({ tool, args }: Asked): string {
  return JSON.stringify([tool, sorted(args)]);
}

function sorted(value: JsonValue | Readonly<Record<string, JsonValue>>): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value as JsonValue;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  );
}

function silent(tool: string): UserError {
  return { code: 'tool_failed', message: `${tool} failed without a reason.`, hint: 'Try again.' };
}
