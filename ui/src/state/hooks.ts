// Hooks to select from the store and to call the backend.

import { createContext, useCallback, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';

import { useBackend, userError, type Method, type Params, type Result, type UserError } from '../ipc';
import type { AppState } from './app';
import { emptySession, type SessionState } from './session';
import type { Actions, Store } from './store';

const StoreContext = createContext<Store | null>(null);

export const StoreProvider = StoreContext.Provider;

function useStore(): Store {
  const store = useContext(StoreContext);
  if (!store) throw new Error('The store is missing: wrap the component in a StoreProvider');
  return store;
}

/** Selects from the state. `select` must return the same value for the same state, not a new object. */
export function useApp<T>(select: (app: AppState) => T): T {
  const store = useStore();
  return useSyncExternalStore(store.listen, () => select(store.get().app));
}

/**
 * The conversation of a session or form run, by default the open session. Re-renders with each streamed word.
 */
export function useSession(id?: string | null): SessionState;
/** Selects from the open session's conversation: return the same object, or pass `same` to compare. */
export function useSession<T>(select: (session: SessionState) => T, same?: (before: T, now: T) => boolean): T;
export function useSession<T>(
  which?: string | null | ((session: SessionState) => T),
  same?: (before: T, now: T) => boolean,
): SessionState | T {
  const store = useStore();
  const keep = useMemo(() => keeper<T>(), []);
  return useSyncExternalStore(store.listen, () => {
    if (typeof which !== 'function') return store.get().streams[which ?? store.get().app.open ?? ''] ?? emptySession;
    return keep(which(openSession(store)), same);
  });
}

/** Calls back on every change of the open session's conversation, without rendering. */
export function useEverySession(onSession: (session: SessionState, id: string | null) => void): void {
  const store = useStore();
  useEffect(() => {
    const report = () => onSession(openSession(store), store.get().app.open);
    report();
    return store.listen(report);
  }, [store, onSession]);
}

function openSession(store: Store): SessionState {
  const { app, streams } = store.get();
  return streams[app.open ?? ''] ?? emptySession;
}

/** Returns the previous value if the new one is equal. */
function keeper<T>(): (now: T, same?: (before: T, now: T) => boolean) => T {
  let last: { readonly value: T } | null = null;
  return (now, same = Object.is) => {
    if (last === null || !same(last.value, now)) last = { value: now };
    return last.value;
  };
}

export function useActions(): Actions {
  return useStore().actions;
}

export interface Loaded<T> {
  /** Kept during reloads. */
  readonly data: T | null;
  readonly error: UserError | null;
  readonly loading: boolean;
  readonly reload: () => void;
}

/**
 * A command's result, reloaded when `params` or `revision` change. `null` params load nothing. Only for
 * commands without side effects.
 */
export function useRpc<M extends Method>(method: M, params: Params<M> | null, revision: unknown = 0): Loaded<Result<M>> {
  const backend = useBackend();
  const [again, setAgain] = useState(0);
  const key = params === null ? null : JSON.stringify([method, params]);
  const [answer, setAnswer] = useState<{ key: string | null; of: string; data: Result<M> | null; error: UserError | null }>(
    { key: null, of: '', data: null, error: null },
  );
  const of = `${key ?? ''}#${String(revision)}#${again}`;

  useEffect(() => {
    if (key === null) return;
    let current = true;
    const [, asked] = JSON.parse(key) as [M, Params<M>];
    backend.rpc(method, asked).then(
      (data) => current && setAnswer({ key, of, data, error: null }),
      (thrown: unknown) =>
        current && setAnswer((old) => ({ key, of, data: old.key === key ? old.data : null, error: userError(thrown) })),
    );
    return () => {
      current = false;
    };
  }, [backend, method, key, of]);

  const reload = useCallback(() => setAgain((count) => count + 1), []);
  const known = answer.key === key;
  return {
    data: known ? answer.data : null,
    error: known ? answer.error : null,
    loading: key !== null && answer.of !== of,
    reload,
  };
}
