import { describe, expect, test } from 'vitest';

import type { Envelope } from '../ipc/protocol.generated';
import { script, turnStarted, block, started, asked, decided, progress, completed, error, after, outline, turnOf, callsOf, at, call } from '../testing/session-steps';
import { decidedQuestions, reduce, replay, waitingCalls, writesBefore } from './session';

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

  test('parallel calls end in any order and keep their positions', () => {
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

  test('a write waits for earlier writes, a read for nothing', () => {
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

  test('a denial is shown at once and keeps its reason', () => {
    const steps: [Envelope['type'], object?][] = [turnStarted(), started('c1'), asked('c1'), decided('c1', 'deny', 'keep it')];
    expect(outline(after(...steps))).toEqual(['c1 denied']);
    steps.push(completed('c1', error('denied_by_user')));
    expect(call(after(...steps), 'c1')).toMatchObject({ state: 'denied', approval: { decided: { reason: 'keep it' } } });
  });

  test('a newer revision of an approval replaces the older one', () => {
    const state = after(turnStarted(), started('c1'), asked('c1', 1), asked('c1', 2));
    expect(waitingCalls(state).map((c) => c.approval?.revision)).toEqual([2]);
  });

  test('edited arguments are shown and run', () => {
    const steps: [Envelope['type'], object?][] = [turnStarted(), started('c1'), asked('c1'), asked('c1', 2, { title: 'Other' })];
    expect(waitingCalls(after(...steps)).map((c) => c.args)).toEqual([{ title: 'Other' }]);
    expect(call(after(...steps, decided('c1', 'once'), completed('c1')), 'c1').args).toEqual({ title: 'Other' });
  });

  test('an unasked decision is recorded, for instance of a rule', () => {
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

describe('a host requested while the call runs', () => {
  const askedHost = (host: string, revision: number, more: object = {}): [Envelope['type'], object] => [
    'approval_requested',
    { call: 'c1', args: { city: 'Kiel' }, decisions: ['once', 'session', 'always', 'deny'], question: `Let dynamic.weather send to ${host}?`, editable: false, diff: null, host, revision, mid_run: true, ...more },
  ];
  const begun: [Envelope['type'], object?][] = [turnStarted(), started('c1', 'dynamic.weather', 'read'), progress('c1', { message: 'looks up' })];

  test('reopens the question, also for a second host, and keeps both answers', () => {
    const one: [Envelope['type'], object?][] = [...begun, askedHost('a.example', 1)];
    expect(waitingCalls(after(...one)).map((c) => [c.approval?.host, c.approval?.midRun])).toEqual([['a.example', true]]);
    const two: [Envelope['type'], object?][] = [...one, decided('c1', 'once'), askedHost('b.example', 2)];
    const waiting = waitingCalls(after(...two))[0]!;
    expect(waiting.approval).toMatchObject({ host: 'b.example', revision: 2, decided: null });
    expect(decidedQuestions(waiting).map(({ host }) => host)).toEqual(['a.example']);
    const done = call(after(...two, decided('c1', 'once'), completed('c1')), 'c1');
    expect([done.state, decidedQuestions(done).map(({ host }) => host)]).toEqual(['done', ['a.example', 'b.example']]);
  });

  test('a denial does not end the call: it may request another host, and succeed', () => {
    const denied: [Envelope['type'], object?][] = [...begun, askedHost('a.example', 1), decided('c1', 'deny', 'not there')];
    expect(call(after(...denied), 'c1')).toMatchObject({ state: 'running', endedAt: null });
    expect(waitingCalls(after(...denied, askedHost('b.example', 2)))).toHaveLength(1);
    expect(call(after(...denied, completed('c1')), 'c1').state).toBe('done');
    expect(call(after(...denied, completed('c1', error('denied_by_user'))), 'c1')).toMatchObject({
      state: 'denied',
      approval: { decided: { reason: 'not there' } },
    });
  });

  test('before the run is a normal question: a denial ends the call', () => {
    const before: [Envelope['type'], object?][] = [...begun, askedHost('a.example', 1, { mid_run: false })];
    expect(waitingCalls(after(...before))[0]?.approval?.midRun).toBe(false);
    expect(call(after(...before, decided('c1', 'deny')), 'c1').state).toBe('denied');
    const second = after(...before, decided('c1', 'once'), askedHost('b.example', 2, { decisions: ['once', 'deny'] }));
    expect(waitingCalls(second)[0]?.approval?.midRun).toBe(true);
  });

  test('leaves the outcome of a stopped call unknown', () => {
    const stopped = after(...begun, askedHost('a.example', 1), ['turn_cancelled', { unknown: [] }]);
    expect(call(stopped, 'c1').state).toBe('cancelled');
    const cut = replay(script(...begun, askedHost('a.example', 1)), false);
    expect(call(cut, 'c1').state).toBe('unknown');
  });
});

test('a partial result keeps the progress, and a message without a fraction clears it', () => {
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

  test('ends on its card and with one notice at the current turn', () => {
    const state = after(...detached, turnStarted('Next'), completed('c1'));
    expect(call(state, 'c1').state).toBe('done');
    expect(turnOf(state).items).toHaveLength(2);
    expect(outline(state)).toEqual(['notice late_end']);
  });

  test('outlives a turn that failed', () => {
    const failed = after(...detached.slice(0, 4), ['turn_failed', { code: 'provider_timeout', message: 'No answer.', hint: '' }]);
    expect(call(failed, 'c1').state).toBe('running');
  });

  test('is restored as running while it runs, and as unknown after a crash', () => {
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
