// Messages: being written, waiting, sent; and the answers that a turn waits for.
import { nothing, userError, type AttachedFile, type DecideApproval, type NewImage, type ReviseApproval, type SendMessage } from '../../ipc';
import { draftOf, isEmpty, withDraft, withoutLost, type Draft } from '../app';
import { messageOf, withMore } from '../attachments';
import { withKeptDrafts } from '../kept';
import { withImagesRead } from '../kept-images';
import { due, withQueue, type Queue, type Queued } from '../queue';
import { emptySession, runningTurn, type Said } from '../session';
import type { Tools } from './access';
import { type sessionActions, unread } from './sessions';

const nothingWritten = { text: '', tool: null, skills: [], files: [], images: [] };

export function messageActions({ backend, get, set, setApp, attempt }: Tools, { createSession }: Pick<ReturnType<typeof sessionActions>, 'createSession'>) {
  let lastQueued = 0;
  /** Sessions whose first waiting message is on its way. */
  const sending = new Set<string>();

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
      await backend.rpc('send_message', { session, ...messageOf({ text, tool, skills, files: [], images: shown }), ...other });
    },

    /** Sends a text with what the draft of the open chat points at; where it cannot, all of it is the draft again. */
    async sendDraft(text: string): Promise<void> {
      const before = get().app.open;
      const { tool, skills, files, images } = draftOf(get().app);
      setApp((app) => withDraft(withoutLost(app, before), before, nothingWritten));
      let session = before;
      try {
        session ??= await createSession();
        await backend.rpc('send_message', { session, ...messageOf({ text, tool, skills, files, images }) });
      } catch (thrown) {
        setApp((app) => {
          const now = app.drafts[session ?? ''];
          return now !== undefined && !isEmpty(now) ? app : withDraft(app, session, { text, tool, skills, files, images }, true);
        });
        throw thrown;
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
        const { text, tool, skills, files, images } = draftOf(app);
        const part = {
          text: [message.text, text].filter((one) => one !== '').join('\n\n'),
          tool: message.tool ?? tool,
          skills: [...new Set([...message.skills, ...skills])],
          files: [...message.files, ...files],
          images: [...message.images, ...images],
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
      const { id } = message;
      const change = (to: (queue: Queue) => Queue) => setApp((now) => ({ ...now, queues: withQueue(now.queues, session, to) }));
      try {
        await backend.rpc('send_message', { session, ...messageOf(message) });
        change((queue) => ({ ...queue, messages: queue.messages.filter((one) => one.id !== id) }));
      } catch (thrown) {
        const error = userError(thrown);
        // A turn that another window began: its end asks again.
        if (error.code !== 'session_busy') change((queue) => ({ ...queue, held: error.message }));
      } finally {
        sending.delete(session);
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
    setDraft(part: Partial<Omit<Draft, 'given'>>, give = false): void {
      setApp((app) => withDraft(app, app.open, part, give));
    },

    /** Stops the turn of the open session. Rejects with a `UserError`. */
    async stop(): Promise<void> {
      const session = get().app.open;
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
