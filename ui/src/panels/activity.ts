// What a turn did, put together from its steps and calls. Pure.
import type { ModelPlace } from '../shared';
import { sameList } from '../state/same';
import type { CallItem, SessionState, Step, Turn } from '../state/session';

export interface TurnActivity {
  readonly turn: Turn;
  readonly steps: readonly Step[];
  readonly calls: readonly CallItem[];
  /** The host that its requests went to; null for this machine, undefined where the log does not say. */
  readonly host: string | null | undefined;
  /** Paths of the notes that its tools read. */
  readonly read: readonly string[];
  /** Paths of the notes that its requests told of, those that earlier turns read among them. */
  readonly sent: readonly string[];
  /** How many more went along that earlier turns told the same host of. */
  readonly sentBefore: number;
  /** Tokens of all requests. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** What its sub-agents spent. */
  readonly agents: { readonly count: number; readonly requests: number; readonly tokens: number };
}

/** Of every turn of a conversation, oldest first. */
export function activitiesOf({ turns }: SessionState): readonly TurnActivity[] {
  return turns.map((turn) => {
    const activity = known.get(turn) ?? activityOf(turn);
    known.set(turn, activity);
    return activity;
  });
}

const known = new WeakMap<Turn, TurnActivity>();

/** Whether nothing was done since but that an answer has grown. */
export function sameActivities(before: readonly TurnActivity[], now: readonly TurnActivity[]): boolean {
  return before.length === now.length && before.every((one, at) => sameActivity(one, now[at]));
}

function sameActivity(one: TurnActivity, other: TurnActivity | undefined): boolean {
  if (one === other) return true;
  const { turn } = one;
  return (
    turn.id === other?.turn.id &&
    turn.status === other.turn.status &&
    one.steps === other.steps &&
    sameList(one.calls, other.calls)
  );
}

/** Where a turn's model ran, and which notes left this machine with its requests. */
export interface Leaving {
  readonly local: boolean;
  readonly host: string | null;
  /** Those that left. */
  readonly notes: readonly string[];
  /** Those that were read for it and did not leave. */
  readonly kept: readonly string[];
}

/** `listed`: where its model runs now, for logs from before requests told where they went. */
export function leavingOf({ host, read, sent }: TurnActivity, listed: ModelPlace | null): Leaving {
  if (host === undefined) {
    const remote = listed?.where === 'elsewhere';
    return { local: !remote, host: listed === null || listed.where === 'unknown' ? null : listed.host, notes: remote ? read : [], kept: remote ? [] : read };
  }
  if (host === null) return { local: true, host: listed?.where === 'here' ? listed.host : null, notes: [], kept: read };
  const left = new Set(sent);
  return { local: false, host, notes: sent, kept: read.filter((path) => !left.has(path)) };
}

export function activityOf(turn: Turn): TurnActivity {
  const calls = turn.items.filter((item): item is CallItem => item.kind === 'call');
  const agents = calls.flatMap(({ subAgent }) => subAgent ?? []);
  const sources = calls.flatMap(({ result }) => result?.sources ?? []);
  const sum = (part: 'input' | 'cached' | 'output') => turn.steps.reduce((all, { usage }) => all + (usage?.[part] ?? 0), 0);
  return {
    turn,
    steps: turn.steps,
    calls,
    host: turn.steps.at(-1)?.host,
    read: [...new Set(sources.flatMap((source) => (source.kind === 'note' ? [source.path] : [])))],
    sent: [...new Set([...turn.steps.flatMap(({ notes }) => notes), ...agents.flatMap(({ sent }) => sent)])],
    sentBefore: turn.steps.reduce((most, { notesBefore }) => Math.max(most, notesBefore), 0),
    input: sum('input'),
    cached: sum('cached'),
    output: sum('output'),
    agents: {
      count: agents.length,
      requests: agents.reduce((all, { steps }) => all + steps, 0),
      tokens: agents.reduce((all, agent) => all + agent.tokens, 0),
    },
  };
}
