// Which chats wait for an answer of the user. Pure.
import type { Envelope } from '../ipc';
import { type SessionState, waitingCalls } from './session';

interface Question {
  readonly call: string;
  /** The call is already running: it may outlive its turn. */
  readonly midRun: boolean;
}

/** Waiting questions by session or form run, oldest first. */
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
    // A detached call keeps asking.
    case 'turn_completed':
    case 'turn_failed':
      return put(asking, session, before.filter(({ midRun }) => midRun));
    default:
      return asking;
  }
}

/** A chat was loaded: its earlier questions are known now. */
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
