// The window's one store: it holds what the pure reducers make of the events, and runs the commands.
// One subscription to the backend, however many components look at it.

import {
  nothing,
  userError,
  type Appearance,
  type Backend,
  type ChangeSetView,
  type DecideApproval,
  type Envelope,
  type FinishResult,
  type OpenVault,
  type PruneResult,
  type ResolveConflict,
  type ResolvedConflict,
  type ReviseApproval,
  type SendMessage,
  type SessionRow,
  type SessionView,
  type SetSession,
  type UndoChanges,
  type UndoResult,
  type VaultSummary,
} from '../ipc';
import {
  clampWidth,
  draftOf,
  firstState,
  isEmpty,
  reduceApp,
  shownSkillPanel,
  widePanel,
  withConflicts,
  withDraft,
  type AppState,
  type Draft,
  type Panel,
  type PanelTab,
  type RecordForm,
  type SetConflict,
  type Settlement,
  type SettlementWay,
  type View,
} from './app';
import { withFiles } from './attachments';
import { has } from './branches';
import { readLayout, withKeptDrafts, withLayout } from './kept';
import { due, withQueue, type Queue, type Queued } from './queue';
import { emptySession, reduce, replay, runningTurn, type SessionState } from './session';

export interface StoreState {
  readonly app: AppState;
  /** By session, or by the run of a form: what is being watched. */
  readonly streams: Readonly<Record<string, SessionState>>;
}

export interface Store {
  get(): StoreState;
  listen(onChange: () => void): () => void;
  readonly actions: Actions;
  /** Ends the subscription. */
  close(): void;
}

export type Actions = ReturnType<typeof makeActions>;

export interface StoreOptions {
  /** Milliseconds between two renderings of a stream; 0 renders each event. */
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

  // Events wait for the next flush, so that a fast stream renders at most 20 times a second: more cannot be read, and each costs.
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
    // Told when the session is free again, which is after the end of its turn.
    for (const event of events) if (event.type === 'session_changed') void actions.sendDue(event.id);
    if (events.some((event) => event.type === 'registry_changed')) {
      void actions.loadSkillNames();
      void actions.loadSkillPanels();
    }
    if (events.some((event) => event.type === 'vault_changed')) void actions.loadProblems();
    if (events.some((event) => event.type === 'change_set')) void actions.loadInterrupted();
    if (events.some((event) => event.type === 'vault_opened')) void actions.beginVault();
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
    // A command's answer is never shown before the events that came ahead of it.
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

const nothingWritten = { text: '', tool: null, skills: [], files: [] };

/** A stream nothing was read of; its events may be numbered from 0. */
const unread: SessionState = { ...emptySession, seq: -1 };

function stored({ row, events, running_calls }: SessionView): SessionState {
  return events.length === 0 ? unread : replay(events, row.running, running_calls);
}

function reduceAll(state: StoreState, event: Envelope): StoreState {
  const app = reduceApp(state.app, event);
  const stream = event.session === undefined ? undefined : state.streams[event.session];
  if (event.session === undefined || stream === undefined) return app === state.app ? state : { ...state, app };
  return { app, streams: { ...state.streams, [event.session]: reduce(stream, event) } };
}

interface Access {
  readonly backend: Backend;
  get(): StoreState;
  set(change: (state: StoreState) => StoreState): void;
  /** Keeps the events of a session that nothing watches yet. */
  collect(session: string): { readonly events: readonly Envelope[]; end(): void };
}

function makeActions({ backend, get, set, collect }: Access) {
  const setApp = (change: (app: AppState) => AppState) =>
    set((state) => {
      const app = change(state.app);
      return app === state.app ? state : { ...state, app };
    });
  const withRow = (row: SessionRow) =>
    setApp((app) => ({ ...app, sessions: app.sessions.map((old) => (old.id === row.id ? row : old)) }));
  const setPanel = (part: Partial<Panel>) => setApp((app) => ({ ...app, panel: { ...app.panel, ...part } }));
  const setConflicts = (change: (old: readonly SetConflict[]) => readonly SetConflict[]) =>
    setApp((app) => ({ ...app, conflicts: change(app.conflicts) }));
  const bump = (which: keyof AppState['revisions']) =>
    setApp((app) => ({ ...app, revisions: { ...app.revisions, [which]: app.revisions[which] + 1 } }));
  /** For the shell's own commands, which have no region to show their error in but the banner. */
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (thrown) {
      setApp((app) => ({ ...app, problem: userError(thrown) }));
    }
  };

