// Chats: their list, the open one, its branches.
import { nothing, type RequestedPage, type SessionRow, type SessionView, type SetSession } from '../../ipc';
import { askingIn } from '../asking';
import { has } from '../branches';
import { nextAsking } from '../next-asking';
import { emptySession, reduce, replay, type SessionState } from '../session';
import type { Tools } from './access';

/** A stream without loaded events; their numbers may start at 0. */
export const unread: SessionState = { ...emptySession, seq: -1 };

function stored({ row, events, running_calls }: SessionView): SessionState {
  return events.length === 0 ? unread : replay(events, row.running, running_calls);
}

/** Loads a session that is not watched yet, and watches it. */
async function readSession({ backend, get, set, collect }: Tools, id: string): Promise<void> {
  const isListed = get().app.sessions.some((row) => row.id === id);
  if (get().streams[id] !== undefined && (isListed || get().app.unlisted?.id === id)) return;
  // Events that arrive during the load are collected, and those not loaded are applied after it.
  const early = collect(id);
  try {
    const view = await backend.rpc('open_session', { session: id });
    set((state) => {
      const stream = early.events.reduce(reduce, stored(view));
      const { open, opening, sessions, unlisted, asking } = state.app;
      return {
        app: {
          ...state.app,
          opening: open === id ? false : opening,
          sessions: sessions.map((row) => (row.id === id ? view.row : row)),
          unlisted: view.row.parent !== undefined && open === id ? view.row : unlisted,
          asking: askingIn(asking, id, stream),
        },
        streams: { ...state.streams, [id]: state.streams[id] ?? stream },
      };
    });
  } finally {
    early.end();
  }
}

export function sessionActions(tools: Tools) {
  const { backend, get, set, setApp, attempt } = tools;
  const actions = {
    ...rowActions(tools),

    loadSessions: () =>
      attempt(async () => {
        const [sessions, trash] = await Promise.all([backend.rpc('list_sessions', nothing), backend.rpc('list_deleted_sessions', nothing)]);
        setApp((app) => ({ ...app, sessions, trash }));
      }),

    /** An empty conversation; the session is created with its first message. */
    newChat(): void {
      setApp((app) => ({
        ...app,
        open: null,
        opening: false,
        problem: null,
        view: { kind: 'chat' },
        list: { ...app.list, sheet: false },
      }));
    },

    /** A page chosen outside of the window: in the tray's menu, or by a notification. */
    showRequested(page: RequestedPage): void {
      setApp((app) => ({ ...app, over: null, panel: { ...app.panel, wide: false, peek: false } }));
      if (page.kind === 'today') actions.newChat();
      else void actions.openSession(page.session);
    },

    async createSession(): Promise<string> {
      const row = await backend.rpc('create_session', nothing);
      set(({ app, streams }) => {
        const { '': draft, ...drafts } = app.drafts;
        const { '': message, ...sending } = app.sending;
        return {
          app: {
            ...app,
            open: row.id,
            sessions: [row, ...app.sessions.filter((old) => old.id !== row.id)],
            // A draft from before the session existed moves to it.
            drafts: draft ? { ...drafts, [row.id]: draft } : drafts,
            sending: message ? { ...sending, [row.id]: message } : sending,
          },
          streams: { ...streams, [row.id]: streams[row.id] ?? unread },
        };
      });
      return row.id;
    },

    openSession: (id: string) =>
      attempt(async () => {
        setApp((app) => ({
          ...app,
          open: id,
          opening: get().streams[id] === undefined,
          problem: null,
          view: { kind: 'chat' },
          list: { ...app.list, sheet: false },
        }));
        try {
          await readSession(tools, id);
        } catch (thrown) {
          setApp((app) => (app.open === id ? { ...app, open: null, opening: false } : app));
          throw thrown;
        }
      }),

    /** Loads a session without opening it, such as that of a sub-agent. */
    watchSession: (id: string) => attempt(() => readSession(tools, id)),

    /**
     * Shows a chat that waits for an answer, or the next one if one is already visible. Returns false if none
     * waits.
     */
    async showAsking(): Promise<boolean> {
      const session = nextAsking(get().app);
      if (session === null) return false;
      setApp((app) => ({ ...app, panel: { ...app.panel, wide: false, peek: false } }));
      await actions.openSession(session);
      return true;
    },

    /** Opens a chat at a message, in its branch. */
    openAt: (session: string, turn: string) =>
      attempt(async () => {
        await actions.openSession(session);
        const stream = get().streams[session];
        if (get().app.open !== session || !stream) return;
        if (has(stream.branches, turn) && !stream.turns.some((shown) => shown.id === turn)) {
          await backend.rpc('choose_branch', { session, turn });
        }
        setApp((app) => ({ ...app, scrollTarget: { session, turn } }));
      }),

    /** The requested message is visible. */
    found(): void {
      setApp((app) => (app.scrollTarget === null ? app : { ...app, scrollTarget: null }));
    },

    /** Shows another version of a message in the open chat, with what followed it. */
    chooseBranch: (turn: string) =>
      attempt(async () => {
        const session = get().app.open;
        if (session !== null) await backend.rpc('choose_branch', { session, turn });
      }),

    /** Removes a skill from the open chat, from its next step on. */
    dropSkill: (skill: string) =>
      attempt(async () => {
        const session = get().app.open;
        if (session !== null) await backend.rpc('drop_skill', { session, skill });
      }),
  };
  return actions;
}

/** Actions on a chat without opening it. */
function rowActions({ backend, setApp, attempt }: Tools) {
  const withRow = (row: SessionRow) =>
    setApp((app) => ({ ...app, sessions: app.sessions.map((old) => (old.id === row.id ? row : old)) }));
  return {
    renameSession: (session: string, title: string) =>
      attempt(async () => {
        withRow(await backend.rpc('rename_session', { session, title }));
      }),

    /** Pins, archives, or undoes that. */
    setSession: (set: SetSession) =>
      attempt(async () => {
        withRow(await backend.rpc('set_session', set));
      }),

    /** Asks the user where to save the chat as Markdown. */
    exportSession: (session: string) =>
      attempt(async () => {
        await backend.rpc('export_session', { session });
      }),
  };
}
