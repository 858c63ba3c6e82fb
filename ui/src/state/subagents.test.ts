import { expect, test } from 'vitest';

import type { Envelope, EventBody } from '../ipc';
import type { SubAgent } from './conversation';
import { emptySession, reduce, replay } from './session';
import { highestEffect, isTaskCall, lastTasks, mayNot, toolsBySkill } from './subagents';

const user = { kind: 'user', name: 'you' } as const;

const body = {
  turn: { type: 'turn_started', text: 'Compare', model: 'ollama/qwen3', skills: [], tool: null },
  call: { type: 'tool_call_started', call: 'c1', tool: 'core.task', args: { prompt: 'Find the price' }, effect: 'read', principal: user },
  started: {
    type: 'subagent_started',
    call: 'c1',
    subagent: 's2',
    name: 'prices',
    model: 'ollama/qwen3',
    host: 'api.example',
    tools: ['core.web_search', 'core.web_fetch', 'vault.search'],
    effects: ['read', 'external'],
    steps: 20,
    tokens: 60_000,
    seconds: 600,
  },
  request: { type: 'subagent_worked', call: 'c1', steps: 1, limit: 20, tokens: 0, host: 'api.example', notes: ['Terms.md'] },
  looks: { type: 'subagent_worked', call: 'c1', steps: 1, limit: 20, tokens: 1400, now: 'vault.search price' },
} as const satisfies Record<string, EventBody>;

const envelopes = (bodies: readonly EventBody[]): Envelope[] =>
  bodies.map((one, at) => ({ v: 1, seq: at + 1, at: '2026-11-26T10:00:00Z', session: 's1', turn: 't1', ...one }) as Envelope);

const agentOf = (bodies: readonly EventBody[]): SubAgent | undefined =>
  lastTasks(envelopes(bodies).reduce(reduce, emptySession))[0]?.subAgent;

test('a sub-agent appears with its call and makes progress', () => {
  expect(agentOf([body.turn, body.call])).toBeUndefined();
  expect(agentOf([body.turn, body.call, body.started])).toMatchObject({ session: 's2', name: 'prices', steps: 0, stepLimit: 20, now: null });
  const further = agentOf([body.turn, body.call, body.started, body.request, body.looks]);
  expect(further).toMatchObject({ steps: 1, tokens: 1400, now: 'vault.search price', requests: 1, sent: ['Terms.md'] });
});

test('a local request sends nothing', () => {
  const local = { ...body.request, host: null };
  expect(agentOf([body.turn, body.call, { ...body.started, host: null }, local])).toMatchObject({ requests: 0, sent: [] });
});

test('stored and live events result in the same sub-agent', () => {
  const events = envelopes([body.turn, body.call, body.started, body.request, body.looks]);
  expect(replay(events, true)).toEqual(events.reduce(reduce, emptySession));
});

test('progress without a start is ignored', () => {
  const state = envelopes([body.turn, body.call, body.looks]).reduce(reduce, emptySession);
  expect(state.turns[0]?.items.filter(isTaskCall)).toEqual([]);
});

test('lists its rights and what it may not do', () => {
  const agent = agentOf([body.turn, body.call, body.started]);
  if (!agent) throw new Error('it has started');
  expect(mayNot(agent)).toEqual(['write notes', 'send', 'run commands']);
  expect(mayNot({ ...agent, effects: ['undeclared'] })).toEqual([]);
  expect(toolsBySkill(agent)).toEqual([['core', ['web_search', 'web_fetch']], ['vault', ['search']]]);
});

test('the badge of several shows the strongest effect', () => {
  const state = envelopes([body.turn, body.call, body.started]).reduce(reduce, emptySession);
  const calls = lastTasks(state);
  expect(highestEffect(calls)).toBe('external');
  const sends = calls.map((call) => ({ ...call, subAgent: { ...call.subAgent, effects: ['read', 'send'] as const } }));
  expect(highestEffect([...calls, ...sends])).toBe('send');
  expect(highestEffect([])).toBe('read');
});
