import { describe, expect, test } from 'vitest';

import type { Envelope, JsonValue, UserError } from '../ipc/protocol.generated';
import { type CallItem, decidedQuestions, emptySession, lastCounted, reduce, replay, runningTurn, type SessionState, type Turn, waitingCalls, writesBefore } from './session';

type EventOf<T extends Envelope['type']> = Omit<Extract<Envelope, { type: T }>, 'v' | 'seq' | 'at' | 'session' | 'turn' | 'type'>;

/** Numbers the events one second apart, all of turn `t1` unless a step names another. */
function script(...steps: [type: Envelope['type'], body?: object][]): Envelope[] {
  let turn = 't0';
  return steps.map(([type, body], index) => {
    if (type === 'turn_started') turn = `t${Number(turn.slice(1)) + 1}`;
    const at = new Date(Date.UTC(2026, 10, 20, 14, 30, index)).toISOString();
    return { v: 1, seq: index + 1, at, session: 's', turn, type, ...body } as Envelope;
  });
}

const turnStarted = (text = 'Move the deal'): ['turn_started', EventOf<'turn_started'>] => [
  'turn_started',
  { text, model: 'ollama/qwen3', skills: [], tool: null },
];
const step: ['step_started', EventOf<'step_started'>] = ['step_started', { tools: [], prefix_kept: true, bytes: 10 }];
const block = (message: string, index: number, html: string, done = true): ['message_block', EventOf<'message_block'>] => [
  'message_block',
  { message, index, html, done },
];
const started = (
  call: string,
  tool = 'crm.move_deal',
  effect: CallItem['effect'] = 'write',
): ['tool_call_started', EventOf<'tool_call_started'>] => [
  'tool_call_started',
  { call, tool, args: { title: 'Rollout' }, effect, principal: { kind: 'user', name: 'user' } },
];
const asked = (call: string, revision = 1, args: JsonValue = { title: 'Rollout' }): ['approval_requested', EventOf<'approval_requested'>] => [
  'approval_requested',
  { call, args, decisions: ['once', 'session', 'always', 'deny'], question: 'Change 1 note?', editable: true, diff: null, host: null, revision, mid_run: false },
];
const decided = (
  call: string,
  decision: 'once' | 'deny',
  reason: string | null = null,
): ['approval_decided', EventOf<'approval_decided'>] => ['approval_decided', { call, decision, by: 'user', reason }];
const progress = (
  call: string,
  body: Partial<EventOf<'tool_call_progress'>>,
): ['tool_call_progress', EventOf<'tool_call_progress'>] => [
  'tool_call_progress',
  { call, fraction: null, message: null, partial: null, ...body },
];
const completed = (
  call: string,
  body: Partial<EventOf<'tool_call_completed'>> = {},
): ['tool_call_completed', EventOf<'tool_call_completed'>] => [
  'tool_call_completed',
  { call, ok: true, output: 'ok', sources: [], ms: 19, changes: [], change_set: null, merged: [], ...body },
];
const error = (code: UserError['code']) => ({ ok: false, output: { code, message: 'It did not work.', hint: 'Try again.' } });

/** The session after these steps; every prefix must be a valid state and no step may change an earlier state. */
function after(...steps: [Envelope['type'], object?][]): SessionState {
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
function outline(state: SessionState): string[] {
  return (state.turns.at(-1)?.items ?? []).map((item) => {
    if (item.kind === 'message') return `message ${item.blocks.map((b) => b.html).join('|')}`;
    if (item.kind === 'call') return `${item.call} ${item.state}`;
    if (item.kind === 'notice') return `notice ${item.notice.type}`;
    return `conflict ${item.note}`;
  });
}

/** The first turn. */
function turnOf(state: SessionState): Turn {
  return at(state.turns, 0);
}

function callsOf(state: SessionState): CallItem[] {
  return turnOf(state).items.filter((item) => item.kind === 'call');
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`nothing at ${index}`);
  return found;
}

function call(state: SessionState, id: string): CallItem {
  const items = state.turns.flatMap((turn) => turn.items);
  const found = items.findLast((item) => item.kind === 'call' && item.call === id);
  if (found?.kind !== 'call') throw new Error(`no call ${id}`);
  return found;
}

