// Adapter from the conversation to assistant-ui. Stateless: outlines of turns go in, two messages per turn
// come out, and its callbacks (send, stop) call the store's actions. Streaming text bypasses it, since each
// change of its messages iterates all of them.
import { type AppendMessage, type AssistantRuntime, type ThreadMessageLike, useExternalStoreRuntime } from '@assistant-ui/react';
import { useMemo } from 'react';

import type { SessionState, Turn } from '../state/session';

/** The parts of a turn that do not change while its answer streams. */
export interface Outline {
  readonly id: string;
  /** The user's message. */
  readonly text: string;
  readonly skills: readonly string[];
  readonly tool: string | null;
  readonly images: Turn['images'];
  readonly outside: Turn['outside'];
  readonly startedAt: string;
  readonly status: Turn['status'];
}

interface ChatMessage {
  readonly role: 'user' | 'assistant';
  readonly outline: Outline;
}

interface RuntimeOptions {
  /** Of the rendered turns. */
  readonly outlines: readonly Outline[];
  readonly running: boolean;
  readonly onSend: (text: string) => Promise<void>;
  readonly onStop: () => Promise<void>;
}

export function useConversationRuntime({ outlines, running, onSend, onStop }: RuntimeOptions): AssistantRuntime {
  const messages = useMemo(() => outlines.flatMap(messagesOf), [outlines]);
  return useExternalStoreRuntime<ChatMessage>({
    messages,
    isRunning: running,
    convertMessage,
    onNew: (message) => onSend(textOf(message)),
    onCancel: onStop,
  });
}

/** Outlines of the session's turns, cached. */
export function outlinesOf({ turns }: SessionState): readonly Outline[] {
  return turns.map(outlineOf);
}

/** Whether nothing changed except a streaming answer. */
export function sameOutlines(before: readonly Outline[], now: readonly Outline[]): boolean {
  return before.length === now.length && before.every((one, at) => sameOutline(one, now[at]));
}

function sameOutline(one: Outline, other: Outline | undefined): boolean {
  return (
    one === other ||
    (one.id === other?.id && one.status === other.status && one.text === other.text && one.skills === other.skills && one.images === other.images && one.outside === other.outside && one.tool === other.tool)
  );
}

// The same object for the same turn, so that only changes are converted and rendered.
const known = new WeakMap<Turn, Outline>();

function outlineOf(turn: Turn): Outline {
  const { id, text, skills, tool, images, outside, startedAt, status } = turn;
  const outline = known.get(turn) ?? { id, text, skills, tool, images, outside, startedAt, status };
  known.set(turn, outline);
  return outline;
}

const made = new WeakMap<Outline, readonly [ChatMessage, ChatMessage]>();

function messagesOf(outline: Outline): readonly [ChatMessage, ChatMessage] {
  const pair = made.get(outline) ?? ([{ role: 'user', outline }, { role: 'assistant', outline }] as const);
  made.set(outline, pair);
  return pair;
}

function convertMessage({ role, outline }: ChatMessage): ThreadMessageLike {
  const common = { id: `${outline.id}-${role}`, createdAt: new Date(outline.startedAt), metadata: { custom: { outline } } };
  if (role === 'user') return { ...common, role, content: outline.text };
  // The answer is rendered from the session's own blocks.
  return { ...common, role, content: '', status: statusOf(outline) };
}

function statusOf({ status }: Outline): NonNullable<ThreadMessageLike['status']> {
  switch (status) {
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
