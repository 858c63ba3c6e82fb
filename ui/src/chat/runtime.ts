// assistant-ui's view of the conversation. It keeps nothing: turns go in, two messages a turn come
// out, and what it is told (send, stop) goes to the store's actions.
import { type AppendMessage, type AssistantRuntime, type ThreadMessageLike, useExternalStoreRuntime } from '@assistant-ui/react';
import { useMemo } from 'react';

import { runningTurn, type SessionState, type Turn } from '../state/session';

export interface ChatMessage {
  readonly role: 'user' | 'assistant';
  readonly turn: Turn;
}

interface RuntimeOptions {
  readonly state: SessionState;
  /** Index of the first turn that is drawn. */
  readonly first: number;
  readonly onSend: (text: string) => Promise<void>;
  readonly onStop: () => Promise<void>;
}

export function useConversationRuntime({ state, first, onSend, onStop }: RuntimeOptions): AssistantRuntime {
  const messages = useMemo(() => state.turns.slice(first).flatMap(messagesOf), [state.turns, first]);
  return useExternalStoreRuntime<ChatMessage>({
    messages,
    isRunning: runningTurn(state) !== null,
    convertMessage,
    onNew: (message) => onSend(textOf(message)),
    onCancel: onStop,
  });
}

// The same two objects for the same turn, so that only what changed is converted and drawn again.
const made = new WeakMap<Turn, readonly [ChatMessage, ChatMessage]>();

function messagesOf(turn: Turn): readonly [ChatMessage, ChatMessage] {
  const known = made.get(turn);
  if (known) return known;
  const pair = [
    { role: 'user', turn },
    { role: 'assistant', turn },
  ] as const;
  made.set(turn, pair);
  return pair;
}

function convertMessage({ role, turn }: ChatMessage): ThreadMessageLike {
  const common = { id: `${turn.id}-${role}`, createdAt: new Date(turn.startedAt), metadata: { custom: { turn } } };
  if (role === 'user') return { ...common, role, content: turn.text };
  const text = turn.items.flatMap((item) => (item.kind === 'message' && item.text !== null ? [item.text] : [])).join('\n\n');
  return { ...common, role, content: text, status: statusOf(turn) };
}

function statusOf(turn: Turn): NonNullable<ThreadMessageLike['status']> {
  switch (turn.status) {
    case 'running':
      return { type: 'running' };
    case 'completed':
      return { type: 'complete', reason: 'stop' };
    case 'cancelled':
      return { type: 'incomplete', reason: 'cancelled' };
    case 'failed':
      return { type: 'incomplete', reason: 'error' };
  }
}

function textOf(message: AppendMessage): string {
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