describe('messages', () => {
  test('the user’s message is the text of turn_started', () => {
    const state = after(turnStarted('Hello'));
    expect(state.turns[0]).toMatchObject({ id: 't1', text: 'Hello', status: 'running', model: 'ollama/qwen3', items: [] });
  });

  test('a block that streams is replaced in place, others stay as they are', () => {
    const before = after(turnStarted(), block('m1', 0, '<p>One</p>'), block('m1', 1, '<p>Tw</p>', false));
    const events = script(turnStarted(), block('m1', 0, '<p>One</p>'), block('m1', 1, '<p>Tw</p>', false), block('m1', 1, '<p>Two</p>'));
    const now = reduce(before, at(events, 3));
    expect(outline(now)).toEqual(['message <p>One</p>|<p>Two</p>']);
    const blocks = (s: SessionState) => (turnOf(s).items[0] as { blocks: readonly object[] }).blocks;
    expect(blocks(now)[0]).toBe(blocks(before)[0]);
  });

  test('items stand in the order in which their first event arrived', () => {
    const state = after(
      turnStarted(),
      block('m1', 0, 'a', false),
      ['notes_changed_outside', { paths: ['CRM/People/Jane Doe.md'] }],
      block('m1', 1, 'b'),
      started('c1'),
      block('m1', 0, 'A'),
      block('m2', 0, 'c'),
      completed('c1'),
    );
    expect(outline(state)).toEqual(['message A', 'notice changed_outside', 'message b', 'c1 done', 'message c']);
  });

  test('the Markdown of a message is kept for copying; without blocks it is the message', () => {
    const withBlocks = after(turnStarted(), block('m1', 0, '<p>Hi</p>'), ['message_completed', { message: 'm1', text: 'Hi' }]);
    expect(turnOf(withBlocks).items).toEqual([expect.objectContaining({ text: 'Hi', blocks: [expect.objectContaining({ html: '<p>Hi</p>' })] })]);
    const without = after(turnStarted(), ['message_completed', { message: 'm1', text: 'Hi' }]);
    expect(turnOf(without).items).toEqual([expect.objectContaining({ text: 'Hi', blocks: [] })]);
    expect(turnOf(after(turnStarted(), ['message_completed', { message: 'm1', text: ' \n' }])).items).toEqual([]);
  });

  test('thinking lasts from the start of a step to the first thing to be seen', () => {
    const since = (...steps: [Envelope['type'], object?][]) => turnOf(after(...steps)).thinkingSince;
    expect(since(turnStarted(), step, ['reasoning_delta', { text: 'hm' }])).toBe('2026-11-20T14:30:00.000Z');
    expect(since(turnStarted(), step, ['text_delta', { text: 'H' }])).toBeNull();
    expect(since(turnStarted(), step, started('c1'))).toBeNull();
    expect(since(turnStarted(), step, started('c1'), completed('c1'), step)).toBe('2026-11-20T14:30:04.000Z');
    expect(since(turnStarted(), step, ['turn_completed', { text: '' }])).toBeNull();
  });
});

