// Short notation for a session's events, and the resulting state.

import { expect } from 'vitest';

import type { Envelope, JsonValue, UserError } from '../ipc/protocol.generated';
import { type CallItem, emptySession, reduce, type SessionState, type Turn } from '../state/session';

export type EventOf<T extends Envelope['type']> = Omit<Extract<Envelope, { type: T }>, 'v' | 'seq' | 'at' | 'session' | 'turn' | 'type'>;

/** Numbers the events one second apart, in turn `t1` unless a step names another. */
export function script(...steps: [type: Envelope['type'], body?: object][]): Envelope[] {
  let turn = 't0';
  return steps.map(([type, body], index) => {
    if (type === 'turn_started') turn = `t${Number(turn.slice(1)) + 1}`;
    const at = new Date(Date.UTC(2026, 10, 20, 14, 30, index)).toISOString();
    return { v: 1, seq: index + 1, at, session: 's', turn, type, ...body } as Envelope;
  });
}

export const turnStarted = (text = 'Move the deal'): ['turn_started', EventOf<'turn_started'>] => [
  'turn_started',
  { text, model: 'ollama/qwen3', skills: [], tool: null },
];
export const step: ['step_started', EventOf<'step_started'>] = ['step_started', { tools: [], prefix_kept: true, bytes: 10 }];
export const block = (message: string, index: number, html: string, done = true): ['message_block', EventOf<'message_block'>] => [
  'message_block',
  { message, index, html, done },
];
export const started = (
  call: string,
  tool = 'crm.move_deal',
  effect: CallItem['effect'] = 'write',
): ['tool_call_started', EventOf<'tool_call_started'>] => [
  'tool_call_started',
  { call, tool, args: { title: 'Rollout' }, effect, principal: { kind: 'user', name: 'user' } },
];
export const asked = (call: string, revision = 1, args: JsonValue = { title: 'Rollout' }): ['approval_requested', EventOf<'approval_requested'>] => [
  'approval_requested',
  { call, args, decisions: ['once', 'session', 'always', 'deny'], question: 'Change 1 note?', editable: true, diff: null, host: null, revision, mid_run: false },
];
export const decided = (
  call: string,
  decision: 'once' | 'deny',
  reason: string | null = null,
): ['approval_decided', EventOf<'approval_decided'>] => ['approval_decided', { call, decision, by: 'user', reason }];
export const progress = (
  call: string,
  body: Partial<EventOf<'tool_call_progress'>>,
): ['tool_call_progress', EventOf<'tool_call_progress'>] => [
  'tool_call_progress',
  { call, fraction: null, message: null, partial: null, ...body },
];
export const completed = (
  call: string,
  body: Partial<EventOf<'tool_call_completed'>> = {},
): ['tool_call_completed', EventOf<'tool_call_completed'>] => [
  'tool_call_completed',
  { call, ok: true, output: 'ok', sources: [], ms: 19, changes: [], change_set: null, merged: [], ...body },
];
export const error = (code: UserError['code']) => ({ ok: false, output: { code, message: 'It did not work.', hint: 'Try again.' } });

/** The session after these steps; checks that every prefix is valid and no step mutates an earlier state. */
export function after(...steps: [Envelope['type'], object?][]): SessionState {
  let state = emptySession;
  for (const event of script(...steps)) {
    const frozen = JSON.stringify(state);
    const next = reduce(state, event);
    expect(JSON.stringify(state)).toBe(frozen);
    state = next;
  }
  return state;
}

/** Items of the last turn, one short word each. */
export function outline(state: SessionState): string[] {
  return (state.turns.at(-1)?.items ?? []).map((item) => {
    if (item.kind === 'message') return `message ${item.blocks.map((b) => b.html).join('|')}`;
    if (item.kind === 'call') return `${item.call} ${item.state}`;
    if (item.kind === 'notice') return `notice ${item.notice.type}`;
    return `conflict ${item.note}`;
  });
}

/** The first turn. */
export function turnOf(state: SessionState): Turn {
  return at(state.turns, 0);
}

export function callsOf(state: SessionState): CallItem[] {
  return turnOf(state).items.filter((item) => item.kind === 'call');
}

export function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`nothing at ${index}`);
  return found;
}

export function call(state: SessionState, id: string): CallItem {
  const items = state.turns.flatMap((turn) => turn.items);
  const found = items.findLast((item) => item.kind === 'call' && item.call === id);
  if (found?.kind !== 'call') throw new Error(`no call ${id}`);
  return found;
}