  let readingProblems: Promise<void> | null = null;
  let problemsStale = false;
  let lastQueued = 0;
  /** Sessions whose first waiting message is on its way. */
  const sending = new Set<string>();

  const actions = {
    /** Reads what the window shows first. */
    async start(): Promise<void> {
      try {
        const [status, layout] = await Promise.all([backend.rpc('app_status', nothing), readLayout(backend)]);
        setApp((app) => ({ ...withLayout(app, layout), status, startProblem: null }));
        if (status.vault !== null) {
          void actions.loadProblems();
          void actions.loadInterrupted();
        }
        if (!status.first_run) await Promise.all([actions.loadDrafts(), actions.loadSessions(), actions.loadSkillNames(), actions.loadSkillPanels()]);
      } catch (thrown) {
        setApp((app) => ({ ...app, startProblem: userError(thrown) }));
      }
    },

    loadSessions: () =>
      attempt(async () => {
        const sessions = await backend.rpc('list_sessions', nothing);
        setApp((app) => ({ ...app, sessions }));
      }),

    /** What was being written when Nova was closed. */
    loadDrafts: () =>
      attempt(async () => {
        const drafts = await backend.rpc('list_drafts', nothing);
        setApp((app) => withKeptDrafts(app, drafts, () => ++lastQueued));
      }),

    loadSkillNames: () =>
      attempt(async () => {
        const skills = await backend.rpc('list_skills', nothing);
        const skillNames = Object.fromEntries(skills.map(({ id, name }) => [id, name]));
        setApp((app) => ({ ...app, skillNames }));
      }),

    loadSkillPanels: () =>
      attempt(async () => {
        const skillPanels = await backend.rpc('list_panels', nothing);
        setApp((app) => ({ ...app, skillPanels }));
      }),

    /** Reads what is wrong in the vault. While it is read, changes of many notes ask for one more reading, not for many. */
    loadProblems(): Promise<void> {
      problemsStale = true;
      readingProblems ??= (async () => {
        while (problemsStale) {
          problemsStale = false;
          try {
            const rows = await backend.rpc('list_problems', nothing);
            setApp((app) => ({ ...app, problems: { rows, error: null } }));
          } catch (thrown) {
            setApp((app) => ({ ...app, problems: { ...app.problems, error: userError(thrown) } }));
          }
        }
        readingProblems = null;
      })();
      return readingProblems;
    },

    loadInterrupted: () =>
      attempt(async () => {
        const interrupted = await backend.rpc('list_changes', { state: 'interrupted' });
        setApp((app) => ({ ...app, interrupted }));
      }),

    /** What lies over the window; `null` takes it away. */
    setOver(over: AppState['over']): void {
      setApp((app) => ({ ...app, over }));
    },
    /** Searches the open conversation; `null` ends it. */
    setFind(find: string | null): void {
      setApp((app) => ({ ...app, find }));
    },
    /** `null`: the keys that it has by itself. */
    setKeys(action: string, keys: string | null): void {
      setApp((app) => {
        const { [action]: _old, ...others } = app.keys;
        return { ...app, keys: keys === null ? others : { ...others, [action]: keys } };
      });
    },

    /** Shows a view; what it leaves keeps its place. */
    show(view: View): void {
      setApp((app) => ({ ...app, view, list: { ...app.list, sheet: false } }));
    },

    /** Lays the form of a record over the window; what it lies over keeps its place. */
    openRecordForm(recordForm: RecordForm): void {
      setApp((app) => ({ ...app, recordForm }));
    },
    closeRecordForm(): void {
      setApp((app) => (app.recordForm === null ? app : { ...app, recordForm: null }));
    },

    /** An empty conversation; the session exists from its first message on. */
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
        if (get().streams[id] !== undefined) return;
        // Events that arrive while the stored ones are read are kept, and those not among them follow.
        const early = collect(id);
        try {
          const view = await backend.rpc('open_session', { session: id });
          set((state) => ({
            app: {
              ...state.app,
              opening: state.app.open === id ? false : state.app.opening,
              sessions: state.app.sessions.map((row) => (row.id === id ? view.row : row)),
            },
            streams: { ...state.streams, [id]: early.events.reduce(reduce, stored(view)) },
          }));
        } catch (thrown) {
          setApp((app) => (app.open === id ? { ...app, open: null, opening: false } : app));
          throw thrown;
        } finally {
          early.end();
        }
      }),

    renameSession: (session: string, title: string) =>
      attempt(async () => {
        withRow(await backend.rpc('rename_session', { session, title }));
      }),

    /** Pins, archives, or takes that back. */
    setSession: (set: SetSession) =>
      attempt(async () => {
        withRow(await backend.rpc('set_session', set));
      }),

    /** Has the user choose where the chat is saved as Markdown. */
    exportSession: (session: string) =>
      attempt(async () => {
        await backend.rpc('export_session', { session });
      }),

    /** Opens a chat at a message, in whichever branch it is. */
    openAt: (session: string, turn: string) =>
      attempt(async () => {
        await actions.openSession(session);
        const stream = get().streams[session];
        if (get().app.open !== session || !stream) return;
        if (has(stream.branches, turn) && !stream.turns.some((shown) => shown.id === turn)) {
          await backend.rpc('choose_branch', { session, turn });
        }
        setApp((app) => ({ ...app, sought: { session, turn } }));
      }),

    /** The message that was sought is in view. */
    found(): void {
      setApp((app) => (app.sought === null ? app : { ...app, sought: null }));
    },

    /** Shows another version of a message of the open chat, with what came after it. */
    chooseBranch: (turn: string) =>
      attempt(async () => {
        const session = get().app.open;
        if (session !== null) await backend.rpc('choose_branch', { session, turn });
      }),

    /** Takes a chat out of the trash. */
    restoreSession: (session: string) =>
      attempt(async () => {
        const row = await backend.rpc('restore_session', { session });
        setApp((app) => ({
          ...app,
          deleted: app.deleted?.id === session ? null : app.deleted,
          sessions: [row, ...app.sessions.filter((old) => old.id !== session)],
        }));
      }),

    /** The list does not offer any more to take the deletion back. */
    forgetDeleted(session: string): void {
      setApp((app) => (app.deleted?.id === session ? { ...app, deleted: null } : app));
    },

    deleteSession: (session: string) =>
      attempt(async () => {
        await backend.rpc('delete_session', { session });
        set(({ app, streams }) => {
          const { [session]: _gone, ...others } = streams;
          return {
            app: {
              ...app,
              deleted: app.sessions.find((row) => row.id === session) ?? app.deleted,
              sessions: app.sessions.filter((row) => row.id !== session),
              open: app.open === session ? null : app.open,
            },
            streams: others,
          };
        });
      }),

    /** Sends to the open session, making one first where there is none. Rejects with a `UserError`. */
    async send(message: Omit<SendMessage, 'session' | 'skills'> & { skills?: string[] }): Promise<void> {
      const session = get().app.open ?? (await actions.createSession());
      await backend.rpc('send_message', { skills: [], ...message, session });
    },

    /** Sends a text with what the draft of the open chat points at; where it cannot, all of it is the draft again. */
    async sendDraft(text: string): Promise<void> {
      const before = get().app.open;
      const { tool, skills, files } = draftOf(get().app);
      setApp((app) => withDraft(app, before, nothingWritten));
      let session = before;
      try {
        session ??= await actions.createSession();
        await backend.rpc('send_message', { session, text: withFiles(text, files), skills: [...skills], ...(tool === null ? {} : { tool }) });
      } catch (thrown) {
        setApp((app) => {
          const now = app.drafts[session ?? ''];
          return now !== undefined && !isEmpty(now) ? app : withDraft(app, session, { text, tool, skills, files }, true);
        });
        throw thrown;
      }
    },

    /** Puts the draft of the open chat behind the messages that wait for the end of its turn. */
    queueDraft(): void {
      setApp((app) => {
        const { text, tool, skills, files } = draftOf(app);
        if (app.open === null || (text.trim() === '' && files.length === 0)) return app;
        const message: Queued = { id: ++lastQueued, text, tool, skills: [...skills], files: [...files] };
        const queues = withQueue(app.queues, app.open, (queue) => ({ ...queue, messages: [...queue.messages, message] }));
        return withDraft({ ...app, queues }, app.open, nothingWritten, true);
      });
    },
    unqueue(id: number): void {
      setApp((app) => {
        if (app.open === null) return app;
        const without = (queue: Queue) => ({ ...queue, messages: queue.messages.filter((message) => message.id !== id) });
        return { ...app, queues: withQueue(app.queues, app.open, without) };
      });
    },
    /** A waiting message is written on; what stood in the composer goes below it. */
    editQueued(id: number): void {
      const { queues, open } = get().app;
      const message = queues[open ?? '']?.messages.find((one) => one.id === id);
      if (!message) return;
      actions.unqueue(id);
      setApp((app) => {
        const { text, tool, skills, files } = draftOf(app);
        const part = {
          text: [message.text, text].filter((one) => one !== '').join('\n\n'),
          tool: message.tool ?? tool,
          skills: [...new Set([...message.skills, ...skills])],
          files: [...message.files, ...files],
        };
        return withDraft(app, app.open, part, true);
      });
    },
    /** Sends it before the others: at once where no turn runs, else for its sake the turn is stopped. */
    async sendQueuedNow(id: number): Promise<void> {
      const session = get().app.open;
      if (session === null) return;
      const running = runningTurn(get().streams[session] ?? emptySession) !== null;
      setApp((app) => ({
        ...app,
        queues: withQueue(app.queues, session, ({ messages }) => {
          const first = messages.filter((message) => message.id === id);
          return { messages: [...first, ...messages.filter((message) => message.id !== id)], held: null, pressing: running };
        }),
      }));
      if (!running) return actions.sendDue(session);
      try {
        await backend.rpc('stop_turn', { session });
      } catch (thrown) {
        setApp((app) => ({ ...app, queues: withQueue(app.queues, session, (queue) => ({ ...queue, pressing: false, held: userError(thrown).message })) }));
      }
    },
    /** Sends the first waiting message of a chat whose turn has ended, unless it is held back. */
    async sendDue(session: string): Promise<void> {
      const { app, streams } = get();
      const message = due(app.queues[session]);
      if (!message || sending.has(session) || runningTurn(streams[session] ?? emptySession) !== null) return;
      sending.add(session);
      const { text, tool, skills, files, id } = message;
      const change = (to: (queue: Queue) => Queue) => setApp((now) => ({ ...now, queues: withQueue(now.queues, session, to) }));
      try {
        await backend.rpc('send_message', { session, text: withFiles(text, files), skills: [...skills], ...(tool === null ? {} : { tool }) });
        change((queue) => ({ ...queue, messages: queue.messages.filter((one) => one.id !== id) }));
      } catch (thrown) {
        const error = userError(thrown);
        // A turn that another window began: its end asks again.
        if (error.code !== 'session_busy') change((queue) => ({ ...queue, held: error.message }));
      } finally {
        sending.delete(session);
      }
    },

    /** Changes the draft of the open chat. `give`: the text comes from elsewhere than the field. */
    setDraft(part: Partial<Omit<Draft, 'given'>>, give = false): void {
      setApp((app) => withDraft(app, app.open, part, give));
    },

    /** Takes a skill out of the open chat, from its next step on. */
    dropSkill: (skill: string) =>
      attempt(async () => {
        const session = get().app.open;
        if (session !== null) await backend.rpc('drop_skill', { session, skill });
      }),

    async createSession(): Promise<string> {
      const row = await backend.rpc('create_session', nothing);
      set(({ app, streams }) => {
        const { '': draft, ...drafts } = app.drafts;
        return {
          app: {
            ...app,
            open: row.id,
            sessions: [row, ...app.sessions.filter((old) => old.id !== row.id)],
            // What was begun in the chat before it was a session goes on in it.
            drafts: draft ? { ...drafts, [row.id]: draft } : drafts,
          },
          streams: { ...streams, [row.id]: streams[row.id] ?? unread },
        };
      });
      return row.id;
    },

    /** Stops the turn of the open session. Rejects with a `UserError`. */
    async stop(): Promise<void> {
      const session = get().app.open;
      if (session !== null) await backend.rpc('stop_turn', { session });
    },

    /** Stops a call of the open session that runs on without its turn. Rejects with a `UserError`. */
    async stopCall(call: string): Promise<void> {
      const session = get().app.open;
      if (session !== null) await backend.rpc('stop_call', { session, call });
    },

    /** Rejects with a `UserError`. */
    async decide(answer: DecideApproval): Promise<void> {
      await backend.rpc('decide_approval', answer);
    },

    /** Asks for the same question with other arguments: the diff is made anew. Rejects with a `UserError`. */
    async revise(what: ReviseApproval): Promise<void> {
      await backend.rpc('revise_approval', what);
    },

    /** Starts collecting the events of a form run, before it is started. */
    watch(run: string): void {
      set((state) => ({ ...state, streams: { ...state.streams, [run]: state.streams[run] ?? unread } }));
    },
    unwatch(run: string): void {
      set((state) => {
        const { [run]: _gone, ...streams } = state.streams;
        return { ...state, streams };
      });
    },

    /** For the open chat, or for new ones where none is open. */
    setModel: (model: string) =>
      attempt(async () => {
        const session = get().app.open;
        await backend.rpc('set_model', { session, model });
        setApp((app) =>
          session === null
            ? { ...app, status: app.status && { ...app.status, model } }
            : { ...app, sessions: app.sessions.map((row) => (row.id === session ? { ...row, model } : row)) },
        );
        bump('providers');
      }),

    /** Rejects with a `UserError`. */
    async agreeProvider(provider: string): Promise<void> {
      await backend.rpc('agree_provider', { provider });
      bump('providers');
    },
    async revokeProvider(provider: string): Promise<void> {
      await backend.rpc('revoke_provider', { provider });
      bump('providers');
    },

    /** Shown at once; taken back where it could not be saved. */
    setAppearance: (part: Partial<Appearance>) =>
      attempt(async () => {
        const before = get().app.status?.appearance;
        if (!before) return;
        const put = (appearance: Appearance) =>
          setApp((app) => ({ ...app, status: app.status && { ...app.status, appearance } }));
        const wanted = { ...before, ...part };
        put(wanted);
        try {
          await backend.rpc('set_appearance', wanted);
        } catch (thrown) {
          put(before);
          throw thrown;
        }
      }),

    /** Ends the first start. Rejects with a `UserError`. */
    async openVault(choice: OpenVault): Promise<VaultSummary> {
      const vault = await backend.rpc('open_vault', choice);
      await actions.beginVault();
      return vault;
    },

    /** Another vault is open: nothing of the last one is shown any more. */
    async beginVault(): Promise<void> {
      const { problems, interrupted, settlements, conflicts } = firstState;
      setApp((app) => ({ ...app, problems, interrupted, settlements, conflicts }));
      await actions.start();
    },

    /** Rejects with a `UserError`. */
    async undo(what: UndoChanges): Promise<UndoResult> {
      const result = await backend.rpc('undo_changes', what);
      const done = [...result.undone, ...result.merged];
      setConflicts((old) => withConflicts(old, what.change_set, 'undo', { done, conflicts: result.conflicts }));
      bump('changes');
      return result;
    },

    /** Writes what an interrupted change set had planned. Rejects with a `UserError`. */
    async finish(change_set: string): Promise<FinishResult> {
      const result = await backend.rpc('finish_changes', { change_set });
      const { finished: done, conflicts } = result;
      setConflicts((old) => withConflicts(old, change_set, 'finish', { done, conflicts }));
      bump('changes');
      return result;
    },

    /** Finishes or undoes an interrupted change set; what came of it is among the settlements. */
    async settle(set: ChangeSetView, way: SettlementWay): Promise<void> {
      const put = (part: Partial<Settlement>) =>
        setApp((app) => {
          const others = app.settlements.filter((old) => old.set.id !== set.id);
          const old = app.settlements.find((one) => one.set.id === set.id);
          return { ...app, settlements: [{ notes: [], busy: false, problem: null, ...old, set, way, ...part }, ...others] };
        });
      put({ busy: true, problem: null });
      try {
        const notes =
          way === 'finish' ? (await actions.finish(set.id)).finished : (await actions.undo({ change_set: set.id })).undone;
        await actions.loadInterrupted();
        put({ busy: false, notes });
      } catch (thrown) {
        put({ busy: false, problem: userError(thrown) });
      }
    },
    dismissSettlement(set: string): void {
      setApp((app) => ({ ...app, settlements: app.settlements.filter((one) => one.set.id !== set) }));
    },

    /**
     * Keeps one side of a note that both changed. A note that was edited once more keeps its edit: nothing
     * is written, and the answer has its sides as they are now. Rejects with a `UserError`.
     */
    async resolveConflict(what: ResolveConflict): Promise<ResolvedConflict> {
      const result = await backend.rpc('resolve_conflict', what);
      const decided = result.conflict === null ? { keep: what.keep, at: new Date().toISOString() } : null;
      setConflicts((old) =>
        old.map((one) =>
          one.set === what.change_set && one.conflict.path === what.note && one.decided === null
            ? { ...one, decided, conflict: result.conflict ?? one.conflict }
            : one,
        ),
      );
      bump('changes');
      return result;
    },

    /** Forgets change sets past their time; their notes stay as they are. Rejects with a `UserError`. */
    async pruneChanges(): Promise<PruneResult> {
      const result = await backend.rpc('prune_changes', nothing);
      bump('changes');
      return result;
    },

    /** Opens the preview of a note beside the conversation. */
    openNote(note: string): void {
      // Over a wide panel, which stays where it is.
      setPanel(widePanel(get().app) ? { peek: true, note } : { open: true, tab: 'note', note });
    },
    /** Opens a web address in the browser. */
    openLink(url: string): void {
      backend.rpc('open_link', { url }).catch((thrown: unknown) => {
        setApp((app) => ({ ...app, problem: userError(thrown) }));
      });
    },
    setPanel,
    /** A page of the panel, beside the conversation. */
    showPanel(tab: PanelTab): void {
      setPanel({ open: true, tab });
      actions.show({ kind: 'chat' });
    },
    togglePanel(): void {
      setPanel({ open: !get().app.panel.open, peek: false });
    },
    /** Opens a skill's panel, as wide as panels were last; closes it where it is shown. */
    toggleSkillPanel(skill: string): void {
      const shown = shownSkillPanel(get().app)?.skill === skill && get().app.view.kind === 'chat';
      setPanel(shown ? { open: false, peek: false } : { open: true, tab: `skill:${skill}`, peek: false });
      actions.show({ kind: 'chat' });
    },
    /** A skill's panel takes the conversation's place, or goes back beside it; the first one where none is shown. */
    toggleWide(): void {
      const { skillPanels, panel } = get().app;
      if (shownSkillPanel(get().app)) return setPanel({ wide: !panel.wide, peek: false });
      const [first] = skillPanels;
      if (first) setPanel({ open: true, tab: `skill:${first.skill}`, wide: true, peek: false });
    },
    setPanelWidth(width: number): void {
      setPanel({ width: clampWidth('panel', width) });
    },

    /** `room`: the window is wide enough for the list beside the conversation. */
    toggleList(room: boolean): void {
      setApp(({ list, ...app }) => ({
        ...app,
        list: room ? { ...list, folded: !list.folded } : { ...list, sheet: !list.sheet },
      }));
    },
    showList(room: boolean): void {
      setApp(({ list, ...app }) => ({ ...app, list: room ? { ...list, folded: false } : { ...list, sheet: true } }));
    },
    setListSheet(sheet: boolean): void {
      setApp((app) => ({ ...app, list: { ...app.list, sheet } }));
    },
    setListWidth(width: number): void {
      setApp((app) => ({ ...app, list: { ...app.list, width: clampWidth('list', width) } }));
    },

    /** After skills were switched by a command whose answer the caller keeps. */
    registryChanged: () => bump('registry'),
    providersChanged: () => bump('providers'),
    /** After a command about a waiting tool showed that the list is not as it was read. */
    pendingToolsChanged: () => bump('pendingTools'),
    /** Something that no region of the window asked for has failed. */
    report(thrown: unknown): void {
      setApp((app) => ({ ...app, problem: userError(thrown) }));
    },
    dismissProblem(): void {
      setApp((app) => ({ ...app, problem: null }));
    },
  };
  return actions;
}