describe('calls', () => {
  test('approval, then progress, then completion', () => {
    const steps: [Envelope['type'], object?][] = [turnStarted(), started('c1'), asked('c1')];
    expect(waitingCalls(after(...steps)).map((c) => c.approval?.question)).toEqual(['Change 1 note?']);

    steps.push(decided('c1', 'once'));
    expect(call(after(...steps), 'c1')).toMatchObject({
      state: 'running',
      runningSince: '2026-11-20T14:30:03.000Z',
      approval: { decided: { decision: 'once', by: 'user', at: '2026-11-20T14:30:03.000Z' } },
    });

    steps.push(progress('c1', { fraction: 0.5, message: '1/2' }), progress('c1', { fraction: 0.6, partial: [{ a: 1 }] }));
    expect(call(after(...steps), 'c1').progress).toEqual({ fraction: 0.6, message: '1/2', partial: [{ a: 1 }] });

    steps.push(completed('c1', { changes: [{ path: 'a.md', kind: 'modified' }], change_set: 'cs1', merged: ['stage: lead → won'] }));
    expect(call(after(...steps), 'c1')).toMatchObject({
      state: 'done',
      progress: null,
      endedAt: '2026-11-20T14:30:06.000Z',
      result: { value: 'ok', error: null, changeSet: 'cs1', ms: 19, merged: ['stage: lead → won'] },
    });
  });

  test('parallel calls end in any order and keep their places', () => {
    const state = after(
      turnStarted(),
      started('c1', 'vault.search', 'read'),
      started('c2', 'vault.query', 'read'),
      started('c3', 'vault.links', 'read'),
      completed('c3'),
      completed('c1'),
    );
    expect(outline(state)).toEqual(['c1 done', 'c2 running', 'c3 done']);
  });

  test('a write waits for the writes before it, a read for nothing', () => {
    const state = after(turnStarted(), started('c1'), started('c2'), started('c3'), started('r', 'vault.search', 'read'));
    const waits = (id: string) => writesBefore(callsOf(state), call(state, id));
    expect(['c1', 'c2', 'c3', 'r'].map(waits)).toEqual([0, 1, 2, 0]);
    const later = after(turnStarted(), started('c1'), started('c2'), completed('c1'));
    expect(writesBefore(callsOf(later), call(later, 'c2'))).toBe(0);
  });

  test.each([
    ['tool_failed', 'failed'],
    ['denied_by_rule', 'refused'],
    ['denied_by_user', 'denied'],
    ['approval_unanswered', 'unanswered'],
    ['cancelled', 'cancelled'],
  ] as const)('an end with %s is %s', (code, state) => {
    const ended = call(after(turnStarted(), started('c1'), completed('c1', error(code))), 'c1');
    expect(ended).toMatchObject({ state, result: { value: null, error: { code, message: 'It did not work.', hint: 'Try again.' } } });
  });

  test('an end whose output is no error object still has a message', () => {
    const messages = ['boom', { odd: 1 }, null].map(
      (output) => call(after(turnStarted(), started('c1'), completed('c1', { ok: false, output })), 'c1').result?.error?.message,
    );
    expect(messages).toEqual(['boom', 'The tool failed without a reason.', 'The tool failed without a reason.']);
  });

  test('a denial shows at once and its reason stays', () => {
    const steps: [Envelope['type'], object?][] = [turnStarted(), started('c1'), asked('c1'), decided('c1', 'deny', 'keep it')];
    expect(outline(after(...steps))).toEqual(['c1 denied']);
    steps.push(completed('c1', error('denied_by_user')));
    expect(call(after(...steps), 'c1')).toMatchObject({ state: 'denied', approval: { decided: { reason: 'keep it' } } });
  });

  test('a newer revision of an approval replaces the older one', () => {
    const state = after(turnStarted(), started('c1'), asked('c1', 1), asked('c1', 2));
    expect(waitingCalls(state).map((c) => c.approval?.revision)).toEqual([2]);
  });

  test('arguments that were edited are the ones that are shown and run', () => {
    const steps: [Envelope['type'], object?][] = [turnStarted(), started('c1'), asked('c1'), asked('c1', 2, { title: 'Other' })];
    expect(waitingCalls(after(...steps)).map((c) => c.args)).toEqual([{ title: 'Other' }]);
    expect(call(after(...steps, decided('c1', 'once'), completed('c1')), 'c1').args).toEqual({ title: 'Other' });
  });

  test('a decision nobody was asked for is recorded, as of a rule', () => {
    const state = after(turnStarted(), started('c1'), ['approval_decided', { call: 'c1', decision: 'always', by: 'rule crm__move_*', reason: null }]);
    expect(call(state, 'c1')).toMatchObject({ state: 'running', approval: { decided: { by: 'rule crm__move_*' } } });
  });

  test('the same call id in a later turn is another call', () => {
    const state = after(turnStarted(), started('c1'), completed('c1'), ['turn_completed', { text: '' }], turnStarted(), started('c1'), completed('c1', error('tool_failed')));
    expect(state.turns.map((turn) => turn.items.map((item) => (item.kind === 'call' ? item.state : '')))).toEqual([['done'], ['failed']]);
  });

  test('a tool run from its form has calls and approvals without a message', () => {
    const state = after(started('run'), asked('run'));
    expect(state.turns[0]).toMatchObject({ text: '', status: 'running' });
    expect(waitingCalls(state).map((c) => c.tool)).toEqual(['crm.move_deal']);
  });

  test('events of an unknown call change nothing', () => {
    const state = after(turnStarted());
    const stray = at(script(turnStarted(), completed('nobody')), 1);
    expect(reduce(state, stray)).toEqual({ ...state, seq: 2 });
  });
});

