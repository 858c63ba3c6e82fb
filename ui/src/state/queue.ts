// Messages queued above the composer until earlier turns have ended. Pure.
import type { Envelope, NewImage, QueuedMessage } from '../ipc';

export interface Queued extends Readonly<Omit<QueuedMessage, 'images'>> {
  readonly id: number;
  readonly images: readonly NewImage[];
}

export interface Queue {
  readonly messages: readonly Queued[];
  /** Why the first is not sent automatically; null while it only waits for the turn. */
  readonly held: string | null;
  /** The turn was stopped to send the first. */
  readonly pressing: boolean;
}

export type Queues = Readonly<Record<string, Queue>>;

export const noQueue: Queue = { messages: [], held: null, pressing: false };

/** The end of a turn decides whether the next message is sent automatically. */
export function afterEvent(queues: Queues, event: Envelope): Queues {
  const queue = event.session === undefined ? undefined : queues[event.session];
  if (!queue || event.session === undefined) return queues;
  switch (event.type) {
    case 'turn_failed':
      return { ...queues, [event.session]: { ...queue, held: 'the turn failed', pressing: false } };
    case 'turn_cancelled':
      return { ...queues, [event.session]: { ...queue, held: queue.pressing ? null : 'you stopped the turn', pressing: false } };
    case 'turn_completed':
      return queue.pressing ? { ...queues, [event.session]: { ...queue, pressing: false } } : queues;
    default:
      return queues;
  }
}

/** Changes a chat's queue; an empty one is removed. */
export function withQueue(queues: Queues, session: string, change: (queue: Queue) => Queue): Queues {
  const { [session]: before = noQueue, ...others } = queues;
  const queue = change(before);
  return queue.messages.length === 0 ? others : { ...others, [session]: queue };
}

/** The message to send now that no turn runs. */
export function due(queue: Queue | undefined): Queued | null {
  return queue && queue.held === null ? (queue.messages[0] ?? null) : null;
}
