// What a turn did, put together from its steps and calls. Pure.
import type { CallItem, Step, Turn } from '../state/session';

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