describe('a host that is asked about while the call runs', () => {
  const askedHost = (host: string, revision: number, more: object = {}): [Envelope['type'], object] => [
    'approval_requested',
    { call: 'c1', args: { city: 'Kiel' }, decisions: ['once', 'session', 'always', 'deny'], question: `Let dynamic.weather send to ${host}?`, editable: false, diff: null, host, revision, mid_run: true, ...more },
  ];
  const begun: [Envelope['type'], object?][] = [turnStarted(), started('c1', 'dynamic.weather', 'read'), progress('c1', { message: 'looks up' })];

  test('opens the question again, also for a second host, and both answers stay', () => {
    const one: [Envelope['type'], object?][] = [...begun, askedHost('a.example', 1)];
    expect(waitingCalls(after(...one)).map((c) => [c.approval?.host, c.approval?.midRun])).toEqual([['a.example', true]]);
    const two: [Envelope['type'], object?][] = [...one, decided('c1', 'once'), askedHost('b.example', 2)];
    const waiting = waitingCalls(after(...two))[0]!;
    expect(waiting.approval).toMatchObject({ host: 'b.example', revision: 2, decided: null });
    expect(decidedQuestions(waiting).map(({ host }) => host)).toEqual(['a.example']);
    const done = call(after(...two, decided('c1', 'once'), completed('c1')), 'c1');
    expect([done.state, decidedQuestions(done).map(({ host }) => host)]).toEqual(['done', ['a.example', 'b.example']]);
  });

  test('a denial does not end the call: it may ask for another host, and end well', () => {
    const denied: [Envelope['type'], object?][] = [...begun, askedHost('a.example', 1), decided('c1', 'deny', 'not there')];
    expect(call(after(...denied), 'c1')).toMatchObject({ state: 'running', endedAt: null });
    expect(waitingCalls(after(...denied, askedHost('b.example', 2)))).toHaveLength(1);
    expect(call(after(...denied, completed('c1')), 'c1').state).toBe('done');
    expect(call(after(...denied, completed('c1', error('denied_by_user'))), 'c1')).toMatchObject({
      state: 'denied',
      approval: { decided: { reason: 'not there' } },
    });
  });

  test('a question before the run is not mid-run: a denial ends the call', () => {
    const before: [Envelope['type'], object?][] = [...begun, askedHost('a.example', 1, { mid_run: false })];
    expect(waitingCalls(after(...before))[0]?.approval?.midRun).toBe(false);
    expect(call(after(...before, decided('c1', 'deny')), 'c1').state).toBe('denied');
    const second = after(...before, decided('c1', 'once'), askedHost('b.example', 2, { decisions: ['once', 'deny'] }));
    expect(waitingCalls(second)[0]?.approval?.midRun).toBe(true);
  });

  test('a call stopped while it waits has run: nothing says it did not', () => {
    const stopped = after(...begun, askedHost('a.example', 1), ['turn_cancelled', { unknown: [] }]);
    expect(call(stopped, 'c1').state).toBe('cancelled');
    const cut = replay(script(...begun, askedHost('a.example', 1)), false);
    expect(call(cut, 'c1').state).toBe('unknown');
  });
});

test('what a call has found leaves how far it is, and a word of its own takes it back', () => {
  const begun: [Envelope['type'], object?][] = [turnStarted(), started('c1', 'screener.scan', 'read'), progress('c1', { fraction: 0.3, message: '412/1,200' })];
  const fraction = (...next: [Envelope['type'], object?][]) => call(after(...begun, ...next), 'c1').progress?.fraction;
  expect(fraction(progress('c1', { partial: [{ a: 1 }] }))).toBe(0.3);
  expect(fraction(progress('c1', { message: 'no end in sight' }))).toBeNull();
});

