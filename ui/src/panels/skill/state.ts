// Data loaded by a panel. Pure, without a clock. A tool with its arguments is one request, however many parts
// show it.

import type { JsonValue, ToolResult, UserError } from '../../ipc';

export interface Asked {
  /** `skill.tool` */
  readonly tool: string;
  readonly args: Readonly<Record<string, JsonValue>>;
}

export interface Read extends Asked {
  /** The run in progress. */
  readonly run: string | null;
  /** The last successful result; kept during a reload and after a failed one. */
  readonly result: ToolResult | null;
  /** Time of that result, RFC 3339. */
  readonly at: string | null;
  /** The error of the last load. */
  readonly error: UserError | null;
  /** Something changed since the last call began, so it must be reloaded. */
  readonly stale: boolean;
}

export type Reads = Readonly<Record<string, Read>>;

export type ReadEvent =
  | { readonly type: 'begun'; readonly asked: Asked; readonly run: string }
  | { readonly type: 'ended'; readonly asked: Asked; readonly run: string; readonly at: string; readonly result: ToolResult }
  /** Notes or tools changed, or the user requests a reload, of everything or of this key. */
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

/** Data of a closed panel, as initial data of the next. Running calls are abandoned. */
export function settled(reads: Reads): Reads {
  const known = Object.entries(reads).filter(([, { result, error }]) => result !== null || error !== null);
  return Object.fromEntries(known.map(([key, read]) => [key, { ...read, run: null }]));
}

/** The wanted requests that are due: never loaded, or stale and not loading. */
export function dueReads(reads: Reads, wanted: readonly Asked[]): Asked[] {
  const due = new Map<string, Asked>();
  for (const asked of wanted) {
    const read = reads[keyOf(asked)];
    if (read === undefined || (read.stale && read.run === null)) due.set(keyOf(asked), asked);
  }
  return [...due.values()];
}

/** Identifies a tool with its arguments, in any order. */
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
