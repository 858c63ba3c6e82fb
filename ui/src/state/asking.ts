// Which chats wait for an answer of the user's, whichever of them is open. Pure.
import type { Envelope } from '../ipc';
import { type SessionState, waitingCalls } from './session';

interface Question {
  readonly call: string;
  /** The call runs already: it may outlive its turn. */
  readonly midRun: boolean;
}

/** By session, or the run of a form: what waits there, oldest first. */
export type Asking = Readonly<Record<string, readonly Question[]>>;

export function askingAfter(asking: Asking, event: Envelope): Asking {
  const { session } = event;
  if (session === undefined) return asking;
  const before = asking[session] ?? [];
  const without = (call: string) => before.filter((question) => question.call !== call);
  switch (event.type) {
    case 'approval_requested':
      return put(asking, session, [...without(event.call), { call: event.call, midRun: event.mid_run }]);
    case 'elicitation_requested':
      return put(asking, session, [...without(event.call), { call: event.call, midRun: true }]);
    case 'approval_decided':
    case 'tool_call_completed':
      return put(asking, session, without(event.call));
    case 'turn_cancelled':
      return put(asking, session, []);
    // A call that runs on without its turn asks on.
    case 'turn_completed':
    case 'turn_failed':
      return put(asking, session, before.filter(({ midRun }) => midRun));
    default:
      return asking;
  }
}

/** A chat was read: what it asks since before the window opened is known now. */
export function askingIn(asking: Asking, session: string, stream: SessionState): Asking {
  return put(asking, session, waitingCalls(stream).map(({ call, approval }) => ({ call, midRun: approval?.midRun ?? false })));
}

export function asks({ asking }: { readonly asking: Asking }, session: string | null): boolean {
  return session !== null && asking[session] !== undefined;
}

function put(asking: Asking, session: string, questions: readonly Question[]): Asking {
  const { [session]: before = [], ...others } = asking;
  if (questions.length === before.length && questions.every((question, at) => question.call === before[at]?.call)) return asking;
  return questions.length === 0 ? others : { ...asking, [session]: questions };
}