describe('a detached call', () => {
  const detached: [Envelope['type'], object?][] = [
    turnStarted(),
    started('c1', 'screener.scan', 'external'),
    progress('c1', { fraction: 0.3, message: '412/1,200' }),
    ['tool_call_detached', { call: 'c1', so_far: [1] }],
    block('m1', 0, 'So far 9 hits'),
    ['turn_completed', { text: 'So far 9 hits' }],
  ];

  test('keeps running after its turn', () => {
    expect(turnOf(after(...detached)).status).toBe('completed');
    expect(call(after(...detached), 'c1')).toMatchObject({ state: 'running', detached: true, progress: { message: '412/1,200' } });
  });

  test('ends in its card and with one notice where the reader is', () => {
    const state = after(...detached, turnStarted('Next'), completed('c1'));
    expect(call(state, 'c1').state).toBe('done');
    expect(turnOf(state).items).toHaveLength(2);
    expect(outline(state)).toEqual(['notice late_end']);
  });

  test('outlives a turn that failed', () => {
    const failed = after(...detached.slice(0, 4), ['turn_failed', { code: 'provider_timeout', message: 'No answer.', hint: '' }]);
    expect(call(failed, 'c1').state).toBe('running');
  });

  test('runs in an opened chat while it runs, and is unknown after a crash', () => {
    const events = script(...detached);
    expect(call(replay(events, false, ['c1']), 'c1').state).toBe('running');
    expect(call(replay(events, false), 'c1').state).toBe('unknown');
    const told = script(...detached, turnStarted('Next'), completed('c1', error('interrupted')));
    expect(call(replay(told, true), 'c1').state).toBe('unknown');
  });

  test('is ended by Stop', () => {
    expect(call(after(...detached.slice(0, 4), ['turn_cancelled', { unknown: [] }]), 'c1').state).toBe('cancelled');
  });
});

describe('the end of a turn', () => {
  const open: [Envelope['type'], object?][] = [
    turnStarted(),
    block('m1', 0, 'Text so far', false),
    started('read', 'vault.search', 'read'),
    started('done'),
    completed('done'),
    started('waits'),
    asked('waits'),
    started('sends', 'mail.send', 'send'),
  ];

  test('cancelled: text stays, open calls end or are unknown, approvals stay open', () => {
    const state = after(...open, ['turn_cancelled', { unknown: ['sends'] }]);
    expect(turnOf(state).status).toBe('cancelled');
    expect(runningTurn(state)).toBeNull();
    expect(outline(state)).toEqual(['message Text so far', 'read cancelled', 'done done', 'waits unanswered', 'sends unknown']);
  });

  test('a stopped call keeps what it had found, in either order of events', () => {
    const end = completed('read', { ...error('cancelled'), so_far: [{ a: 1 }] });
    const stop: [Envelope['type'], object] = ['turn_cancelled', { unknown: [] }];
    for (const state of [after(...open, end, stop), after(...open, stop, end)])
      expect(call(state, 'read')).toMatchObject({ state: 'cancelled', result: { soFar: [{ a: 1 }] } });
  });

  test('an unknown outcome stays unknown, whether the call’s end is told before or after', () => {
    const end = completed('sends', error('cancelled'));
    const stop: [Envelope['type'], object] = ['turn_cancelled', { unknown: ['sends'] }];
    expect(call(after(...open, end, stop), 'sends').state).toBe('unknown');
    expect(call(after(...open, stop, end), 'sends').state).toBe('unknown');
  });

  test('failed: the reason and the remedy are kept', () => {
    const state = after(...open, ['turn_failed', { code: 'provider_timeout', message: 'No answer from the model for 40 s.', hint: 'Try again.' }]);
    expect(state.turns[0]).toMatchObject({ status: 'failed', failure: { code: 'provider_timeout', hint: 'Try again.' } });
    expect(outline(state)).toEqual(['message Text so far', 'read cancelled', 'done done', 'waits unanswered', 'sends unknown']);
  });

  test('late progress and late requests do not revive a call that ended', () => {
    const ended = after(...open, ['turn_cancelled', { unknown: [] }]);
    const events = script(...open, ['turn_cancelled', { unknown: [] }], progress('read', { fraction: 1 }), asked('waits', 2), decided('waits', 'once'));
    const state = events.reduce(reduce, ended);
    expect(outline(state)).toEqual(outline(ended));
  });
});

