// The window's only store: applies events with the pure reducers, and runs commands. A single subscription to
// the backend, however many components use it.

import type { Backend, Envelope } from '../ipc';
import { type Access, type StoreState, toolsOf } from './actions/access';
import { changeActions } from './actions/changes';
import { layoutActions } from './actions/layout';
import { messageActions } from './actions/messages';
import { queueActions } from './actions/queue';
import { sendingOf } from './actions/sending';
import { sessionActions } from './actions/sessions';
import { settingsActions } from './actions/settings';
import { glanceActions } from './actions/glances';
import { startActions } from './actions/start';
import { trashActions } from './actions/trash';
import { firstState, reduceApp, type AppState } from './app';
import { reduce, withVaultFolder } from './session';

export type { StoreState };

export interface Store {
  get(): StoreState;
  listen(onChange: () => void): () => void;
  readonly actions: Actions;
  /** Ends the subscription. */
  close(): void;
}

export type Actions = ReturnType<typeof makeActions>;

export interface StoreOptions {
  /** Milliseconds between renders of a stream; 0 renders each event. */
  readonly flushEvery?: number;
  readonly initial?: Partial<AppState>;
}

export function createStore(backend: Backend, { flushEvery = 50, initial = {} }: StoreOptions = {}): Store {
  let state: StoreState = { app: { ...firstState, ...initial }, streams: {} };
  const listeners = new Set<() => void>();
  const set = (next: StoreState) => {
    if (next === state) return;
    state = next;
    for (const listener of listeners) listener();
  };

  // Events are batched, so that a fast stream renders at most 20 times a second: more is unreadable, and each
  // one re-renders the window.
  let waiting: Envelope[] = [];
  let flushedAt = -Infinity;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    flushedAt = performance.now();
    const events = waiting;
    waiting = [];
    set(events.reduce(reduceAll, state));
    if (events.some((event) => event.type === 'session_changed')) void actions.loadSessions();
    // Emitted when the session is free again, which is after the end of its turn.
    for (const event of events) if (event.type === 'session_changed') void actions.sendDue(event.id);
    if (events.some((event) => event.type === 'registry_changed')) {
      void actions.loadSkillNames();
      void actions.loadSkillPanels();
      void actions.loadGlances();
    }
    if (events.some((event) => event.type === 'vault_changed')) {
      void actions.loadProblems();
      void actions.loadGlances();
    }
    if (events.some((event) => event.type === 'change_set')) void actions.loadInterrupted();
    for (const event of events) if (event.type === 'page_requested') actions.showRequested(event.page);
    if (events.some((event) => event.type === 'vault_opened')) void actions.beginVault();
    else if (events.some((event) => event.type === 'vault_back' && event.root === null)) void actions.start();
  };
  const collectors = new Map<string, Envelope[]>();
  const unsubscribe = backend.subscribe((event) => {
    if (event.session !== undefined) collectors.get(event.session)?.push(event);
    waiting.push(event);
    const wait = flushEvery - (performance.now() - flushedAt);
    if (wait <= 0) flush();
    else timer ??= setTimeout(flush, wait);
  });

  const access: Access = {
    backend,
    get: () => state,
    // A command's result is never shown before earlier events.
    set: (change) => {
      if (waiting.length > 0) flush();
      set(change(state));
    },
    collect: (session) => {
      const events = collectors.get(session) ?? [];
      collectors.set(session, events);
      return { events, end: () => collectors.delete(session) };
    },
  };
  const actions = makeActions(access);

  return {
    get: () => state,
    listen: (onChange) => {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    actions,
    close: () => {
      unsubscribe();
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function reduceAll(state: StoreState, event: Envelope): StoreState {
  const app = reduceApp(state.app, event);
  if (event.type === 'vault_gone' || event.type === 'vault_back') {
    const streams = Object.entries(state.streams).map(([session, stream]) => [session, withVaultFolder(stream, event)] as const);
    return { app, streams: Object.fromEntries(streams) };
  }
  const stream = event.session === undefined ? undefined : state.streams[event.session];
  if (event.session === undefined || stream === undefined) return app === state.app ? state : { ...state, app };
  return { app, streams: { ...state.streams, [event.session]: reduce(stream, event) } };
}

function makeActions(access: Access) {
  const tools = toolsOf(access);
  const sessions = { ...sessionActions(tools), ...trashActions(tools) };
  const sending = sendingOf(tools);
  const queue = queueActions(tools, sending);
  const messages = { ...messageActions(tools, sending, { ...sessions, ...queue }), ...queue };
  const changes = changeActions(tools);
  const glances = glanceActions(tools);
  const start = startActions(tools, { ...sessions, ...messages, ...changes, ...glances });
  return { ...sessions, ...messages, ...changes, ...glances, ...settingsActions(tools), ...layoutActions(tools), ...start };
}
