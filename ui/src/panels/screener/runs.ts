// Long-running calls of the panel: scans, back-tests, proposals. They are stored per backend, so they continue while the
// panel is unmounted.

import { useMemo, useSyncExternalStore } from 'react';

import { useBackend, type Backend, type Effect, type JsonValue, type ToolResult } from '../../ipc';
import { useActions } from '../../state/hooks';
import { useCall } from '../skill/Region';
import { keyOf, type Asked } from '../skill/state';
import { failed } from '../skill/useReads';
import type { Draft } from './draft';

export type RunKind = 'scan' | 'test' | 'trades';

/** The request of a run and the draft it was started from. */
interface Of {
  readonly asked: Asked;
  readonly screen: string;
  readonly draft: Draft;
}

/** A full or partial result with its request. */
export interface Found extends Of {
  readonly value: JsonValue;
}

export interface Run extends Of {
  /** Run id; the `session` of its events. */
  readonly id: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly stopping: boolean;
  /** null while running. */
  readonly result: ToolResult | null;
  readonly endedAt: string | null;
  /** Result of an earlier run, shown until this one has any. */
  readonly before: Found | null;
}

export type Runs = Readonly<Partial<Record<RunKind, Run>>>;

interface Store {
  get(): Runs;
  put(kind: RunKind, run: Run): void;
  listen(onChange: () => void): () => void;
}

const all = new WeakMap<Backend, Map<string, Store>>();

/** By skill, for as long as the window is open. */
function storeOf(backend: Backend, skill: string): Store {
  const own = all.get(backend) ?? new Map<string, Store>();
  all.set(backend, own);
  const store = own.get(skill) ?? emptyStore();
  own.set(skill, store);
  return store;
}

function emptyStore(): Store {
  let runs: Runs = {};
  const listeners = new Set<() => void>();
  return {
    get: () => runs,
    put: (kind, run) => {
      runs = { ...runs, [kind]: run };
      listeners.forEach((tell) => tell());
    },
    listen: (onChange) => {
      listeners.add(onChange);
      return () => void listeners.delete(onChange);
    },
  };
}

export interface PanelRuns {
  readonly runs: Runs;
  /** Replaces a running call of its kind; an identical request is ignored while running. `before`: the result shown now. */
  start(kind: RunKind, asked: Asked, of: Omit<Of, 'asked'>, before: Found | null): void;
  stop(kind: RunKind): void;
}

export function useRuns(skill: string): PanelRuns {
  const backend = useBackend();
  const { watch, unwatch } = useActions();
  const store = storeOf(backend, skill);
  const runs = useSyncExternalStore(store.listen, store.get);
  const acts = useMemo(() => {
    const change = (kind: RunKind, id: string, part: Partial<Run>) => {
      const run = store.get()[kind];
      if (run?.id === id) store.put(kind, { ...run, ...part });
    };
    const stop = (kind: RunKind) => {
      const run = store.get()[kind];
      if (!run || run.result !== null || run.stopping) return;
      change(kind, run.id, { stopping: true });
      backend.rpc('stop_tool', { run: run.id }).catch(() => change(kind, run.id, { stopping: false }));
    };
    const start: PanelRuns['start'] = (kind, asked, of, before) => {
      const old = store.get()[kind];
      // Double click.
      if (old?.result === null && !old.stopping && keyOf(old.asked) === keyOf(asked)) return;
      stop(kind);
      const id = `panel-${crypto.randomUUID()}`;
      watch(id);
      store.put(kind, { id, asked, ...of, startedAt: new Date().toISOString(), stopping: false, result: null, endedAt: null, before });
      backend
        .rpc('call_tool', { ...asked, args: { ...asked.args }, run: id })
        .catch(failed)
        .then((result) => {
          change(kind, id, { result, endedAt: new Date().toISOString(), stopping: false });
          unwatch(id);
        });
    };
    return { start, stop };
  }, [backend, store, watch, unwatch]);
  return { runs, ...acts };
}

/** The result of an ended run: its value, else its last partial, else the earlier result. */
function foundBy({ result, before, asked, screen, draft }: Run): Found | null {
  const value = (result?.ok ? result.value : result?.so_far) ?? null;
  return value === null ? before : { value, asked, screen, draft };
}

export interface RunView {
  readonly run: Run;
  readonly found: Found | null;
  readonly isRunning: boolean;
  /** `found` is the result of an earlier run. */
  readonly isBefore: boolean;
  readonly fraction: number | null;
  readonly message: string | null;
  readonly effect: Effect | null;
}

/** A run with its progress, or null. */
export function useRun(run: Run | undefined): RunView | null {
  const call = useCall(run?.id ?? '');
  if (!run) return null;
  const { asked, screen, draft } = run;
  const partial = run.result === null ? (call?.progress?.partial ?? null) : null;
  const found = partial === null ? foundBy(run) : { value: partial, asked, screen, draft };
  return {
    run,
    found,
    isRunning: run.result === null,
    isBefore: found !== null && found === run.before,
    fraction: call?.progress?.fraction ?? null,
    message: call?.progress?.message ?? null,
    effect: call?.effect ?? null,
  };
}