describe('the session', () => {
  test('a skill is active once; notices name who; one of a turn leaves silently', () => {
    const state = after(
      ['skill_activated', { skill: 'vault', by: 'pin', lifetime: 'session' }],
      turnStarted(),
      ['skill_activated', { skill: 'crm', by: 'model', lifetime: 'session' }],
      ['skill_activated', { skill: 'mail', by: 'router', lifetime: 'turn' }],
      ['skill_activated', { skill: 'crm', by: 'user', lifetime: 'session' }],
    );
    expect(state.opening.map((n) => n.notice.type)).toEqual(['activated']);
    expect(state.skills.map((s) => `${s.skill} ${s.by}`)).toEqual(['vault pin', 'crm user', 'mail router']);
    const next = after(
      turnStarted(),
      ['skill_activated', { skill: 'mail', by: 'router', lifetime: 'turn' }],
      ['skill_activated', { skill: 'crm', by: 'model', lifetime: 'session' }],
      ['turn_completed', { text: '' }],
      turnStarted(),
      ['skill_deactivated', { skill: 'crm', by: 'user' }],
    );
    // The next message wanted the mail again, so nobody said that it left.
    expect(next.skills.map((s) => s.skill)).toEqual(['mail']);
    expect(outline(next)).toEqual(['notice deactivated']);
    const left = after(
      ['skill_activated', { skill: 'mail', by: 'model', lifetime: 'turn' }],
      turnStarted(),
      ['skill_deactivated', { skill: 'mail', by: 'turn' }],
    );
    expect(left.skills).toEqual([]);
    expect(outline(left)).toEqual([]);
  });

  test('what was counted is that of the last request, with the model that it went to', () => {
    const context = (limit: number) => ({ used: 10, limit, cached: 0, parts: { system: 1, skills: 2, history: 3, outputs: 4 } });
    const sent = (limit: number): [Envelope['type'], object] => ['step_started', { tools: [], prefix_kept: true, bytes: 1, context: context(limit) }];
    const begun = (model: string): [Envelope['type'], object] => ['turn_started', { text: 'Hi', model, skills: [], tool: null }];
    const first: [Envelope['type'], object?][] = [begun('ollama/a'), sent(4000), ['usage', { input: 10, cached: 0, output: 1 }]];
    const of = (...more: [Envelope['type'], object?][]) => lastCounted(after(...first, ...more));
    expect(of()).toEqual({ model: 'ollama/a', usage: { input: 10, cached: 0, output: 1 }, context: context(4000) });
    // A request of another model is on its way: nobody has counted it yet.
    expect(of(['turn_completed', { text: '' }], begun('openai/b'), sent(128_000))).toEqual(of());
    expect(of(['turn_completed', { text: '' }], begun('openai/b'), sent(128_000), ['usage', { input: 20, cached: 15, output: 2 }])).toEqual({
      model: 'openai/b',
      usage: { input: 20, cached: 15, output: 2 },
      context: context(128_000),
    });
    expect(lastCounted(emptySession)).toBeNull();
  });

  test('a conflict, a summary and a missing credential stand in the flow', () => {
    const state = after(
      turnStarted(),
      ['conflict_found', { note: 'CRM/Deals/Rollout.md', mine: 'stage: won', theirs: 'stage: proposal' }],
      ['history_compacted'],
      ['credential_needed', { credential: 'finnhub/key', consumer: 'skill:lookup' }],
    );
    expect(outline(state)).toEqual(['conflict CRM/Deals/Rollout.md', 'notice compacted', 'notice credential_needed']);
  });

  test('a credential that is missing in each try is told once a turn', () => {
    const needed = (credential: string): [Envelope['type'], object] => ['credential_needed', { credential, consumer: 'tool:dynamic.weather' }];
    const steps: [Envelope['type'], object?][] = [turnStarted(), needed('weather/key'), needed('weather/key'), needed('weather/id')];
    expect(outline(after(...steps))).toEqual(['notice credential_needed', 'notice credential_needed']);
    const next = after(...steps, ['turn_completed', { text: '' }], turnStarted(), needed('weather/key'));
    expect(next.turns.map((turn) => turn.items.length)).toEqual([2, 1]);
  });

  describe('a note both changed', () => {
    const note = 'CRM/Deals/Rollout.md';
    const found = (theirs: string, of = note): [Envelope['type'], object] => ['conflict_found', { note: of, mine: 'stage: won', theirs }];
    const resolved = (keep: 'mine' | 'theirs'): [Envelope['type'], object] => ['conflict_resolved', { note, keep }];
    const conflicts = (state: SessionState) =>
      state.turns.flatMap(({ items }) => items.flatMap((item) => (item.kind === 'conflict' ? [`${item.note} ${item.theirs} ${item.decided?.keep ?? '?'}`] : [])));

    test('edited once more before the choice, it shows what it is now, in its place', () => {
      expect(conflicts(after(turnStarted(), found('a'), found('x', 'Other.md'), found('b')))).toEqual([`${note} b ?`, 'Other.md x ?']);
    });

    test('keeps what was decided, and a later edit asks anew', () => {
      const state = after(turnStarted(), found('a'), found('x', 'Other.md'), resolved('mine'), found('b'));
      expect(conflicts(state)).toEqual([`${note} a mine`, 'Other.md x ?', `${note} b ?`]);
    });

    test('a choice holds for the note wherever it stands', () => {
      expect(conflicts(after(turnStarted(), found('a'), turnStarted(), found('b'), resolved('theirs')))).toEqual([`${note} a theirs`, `${note} b theirs`]);
    });
  });

  test('app events and events of a later version change nothing', () => {
    const state = after(turnStarted());
    for (const type of ['vault_changed', 'a_later_event']) {
      const event = { ...at(script(turnStarted(), step), 1), type } as unknown as Envelope;
      expect(reduce(state, event)).toEqual({ ...state, seq: 2 });
    }
  });

  test('an event seen twice counts once', () => {
    const events = script(turnStarted(), started('c1'), block('m1', 0, 'a'), completed('c1'));
    const once = events.reduce(reduce, emptySession);
    expect([...events, ...events.slice(1)].reduce(reduce, emptySession)).toEqual(once);
  });
});

