// What a turn did, put together from its steps and calls. Pure.
import { sameList } from '../state/same';
import type { CallItem, SessionState, Step, Turn } from '../state/session';

export interface TurnActivity {
  readonly turn: Turn;
  readonly steps: readonly Step[];
  readonly calls: readonly CallItem[];
  /** Paths of the notes whose contents tools gave the model, in the order of the first of them. */
  readonly notes: readonly string[];
  /** Tokens of all requests. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
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

export function activityOf(turn: Turn): TurnActivity {
  const calls = turn.items.filter((item): item is CallItem => item.kind === 'call');
  const sources = calls.flatMap(({ result }) => result?.sources ?? []);
  const sum = (part: 'input' | 'cached' | 'output') => turn.steps.reduce((all, { usage }) => all + (usage?.[part] ?? 0), 0);
  return {
    turn,
    steps: turn.steps,
    calls,
    notes: [...new Set(sources.flatMap((source) => (source.kind === 'note' ? [source.path] : [])))],
    input: sum('input'),
    cached: sum('cached'),
    output: sum('output'),
  };
}
