// Sending of messages: each is on disk with the id of its turn, can be stopped before the turn has begun, and
// becomes a draft again if it cannot be sent.
import type { UserError } from '../../ipc';
import { isEmpty, joined, withDraft, withSending, type AppState, type PendingMessage } from '../app';
import { messageOf } from '../attachments';
import { saveDraft } from '../draft-images';
import { withQueue, type Queue, type Queued } from '../queue';
import { wholeDraft } from '../saved-state';
import type { Tools } from './access';

const notSent: UserError = { code: 'cancelled', message: 'The message was stopped and was not sent.', hint: 'Send it again.' };

/** A unique turn id. */
export function newTurn(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export type Sending = ReturnType<typeof sendingOf>;

export function sendingOf({ backend, get, setApp, attempt }: Tools) {
  let lastQueued = 0;
  /** Turns stopped while their messages were being sent. */
  const stopped = new Set<string>();
  /** Those stopped to send a queued message. */
  const pressed = new Set<string>();
  /** Sessions whose turn ended before its message was confirmed. */
  const freed = new Set<string>();

  const nextQueued = () => ++lastQueued;

  /** A message is on disk with its turn id before it is handed over. */
  const saveNow = (session: string | null) => saveDraft(backend, wholeDraft(get().app, session)).catch(() => {});

  const changeQueue = (session: string, to: (queue: Queue) => Queue) =>
    setApp((app) => ({ ...app, queues: withQueue(app.queues, session, to) }));

  /** Hands a message over. Rejects with a `UserError` if it is not in the log. */
  async function handOver(session: string, { turn, ...message }: PendingMessage): Promise<void> {
    if (stopped.delete(turn)) throw notSent;
    await backend.rpc('send_message', { session, ...messageOf(message), turn });
    // Stopped before the turn existed. The message was accepted: if stopping fails, the turn continues and
    // the message is not sent again.
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

  /** Stops a turn whose message is being sent; `press`: to send a queued message. */
  function stop(turn: string, press = false): void {
    stopped.add(turn);
    if (press) pressed.add(turn);
  }

  /** Discards a turn whose message was settled. Returns whether the next queued message is due. */
  function settled(session: string | null, turn: string): boolean {
    stopped.delete(turn);
    const asked = pressed.delete(turn);
    return session !== null && (freed.delete(session) || asked);
  }

  /**
   * Restores an unsent message to the draft, or to the head of the queue if there is another draft by now.
   */
  function withUnsent(app: AppState, session: string | null, { turn, ...message }: PendingMessage, why: string): AppState {
    const without = withSending(app, session, null);
    const now = without.drafts[session ?? ''];
    // Messages queued behind it have no turn to wait for.
    const hold = (queue: Queue): Queue => ({ ...queue, held: pressed.has(turn) ? null : why, pressing: false });
    const held = session === null ? without : { ...without, queues: withQueue(without.queues, session, hold) };
    if (now === undefined || isEmpty(now)) return withDraft(held, session, message, true);
    // A message stopped in favour of another must not be sent automatically afterwards.
    if (session === null || pressed.has(turn)) return withDraft(held, session, joined(message, now), true);
    const first: Queued = { ...message, id: nextQueued(), skills: [...message.skills], files: [...message.files] };
    return { ...held, queues: withQueue(held.queues, session, (queue) => ({ ...hold(queue), messages: [first, ...queue.messages] })) };
  }

  return {
    nextQueued,
    saveNow,
    changeQueue,
    handOver,
    stop,
    settled,
    withUnsent,
    /** Whether the turn was stopped to send a queued message. */
    isPressed: (turn: string) => pressed.has(turn),
    /** The turn of a chat ended before its message was confirmed. */
    freed: (session: string) => void freed.add(session),
  };
}
