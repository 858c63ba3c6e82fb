// Messages that wait above the composer until the turns before them have ended. Pure.
import type { Envelope, NewImage, QueuedMessage } from '../ipc';

export interface Queued extends Readonly<Omit<QueuedMessage, 'images'>> {
  readonly id: number;
  readonly images: readonly NewImage[];
}

export interface Queue {
  readonly messages: readonly Queued[];
  /** Why the first does not go by itself; none while it only waits for the turn. */
  readonly held: string | null;
  /** The turn was stopped for the sake of the first. */
  readonly pressing: boolean;
}

export type Queues = Readonly<Record<string, Queue>>;

export const noQueue: Queue = { messages: [], held: null, pressing: false };

/** How a turn ended decides whether the next message goes by itself. */
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

/** The queues with that of a chat changed; one that is empty is left out. */
export function withQueue(queues: Queues, session: string, change: (queue: Queue) => Queue): Queues {
  const { [session]: before = noQueue, ...others } = queues;
  const queue = change(before);
  return queue.messages.length === 0 ? others : { ...others, [session]: queue };
}

/** The message that is to be sent now that no turn runs. */
export function due(queue: Queue | undefined): Queued | null {
  return queue && queue.held === null ? (queue.messages[0] ?? null) : null;
}
