// A chat with given events, for tests of this folder.
import { act } from '@testing-library/react';
import type { ReactNode } from 'react';

import type { Effect, EventBody, EventOf, JsonValue, UserError } from '../ipc';
import { FakeBackend, type World } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { envelopes, sampleWorld } from '../testing/sample';

type Body<T extends EventBody['type']> = Omit<EventOf<T>, 'v' | 'seq' | 'at' | 'session' | 'turn'>;

export const turnStarted = (text = 'Move the deal', model = 'ollama/qwen3:14b'): Body<'turn_started'> => ({
  type: 'turn_started',
  text,
  model,
  skills: [],
  tool: null,
});

export const started = (call: string, tool: string, effect: Effect, args: JsonValue = {}): Body<'tool_call_started'> => ({
  type: 'tool_call_started',
  call,
  tool,
  args,
  effect,
  principal: { kind: 'user', name: 'user' },
});

/** A call made by the script of another. */
export const startedWithin = (outer: string, ...call: Parameters<typeof started>): Body<'tool_call_started'> => ({ ...started(...call), within: outer });

export const asked = (call: string, more: Partial<Body<'approval_requested'>> = {}): Body<'approval_requested'> => ({
  type: 'approval_requested',
  call,
  args: { title: 'Rollout', stage: 'won' },
  decisions: ['once', 'session', 'always', 'deny'],
  question: 'Change 1 note?',
  editable: true,
  diff: null,
  host: null,
  revision: 1,
  mid_run: false,
  ...more,
});

export const completed = (call: string, output: JsonValue, more: Partial<Body<'tool_call_completed'>> = {}): Body<'tool_call_completed'> => ({
  type: 'tool_call_completed',
  call,
  ok: true,
  output,
  sources: [],
  ms: 19,
  changes: [],
  change_set: null,
  merged: [],
  ...more,
});

export const failed = (call: string, code: UserError['code'], message = 'It did not work.'): Body<'tool_call_completed'> =>
  completed(call, { code, message, hint: 'Do this.' }, { ok: false });

export const progress = (call: string, more: Partial<Body<'tool_call_progress'>>): Body<'tool_call_progress'> => ({
  type: 'tool_call_progress',
  call,
  fraction: null,
  message: null,
  partial: null,
  ...more,
});

export const block = (message: string, index: number, html: string, done = true): Body<'message_block'> => ({
  type: 'message_block',
  message,
  index,
  html,
  done,
});

/** Renders `children` in the chat `groceries` after these events; its turn runs until an event ends it. */
export async function openChat(children: ReactNode, events: EventBody[], world: Partial<World> = {}) {
  const sample = { ...sampleWorld(), changes: [], ...world };
  const session = 'groceries';
  const backend = new FakeBackend({
    ...sample,
    events: { [session]: envelopes(session, 't1', events) },
    sessions: sample.sessions.map((row) => ({ ...row, running: row.id === session })),
  });
  const app = renderInApp(children, { backend });
  await act(() => app.store.actions.openSession(session));
  // Follow-ups of the event, such as sending the next message, complete within the act.
  const say = (body: EventBody) => act(async () => void backend.emit(body, { session, turn: 't1' }));
  return { ...app, session, say };
}