describe('replay', () => {
  const live = script(
    ['skill_activated', { skill: 'vault', by: 'pin', lifetime: 'session' }],
    turnStarted('One'),
    step,
    ['reasoning_delta', { text: 'hm' }],
    ['text_delta', { text: 'Fo' }],
    block('m1', 0, '<p>Fo</p>', false),
    ['text_delta', { text: 'ur' }],
    block('m1', 0, '<p>Four</p>'),
    ['message_completed', { message: 'm1', text: 'Four' }],
    started('c1'),
    started('c2', 'vault.search', 'read'),
    asked('c1'),
    progress('c2', { fraction: 0.5 }),
    completed('c2'),
    decided('c1', 'once'),
    completed('c1', { changes: [{ path: 'a.md', kind: 'modified' }], change_set: 'cs' }),
    ['usage', { input: 5, cached: 1, output: 1 }],
    step,
    block('m2', 0, '<p>Done</p>'),
    ['message_completed', { message: 'm2', text: 'Done' }],
    ['turn_completed', { text: 'Done' }],
    turnStarted('Two'),
    started('c3', 'mail.send', 'send'),
    asked('c3'),
    ['turn_cancelled', { unknown: [] }],
  );
  const passing = new Set(['text_delta', 'reasoning_delta', 'tool_call_progress']);
  const stored = live.filter((event) => !passing.has(event.type) && !(event.type === 'message_block' && !event.done));

  test('the stored events end in the state of the live ones', () => {
    expect(replay(stored, false)).toEqual(live.reduce(reduce, emptySession));
  });

  test('the blocks of a stored message may share its number', () => {
    const [turn, text] = script(turnStarted(), ['message_completed', { message: 'm1', text: 'One\n\nTwo' }]);
    const blocks = script(block('m1', 0, 'One'), block('m1', 1, 'Two')).map((event) => ({ ...event, seq: 2, turn: 't1' }));
    const state = replay([turn, text, ...blocks].filter((event) => event !== undefined), true);
    expect(outline(state)).toEqual(['message One|Two']);
    expect(state.seq).toBe(2);
  });

  test('joins a running stream at any point', () => {
    const whole = live.reduce(reduce, emptySession);
    for (let cut = 1; cut < live.length; cut += 1) {
      const opened = replay(live.slice(0, cut), true);
      const overlapping = live.slice(Math.max(0, cut - 3));
      expect(overlapping.reduce(reduce, opened)).toEqual(whole);
    }
  });

  test('a turn that nobody ended is shown as cut off, its calls as unanswered or unknown', () => {
    const events = script(turnStarted(), started('c1'), started('c2'), asked('c2'), started('c3'), completed('c3'));
    const state = replay(events, false);
    expect(state.turns[0]).toMatchObject({ status: 'failed', failure: { message: 'Nova was closed during this turn.' } });
    expect(outline(state)).toEqual(['c1 unknown', 'c2 unanswered', 'c3 done']);
    expect(outline(replay(events, true))).toEqual(['c1 running', 'c2 waiting', 'c3 done']);
  });
});

