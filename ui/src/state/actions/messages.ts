// Messages: being written, waiting, sent; and the answers that a turn waits for.
import { nothing, userError, type AttachedFile, type DecideApproval, type NewImage, type ReviseApproval, type SendMessage, type UserError } from '../../ipc';
import { draftOf, isEmpty, joined, turnOnItsWay, withDraft, withNotSent, withoutLost, withSending, type AppState, type Message, type OnItsWay } from '../app';
import { messageOf, withMore } from '../attachments';
import { behind, wholeDraft, withKeptDrafts } from '../kept';
import { keepDraft, withImagesRead } from '../kept-images';
import { due, withQueue, type Queue, type Queued } from '../queue';
import { emptySession, runningTurn, type Said } from '../session';
import type { Tools } from './access';
import { type sessionActions, unread } from './sessions';

const nothingWritten = { text: '', tool: null, skills: [], files: [], images: [] };

const notSent: UserError = { code: 'cancelled', message: 'The message was stopped and was not sent.', hint: 'Send it again.' };

/** An id that no turn had before. */
function newTurn(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function messageActions({ backend, get, set, setApp, attempt }: Tools, { createSession }: Pick<ReturnType<typeof sessionActions>, 'createSession'>) {
  let lastQueued = 0;
  /** Sessions whose first waiting message is on its way. */
  const sending = new Set<string>();
  /** Turns that were stopped while their messages were on their way. */
  const stopped = new Set<string>();
  /** Those of them that were stopped for the sake of a waiting message. */
  const pressed = new Set<string>();
  /** Sessions whose turn ended before it was known that its message was taken. */
  const freed = new Set<string>();

  /** What is on its way is on the disk with the id of its turn before anybody can take it. */
  const keepNow = (session: string | null) => keepDraft(backend, wholeDraft(get().app, session)).catch(() => {});

  /** Hands a message over. Rejects with a `UserError` where it is not in the log. */
  async function handOver(session: string, { turn, ...message }: OnItsWay): Promise<void> {
    if (stopped.delete(turn)) throw notSent;
    await backend.rpc('send_message', { session, ...messageOf(message), turn });
    // Stopped before the turn was there to be stopped. It was taken: where this fails, it goes on and is not sent once more.
    if (stopped.delete(turn))
      await attempt(async () => {
        try {
          await backend.rpc('stop_turn', { session });
        } catch (thrown) {
          changeQueue(session, (queue) => ({ ...queue, pressing: false }));
          throw thrown;
        }
      });
  }

  const changeQueue = (session: string, to: (queue: Queue) => Queue) =>
    setApp((app) => ({ ...app, queues: withQueue(app.queues, session, to) }));

  /** Forgets a turn whose message is not on its way any more. What it was stopped for goes now, or when the chat is free. */
  function settled(session: string | null, turn: string): void {
    stopped.delete(turn);
    const asked = pressed.delete(turn);
    if (session !== null && (freed.delete(session) || asked)) void actions.sendDue(session);
  }

  /** The state with a message that could not be sent written again; where another one is written by now, it waits before that. */
  function withUnsent(app: AppState, session: string | null, { turn, ...message }: OnItsWay, why: string): AppState {
    const without = withSending(app, session, null);
    const now = without.drafts[session ?? ''];
    // What waits behind it has no turn to wait for.
    const hold = (queue: Queue): Queue => ({ ...queue, held: pressed.has(turn) ? null : why, pressing: false });
    const held = session === null ? without : { ...without, queues: withQueue(without.queues, session, hold) };
    if (now === undefined || isEmpty(now)) return withDraft(held, session, message, true);
    // What was stopped for another one does not go by itself after that.
    if (session === null || pressed.has(turn)) return withDraft(held, session, joined(message, now), true);
    const first: Queued = { ...message, id: ++lastQueued, skills: [...message.skills], files: [...message.files] };
    return { ...held, queues: withQueue(held.queues, session, (queue) => ({ ...hold(queue), messages: [first, ...queue.messages] })) };
  }

  const actions = {
    /** What was being written when Nova was closed. */
    loadDrafts: () =>
      attempt(async () => {
        const drafts = await backend.rpc('list_drafts', nothing);
        const whole = await Promise.all(drafts.map((draft) => withImagesRead(backend, draft)));
        setApp((app) => withKeptDrafts(app, whole, () => ++lastQueued));
      }),

    /** Sends what a turn of the open chat was begun with once more, as it was or otherwise. Rejects with a `UserError`. */
    async sendAgain({ text, skills, tool, images }: Said, other: Pick<SendMessage, 'after'> & { text?: string } = {}): Promise<void> {
      const session = get().app.open;
      if (session === null) return;
      const shown = await Promise.all(
        images.map(async ({ id, name }) => ({ name, ...(await backend.rpc('read_image', { session, id })) })),
      );
      const again: OnItsWay = { text: other.text ?? text, tool, skills, files: [], images: shown, turn: newTurn() };
      const send = () => backend.rpc('send_message', { session, ...messageOf(again), ...other, turn: again.turn });
      // As it was it stands in the log already.
      if (other.text === undefined) return void (await send());
      await keepDraft(backend, behind(wholeDraft(get().app, session), again)).catch(() => {});
      try {
        await send();
      } finally {
        void keepNow(session);
      }
    },

    /**
     * Sends a text with what the draft of the open chat points at; where it cannot, all of it is the draft again, and why
     * is told in that chat. Rejects with a `UserError`.
     */
    async sendDraft(text: string): Promise<void> {
      const before = get().app.open;
      const { tool, skills, files, images } = draftOf(get().app);
      const message: OnItsWay = { text, tool, skills, files, images, turn: newTurn() };
      setApp((app) => withSending(withDraft(withNotSent(withoutLost(app, before), before, null), before, nothingWritten), before, message));
      let session = before;
      try {
        session ??= await createSession();
        await keepNow(session);
        if (before === null) await keepNow(null);
        await handOver(session, message);
        const taken = session;
        setApp((app) => withSending(app, taken, null));
      } catch (thrown) {
        const error = userError(thrown);
        // Told in this chat, whichever is open by now.
        setApp((app) => withNotSent(withUnsent(app, session, message, error.message), session, error));
        throw thrown;
      } finally {
        settled(session, message.turn);
      }
    },

    /** Puts the draft of the open chat behind the messages that wait for the end of its turn. */
    queueDraft(): void {
      setApp((app) => {
        const { text, tool, skills, files, images } = draftOf(app);
        if (app.open === null || (text.trim() === '' && files.length === 0 && images.length === 0)) return app;
        const message: Queued = { id: ++lastQueued, text, tool, skills: [...skills], files: [...files], images };
        const queues = withQueue(app.queues, app.open, (queue) => ({ ...queue, messages: [...queue.messages, message] }));
        return withDraft({ ...app, queues }, app.open, nothingWritten, true);
      });
    },

    unqueue(id: number): void {
      setApp((app) => {
        if (app.open === null) return app;
        // What is on its way cannot be taken back.
        const without = (queue: Queue) => ({ ...queue, messages: queue.messages.filter((one) => one.id !== id || one.turn !== undefined) });
        return { ...app, queues: withQueue(app.queues, app.open, without) };
      });
    },

    /** A waiting message is written on; what stood in the composer goes below it. */
    editQueued(id: number): void {
      const { queues, open } = get().app;
      const message = queues[open ?? '']?.messages.find((one) => one.id === id);
      if (!message || message.turn !== undefined) return;
      actions.unqueue(id);
      setApp((app) => withDraft(app, app.open, joined(message, draftOf(app)), true));
    },

    /** Sends it before the others: at once where no turn runs, else for its sake the turn is stopped, also one that has not begun. */
    async sendQueuedNow(id: number): Promise<void> {
      const { open: session, queues } = get().app;
      if (session === null || queues[session]?.messages.find((message) => message.id === id)?.turn !== undefined) return;
      const onItsWay = turnOnItsWay(get().app);
      const running = onItsWay !== null || runningTurn(get().streams[session] ?? emptySession) !== null;
      if (onItsWay !== null) {
        stopped.add(onItsWay);
        pressed.add(onItsWay);
      }
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
        // What was not handed over yet is stopped all the same.
        if (onItsWay === null) changeQueue(session, (queue) => ({ ...queue, pressing: false, held: userError(thrown).message }));
      }
    },

    /** Sends the first waiting message of a chat whose turn has ended, unless it is held back. */
    async sendDue(session: string): Promise<void> {
      const { app, streams } = get();
      const message = due(app.queues[session]);
      if (!message) return;
      if (sending.has(session) || app.sending[session]) return void freed.add(session);
      if (runningTurn(streams[session] ?? emptySession) !== null) return;
      sending.add(session);
      const { id } = message;
      const turn = newTurn();
      const change = (to: (queue: Queue) => Queue) => changeQueue(session, to);
      const mark = (queue: Queue, of: Partial<Pick<Queued, 'turn'>>): Queue => ({
        ...queue,
        messages: queue.messages.map(({ turn: _turn, ...one }) => (one.id === id ? { ...one, ...of } : one)),
      });
      setApp((now) => withNotSent(now, session, null));
      change((queue) => mark(queue, { turn }));
      try {
        await keepNow(session);
        await handOver(session, { ...message, turn });
        change((queue) => ({ ...queue, messages: queue.messages.filter((one) => one.id !== id) }));
      } catch (thrown) {
        const error = userError(thrown);
        // A turn that another window began: its end asks again.
        if (!pressed.has(turn)) change((queue) => ({ ...mark(queue, {}), held: error.code === 'session_busy' ? queue.held : error.message }));
        else
          setApp((now) => {
            const gone = (queue: Queue) => ({ ...queue, messages: queue.messages.filter((one) => one.id !== id) });
            const { id: _id, ...written } = message;
            return withUnsent({ ...now, queues: withQueue(now.queues, session, gone) }, session, { ...written, turn }, error.message);
          });
      } finally {
        sending.delete(session);
        settled(session, turn);
      }
    },

    /**
     * Puts files behind those that go with the draft of a chat by now; reading them may have taken a while.
     * Says of each that does not fit, why.
     */
    attach(session: string | null, more: readonly (AttachedFile | NewImage)[]): readonly string[] {
      const { refused, ...taken } = withMore(draftOf({ ...get().app, open: session }), more);
      if (refused.length < more.length) setApp((app) => withDraft(app, session, taken));
      return refused;
    },

    /** The user has read which images the draft of the open chat has lost. */
    forgiveLost(): void {
      setApp((app) => withoutLost(app, app.open));
    },

    /** Changes the draft of the open chat. `give`: the text comes from elsewhere than the field. */
    setDraft(part: Partial<Message>, give = false): void {
      setApp((app) => withDraft(app, app.open, part, give));
    },

    /** Stops the turn of the open session, also one that has not begun. Rejects with a `UserError`. */
    async stop(): Promise<void> {
      const session = get().app.open;
      const onItsWay = turnOnItsWay(get().app);
      if (onItsWay !== null) stopped.add(onItsWay);
      if (session !== null) await backend.rpc('stop_turn', { session });
    },

    /** Stops one call of the open session, in its turn or running on without it. Rejects with a `UserError`. */
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
  };
  return actions;
}
