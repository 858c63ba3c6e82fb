// What happens to messages on their way: each is on the disk with the id of its turn, may be stopped
// before its turn has begun, and comes back as a draft where it cannot be sent.
import type { UserError } from '../../ipc';
import { isEmpty, joined, withDraft, withSending, type AppState, type OnItsWay } from '../app';
import { messageOf } from '../attachments';
import { wholeDraft } from '../kept';
import { keepDraft } from '../kept-images';
import { withQueue, type Queue, type Queued } from '../queue';
import type { Tools } from './access';

const notSent: UserError = { code: 'cancelled', message: 'The message was stopped and was not sent.', hint: 'Send it again.' };

/** An id that no turn had before. */
export function newTurn(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export type Sending = ReturnType<typeof sendingOf>;

export function sendingOf({ backend, get, setApp, attempt }: Tools) {
  let lastQueued = 0;
  /** Turns that were stopped while their messages were on their way. */
  const stopped = new Set<string>();
  /** Those of them that were stopped for the sake of a waiting message. */
  const pressed = new Set<string>();
  /** Sessions whose turn ended before it was known that its message was taken. */
  const freed = new Set<string>();

  const nextQueued = () => ++lastQueued;

  /** What is on its way is on the disk with the id of its turn before anybody can take it. */
  const keepNow = (session: string | null) => keepDraft(backend, wholeDraft(get().app, session)).catch(() => {});

  const changeQueue = (session: string, to: (queue: Queue) => Queue) =>
    setApp((app) => ({ ...app, queues: withQueue(app.queues, session, to) }));

  /** Hands a message over. Rejects with a `UserError` where it is not in the log. */
  async function handOver(session: string, { turn, ...message }: OnItsWay): Promise<void> {
    if (stopped.delete(turn)) throw notSent;
    await backend.rpc('send_message', { session, ...messageOf(message), turn });
    // Stopped before the turn was there to be stopped. It was taken: where this fails, it continues and is not sent once more.
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

  /** Stops a turn whose message is on its way; `press`: for the sake of a waiting message. */
  function stop(turn: string, press = false): void {
    stopped.add(turn);
    if (press) pressed.add(turn);
  }

  /** Discards a turn whose message is no longer on its way. Returns whether the next waiting message is due. */
  function settled(session: string | null, turn: string): boolean {
    stopped.delete(turn);
    const asked = pressed.delete(turn);
    return session !== null && (freed.delete(session) || asked);
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
    const first: Queued = { ...message, id: nextQueued(), skills: [...message.skills], files: [...message.files] };
    return { ...held, queues: withQueue(held.queues, session, (queue) => ({ ...hold(queue), messages: [first, ...queue.messages] })) };
  }

  return {
    nextQueued,
    keepNow,
    changeQueue,
    handOver,
    stop,
    settled,
    withUnsent,
    /** The turn was stopped for the sake of a waiting message. */
    isPressed: (turn: string) => pressed.has(turn),
    /** The turn of a chat ended before it was known that its message was taken. */
    freed: (session: string) => void freed.add(session),
  };
}