test('the end of a turn that an edit overtook still ends it, once', () => {
  const [begin, end, edit] = script(
    turnStarted(),
    ['turn_completed', { text: 'Done.' }],
    ['notes_changed_outside', { paths: ['CRM/People/Jane Doe.md'] }],
  ) as [Envelope, Envelope, Envelope];
  const state = [begin, edit, end].reduce(reduce, emptySession);
  expect(runningTurn(state)).toBeNull();
  expect(state.seq).toBe(3);
  expect(reduce(state, end)).toBe(state);
});

describe('branches', () => {
  const of = (turn: string, body: object): Envelope => ({ v: 1, seq: 0, at: '2026-11-20T14:30:00Z', session: 's', turn, ...body }) as Envelope;
  const begin = (turn: string, after?: string | null) => of(turn, { type: 'turn_started', text: turn, model: 'm', skills: [], tool: null, ...(after === undefined ? {} : { after }) });
  const end = (turn: string) => of(turn, { type: 'turn_completed', text: '' });
  const activate = (turn: string, skill: string) => of(turn, { type: 'skill_activated', skill, by: 'model', lifetime: 'session' });
  const choose = (turn: string) => ({ ...of('', { type: 'branch_chosen', chosen: turn }), turn: undefined }) as unknown as Envelope;
  const see = (...events: Envelope[]) => {
    const numbered = events.map((event, seq) => ({ ...event, seq: seq + 1 }));
    const state = numbered.reduce(reduce, emptySession);
    expect(replay(numbered, true)).toEqual(state);
    return state;
  };
  const shape = ({ turns, skills }: SessionState) => [turns.map(({ id }) => id).join(' '), skills.map(({ skill }) => skill).join(' ')];

  test('an edited message takes the place of the first and of what came after it', () => {
    const log = [begin('a', null), end('a'), begin('b', 'a'), activate('b', 'crm'), end('b'), begin('c', 'b'), end('c'), begin('d', 'a'), end('d')];
    expect(shape(see(...log))).toEqual(['a d', '']);
    expect(shape(see(...log, choose('b')))).toEqual(['a b c', 'crm']);
    expect(shape(see(...log, choose('b'), begin('e')))).toEqual(['a b c e', 'crm']);
    expect(shape(see(...log, begin('f', null)))).toEqual(['f', '']);
    expect(see(...log).all.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('what happens late in another branch stays there', () => {
    const log = [begin('a', null), begin('b', 'a'), end('b'), begin('c', 'a'), of('b', { type: 'message_completed', message: 'm', text: 'Late.' })];
    const state = see(...log);
    expect(state.turns.at(-1)?.items).toEqual([]);
    expect(state.all[1]?.items).toHaveLength(1);
  });

  test('without branches the turns are all turns', () => {
    const state = see(begin('a'), end('a'), begin('b'));
    expect(state.turns).toBe(state.all);
  });
});

test('each request is kept with what the provider counted for it', () => {
  const step = (tools: string[], prefix_kept: boolean): [Envelope['type'], object] => ['step_started', { tools, prefix_kept, bytes: 4000 }];
  const usage = (input: number): [Envelope['type'], object] => ['usage', { input, cached: 0, output: 5 }];
  const { steps } = turnOf(after(turnStarted(), step(['a'], false), usage(100), step(['a', 'b'], true)));
  expect(steps).toMatchObject([
    { tools: ['a'], prefixKept: false, bytes: 4000, usage: { input: 100, output: 5 } },
    { tools: ['a', 'b'], prefixKept: true, usage: null },
  ]);
});
