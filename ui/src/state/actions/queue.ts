// Messages queued until the end of the running turn.
import { userError } from '../../ipc';
import { draftOf, joined, nothingWritten, pendingTurn, withDraft, withNotSent } from '../app';
import { due, withQueue, type Queue, type Queued } from '../queue';
import { emptySession, runningTurn } from '../session';
import type { Tools } from './access';
import { newTurn, type Sending } from './sending';

export function queueActions({ backend, get, setApp }: Tools, { nextQueued, saveNow, changeQueue, handOver, stop, settled, withUnsent, isPressed, freed }: Sending) {
  /** Sessions whose first queued message is being sent. */
  const sending = new Set<string>();

  const actions = {
    /** Queues the open chat's draft until the end of its turn. */
    queueDraft(): void {
      setApp((app) => {
        const { text, tool, skills, files, images } = draftOf(app);
        if (app.open === null || (text.trim() === '' && files.length === 0 && images.length === 0)) return app;
        const message: Queued = { id: nextQueued(), text, tool, skills: [...skills], files: [...files], images };
        const queues = withQueue(app.queues, app.open, (queue) => ({ ...queue, messages: [...queue.messages, message] }));
        return withDraft({ ...app, queues }, app.open, nothingWritten, true);
      });
    },

    unqueue(id: number): void {
      setApp((app) => {
        if (app.open === null) return app;
        // A message being sent cannot be removed.
        const without = (queue: Queue) => ({ ...queue, messages: queue.messages.filter((one) => one.id !== id || one.turn !== undefined) });
        return { ...app, queues: withQueue(app.queues, app.open, without) };
      });
    },

    /** Moves a queued message to the composer; the composer's text is queued after it. */
    editQueued(id: number): void {
      const { queues, open } = get().app;
      const message = queues[open ?? '']?.messages.find((one) => one.id === id);
      if (!message || message.turn !== undefined) return;
      actions.unqueue(id);
      setApp((app) => withDraft(app, app.open, joined(message, draftOf(app)), true));
    },

    /**
     * Sends it before the others: at once if no turn runs, else after stopping the turn, even one that has
     * not begun.
     */
    async sendQueuedNow(id: number): Promise<void> {
      const { open: session, queues } = get().app;
      if (session === null || queues[session]?.messages.find((message) => message.id === id)?.turn !== undefined) return;
      const pending = pendingTurn(get().app);
      const running = pending !== null || runningTurn(get().streams[session] ?? emptySession) !== null;
      if (pending !== null) stop(pending, true);
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
        // A message not handed over yet is stopped anyway.
        if (pending === null) changeQueue(session, (queue) => ({ ...queue, pressing: false, held: userError(thrown).message }));
      }
    },

    /** Sends the first queued message of a chat whose turn has ended, unless it is held back. */
    async sendDue(session: string): Promise<void> {
      const { app, streams } = get();
      const message = due(app.queues[session]);
      if (!message) return;
      if (sending.has(session) || app.sending[session]) return freed(session);
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
        await saveNow(session);
        await handOver(session, { ...message, turn });
        change((queue) => ({ ...queue, messages: queue.messages.filter((one) => one.id !== id) }));
      } catch (thrown) {
        const error = userError(thrown);
        // Another window began a turn: its end triggers the next attempt.
        if (!isPressed(turn)) change((queue) => ({ ...mark(queue, {}), held: error.code === 'session_busy' ? queue.held : error.message }));
        else
          setApp((now) => {
            const gone = (queue: Queue) => ({ ...queue, messages: queue.messages.filter((one) => one.id !== id) });
            const { id: _id, ...written } = message;
            return withUnsent({ ...now, queues: withQueue(now.queues, session, gone) }, session, { ...written, turn }, error.message);
          });
      } finally {
        sending.delete(session);
        if (settled(session, turn)) void actions.sendDue(session);
      }
    },
  };
  return actions;
}
