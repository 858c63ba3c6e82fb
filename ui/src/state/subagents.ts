// The sub-agents of a conversation: each works on one call, in its own session. Pure.
import type { Effect, Envelope, JsonValue } from '../ipc/protocol.generated';
import type { CallItem, SessionState, SubAgent, Turn } from './conversation';

/** A call with a sub-agent. */
export type TaskCall = CallItem & { readonly subAgent: SubAgent };

export function startedAgent(event: Extract<Envelope, { type: 'subagent_started' }>): SubAgent {
  return {
    session: event.subagent,
    name: event.name,
    model: event.model,
    host: event.host,
    tools: event.tools,
    effects: event.effects,
    steps: 0,
    stepLimit: event.steps,
    tokens: 0,
    tokenLimit: event.tokens,
    now: null,
    requests: 0,
    sent: [],
  };
}

export function workedAgent(agent: SubAgent, event: Extract<Envelope, { type: 'subagent_worked' }>): SubAgent {
  const left = typeof event.host === 'string';
  return {
    ...agent,
    steps: event.steps,
    stepLimit: event.limit,
    tokens: event.tokens,
    now: event.now ?? null,
    requests: agent.requests + (left ? 1 : 0),
    sent: left && event.notes?.length ? [...new Set([...agent.sent, ...event.notes])] : agent.sent,
  };
}

/** Whether the call starts a sub-agent. */
export function isTask(call: CallItem): boolean {
  return call.tool === 'core.task';
}

/** Whether a sub-agent works on the call, has worked on it, or will. */
export function isAtWork(call: CallItem): boolean {
  return call.subAgent !== undefined || (isTask(call) && call.state === 'running');
}

export function isTaskCall(item: Turn['items'][number]): item is TaskCall {
  return item.kind === 'call' && item.subAgent !== undefined;
}

/** Calls of the newest turn with sub-agents, in order. */
export function lastTasks({ turns }: SessionState): readonly TaskCall[] {
  return turns.findLast(({ items }) => items.some(isTaskCall))?.items.filter(isTaskCall) ?? [];
}

/** The strongest effect that any of them may have. */
export function highestEffect(calls: readonly CallItem[]): Effect {
  const given = calls.flatMap(({ subAgent }) => subAgent?.effects ?? []);
  return order.findLast((effect) => given.includes(effect)) ?? 'read';
}

const order: readonly Effect[] = ['read', 'write', 'external', 'destructive', 'send', 'undeclared'];

/** Effects it was not granted, as shown to the user: "write notes, send". */
export function mayNot({ effects }: SubAgent): readonly string[] {
  return denials.filter(({ unless }) => !unless.some((effect) => effects.includes(effect))).map(({ words }) => words);
}

const denials: readonly { readonly words: string; readonly unless: readonly Effect[] }[] = [
  { words: 'write notes', unless: ['write', 'undeclared'] },
  { words: 'reach the web', unless: ['external', 'undeclared'] },
  { words: 'send', unless: ['send', 'undeclared'] },
  { words: 'run commands', unless: ['destructive', 'undeclared'] },
];

/** Its tools by skill, in order: `core` → `web_search`, `web_fetch`. */
export function toolsBySkill({ tools }: SubAgent): readonly (readonly [skill: string, tools: readonly string[]])[] {
  const skills = new Map<string, string[]>();
  for (const name of tools) {
    const [skill = name, tool = ''] = name.split(/\.(.*)/s);
    skills.set(skill, [...(skills.get(skill) ?? []), tool]);
  }
  return [...skills];
}

/** Its display name, even before it has started. */
export function taskName(call: CallItem): string {
  const named = call.subAgent?.name ?? textOf(call.args, 'name');
  return named === '' ? 'sub-agent' : named;
}

/** Its task. */
export function taskPrompt(call: CallItem): string {
  return textOf(call.args, 'prompt');
}

/** Its activity or result, in one line. */
export function taskLine(call: CallItem): string {
  const { state, result, subAgent } = call;
  switch (state) {
    case 'waiting':
      return 'waits for your answer';
    case 'running':
      return subAgent?.now ?? (subAgent ? 'thinks' : 'starts');
    case 'done':
      return unfinished(call) ?? firstLine(taskAnswer(call));
    case 'failed':
      return result?.error?.message ?? 'failed';
    case 'unknown':
      return 'outcome unknown';
    case 'denied':
    case 'refused':
      return 'not allowed';
    case 'unanswered':
      return 'ended without an answer';
    case 'cancelled':
      return 'stopped by you';
  }
}

/** The limit that ended it: "20 steps used up". */
export function unfinished({ result }: CallItem): string | null {
  return result === null ? null : textOf(result.value, 'unfinished') || null;
}

export function taskAnswer({ result }: CallItem): string {
  return result === null ? '' : textOf(result.value, 'text');
}

function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? '';
}

function textOf(value: JsonValue, key: string): string {
  const part = typeof value === 'object' && value !== null && !Array.isArray(value) ? value[key] : undefined;
  return typeof part === 'string' ? part : '';
}

export function countTasks(state: SessionState): number {
  return lastTasks(state).length;
}
