// How components look at the store and ask the backend.

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

/** A part of the state. `select` gives the same value for the same state: no new object each time. */
export function useApp<T>(select: (app: AppState) => T): T {
  const store = useStore();
  return useSyncExternalStore(store.listen, () => select(store.get().app));
}

/** The conversation of a session or of a form run; the open session's where none is named. Drawn anew with each word of it. */
export function useSession(id?: string | null): SessionState;
/** A part of the open session's conversation: no new object each time, or `same` tells that it says what the last one said. */
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

/** Tells of every step of the open session's conversation, without drawing anything. */
export function useEverySession(tell: (session: SessionState, id: string | null) => void): void {
  const store = useStore();
  useEffect(() => {
    const look = () => tell(openSession(store), store.get().app.open);
    look();
    return store.listen(look);
  }, [store, tell]);
}

function openSession(store: Store): SessionState {
  const { app, streams } = store.get();
  return streams[app.open ?? ''] ?? emptySession;
}

/** Gives the value that was given last where the new one says the same. */
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
  /** Kept while it is read again. */
  readonly data: T | null;
  readonly error: UserError | null;
  readonly loading: boolean;
  readonly reload: () => void;
}

/**
 * What a command answers, read again when `params` or `revision` differ. `null` params read nothing.
 * Only for commands that change nothing.
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
