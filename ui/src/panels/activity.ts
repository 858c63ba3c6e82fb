// Summarises turns from their steps and calls. Pure.
import type { ModelPlace } from '../shared';
import { sameList } from '../state/same';
import type { CallItem, SessionState, Step, Turn } from '../state/session';

export interface TurnActivity {
  readonly turn: Turn;
  readonly steps: readonly Step[];
  readonly calls: readonly CallItem[];
  /** The host of its requests; null for this machine, undefined if the log does not say. */
  readonly host: string | null | undefined;
  /** Paths of notes read by its tools. */
  readonly read: readonly string[];
  /** Paths of notes contained in its requests, including those read by earlier turns. */
  readonly sent: readonly string[];
  /** Number of further notes that earlier turns already sent to the same host. */
  readonly sentBefore: number;
  /** Tokens of all requests. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** Usage of its sub-agents. */
  readonly agents: { readonly count: number; readonly requests: number; readonly tokens: number };
}

/** For every turn of a conversation, oldest first. */
export function activitiesOf({ turns }: SessionState): readonly TurnActivity[] {
  return turns.map((turn) => {
    const activity = known.get(turn) ?? activityOf(turn);
    known.set(turn, activity);
    return activity;
  });
}

const known = new WeakMap<Turn, TurnActivity>();

/** Whether nothing changed except a streaming answer. */
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

/** Where a turn's model ran, and which notes were sent to it. */
export interface Leaving {
  readonly local: boolean;
  readonly host: string | null;
  /** Notes sent elsewhere. */
  readonly notes: readonly string[];
  /** Notes read but not sent. */
  readonly kept: readonly string[];
}

/** `listed` is the model's current location, for older logs whose requests do not record theirs. */
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
