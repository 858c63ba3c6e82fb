import { describe, expect, test } from 'vitest';

import type { Envelope } from '../ipc/protocol.generated';
import { script, turnStarted, step, block, started, asked, decided, progress, completed, error, after, outline, turnOf, at, call } from '../testing/session-steps';
import { emptySession, lastCounted, reduce, replay, runningTurn, type SessionState } from './session';

describe('messages', () => {
  test('the user’s message is the text of turn_started', () => {
    const state = after(turnStarted('Hello'));
    expect(state.turns[0]).toMatchObject({ id: 't1', text: 'Hello', status: 'running', model: 'ollama/qwen3', items: [] });
  });

  test('a streaming block is replaced in place, others are unchanged', () => {
    const before = after(turnStarted(), block('m1', 0, '<p>One</p>'), block('m1', 1, '<p>Tw</p>', false));
    const events = script(turnStarted(), block('m1', 0, '<p>One</p>'), block('m1', 1, '<p>Tw</p>', false), block('m1', 1, '<p>Two</p>'));
    const now = reduce(before, at(events, 3));
    expect(outline(now)).toEqual(['message <p>One</p>|<p>Two</p>']);
    const blocks = (s: SessionState) => (turnOf(s).items[0] as { blocks: readonly object[] }).blocks;
    expect(blocks(now)[0]).toBe(blocks(before)[0]);
  });

  test('items are in order of their first events', () => {
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

  test('a message’s Markdown is kept for copying; without blocks it is the message', () => {
    const withBlocks = after(turnStarted(), block('m1', 0, '<p>Hi</p>'), ['message_completed', { message: 'm1', text: 'Hi' }]);
    expect(turnOf(withBlocks).items).toEqual([expect.objectContaining({ text: 'Hi', blocks: [expect.objectContaining({ html: '<p>Hi</p>' })] })]);
    const without = after(turnStarted(), ['message_completed', { message: 'm1', text: 'Hi' }]);
    expect(turnOf(without).items).toEqual([expect.objectContaining({ text: 'Hi', blocks: [] })]);
    expect(turnOf(after(turnStarted(), ['message_completed', { message: 'm1', text: ' \n' }])).items).toEqual([]);
  });

  test('thinking lasts from the start of a step to the first visible output', () => {
    const since = (...steps: [Envelope['type'], object?][]) => turnOf(after(...steps)).thinkingSince;
    expect(since(turnStarted(), step, ['reasoning_delta', { text: 'hm' }])).toBe('2026-11-20T14:30:00.000Z');
    expect(since(turnStarted(), step, ['text_delta', { text: 'H' }])).toBeNull();
    expect(since(turnStarted(), step, started('c1'))).toBeNull();
    expect(since(turnStarted(), step, started('c1'), completed('c1'), step)).toBe('2026-11-20T14:30:04.000Z');
    expect(since(turnStarted(), step, ['turn_completed', { text: '' }])).toBeNull();
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

  test('a stopped call keeps its partial result, in either order of events', () => {
    const end = completed('read', { ...error('cancelled'), so_far: [{ a: 1 }] });
    const stop: [Envelope['type'], object] = ['turn_cancelled', { unknown: [] }];
    for (const state of [after(...open, end, stop), after(...open, stop, end)])
      expect(call(state, 'read')).toMatchObject({ state: 'cancelled', result: { soFar: [{ a: 1 }] } });
  });

  test('an unknown outcome stays unknown, whether the call’s end comes before or after', () => {
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

  test('late progress and requests do not reopen an ended call', () => {
    const ended = after(...open, ['turn_cancelled', { unknown: [] }]);
    const events = script(...open, ['turn_cancelled', { unknown: [] }], progress('read', { fraction: 1 }), asked('waits', 2), decided('waits', 'once'));
    const state = events.reduce(reduce, ended);
    expect(outline(state)).toEqual(outline(ended));
  });
});

describe('the session', () => {
  test('a skill is active once; notices name who; a turn’s skill leaves silently', () => {
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
    // The next message kept mail active, so no removal was announced.
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

  test('token counts are those of the last request, with its model', () => {
    const context = (limit: number) => ({ used: 10, limit, cached: 0, parts: { system: 1, skills: 2, history: 3, outputs: 4 } });
    const sent = (limit: number): [Envelope['type'], object] => ['step_started', { tools: [], prefix_kept: true, bytes: 1, context: context(limit) }];
    const begun = (model: string): [Envelope['type'], object] => ['turn_started', { text: 'Hi', model, skills: [], tool: null }];
    const first: [Envelope['type'], object?][] = [begun('ollama/a'), sent(4000), ['usage', { input: 10, cached: 0, output: 1 }]];
    const of = (...more: [Envelope['type'], object?][]) => lastCounted(after(...first, ...more));
    expect(of()).toEqual({ model: 'ollama/a', usage: { input: 10, cached: 0, output: 1 }, context: context(4000) });
    // A request of another model is pending and not counted yet.
    expect(of(['turn_completed', { text: '' }], begun('openai/b'), sent(128_000))).toEqual(of());
    expect(of(['turn_completed', { text: '' }], begun('openai/b'), sent(128_000), ['usage', { input: 20, cached: 15, output: 2 }])).toEqual({
      model: 'openai/b',
      usage: { input: 20, cached: 15, output: 2 },
      context: context(128_000),
    });
    expect(lastCounted(emptySession)).toBeNull();
  });

  test('a conflict, a summary and a missing credential are items of the conversation', () => {
    const state = after(
      turnStarted(),
      ['conflict_found', { note: 'CRM/Deals/Rollout.md', mine: 'stage: won', theirs: 'stage: proposal' }],
      ['history_compacted'],
      ['credential_needed', { credential: 'finnhub/key', consumer: 'skill:lookup' }],
    );
    expect(outline(state)).toEqual(['conflict CRM/Deals/Rollout.md', 'notice compacted', 'notice credential_needed']);
  });

  test('a credential missing in every attempt is reported once per turn', () => {
    const needed = (credential: string): [Envelope['type'], object] => ['credential_needed', { credential, consumer: 'tool:dynamic.weather' }];
    const steps: [Envelope['type'], object?][] = [turnStarted(), needed('weather/key'), needed('weather/key'), needed('weather/id')];
    expect(outline(after(...steps))).toEqual(['notice credential_needed', 'notice credential_needed']);
    const next = after(...steps, ['turn_completed', { text: '' }], turnStarted(), needed('weather/key'));
    expect(next.turns.map((turn) => turn.items.length)).toEqual([2, 1]);
  });

  describe('a conflicting note', () => {
    const note = 'CRM/Deals/Rollout.md';
    const found = (theirs: string, of = note): [Envelope['type'], object] => ['conflict_found', { note: of, mine: 'stage: won', theirs }];
    const resolved = (keep: 'mine' | 'theirs'): [Envelope['type'], object] => ['conflict_resolved', { note, keep }];
    const conflicts = (state: SessionState) =>
      state.turns.flatMap(({ items }) => items.flatMap((item) => (item.kind === 'conflict' ? [`${item.note} ${item.theirs} ${item.decided?.keep ?? '?'}`] : [])));

    test('edited again before the choice, shows its current version in place', () => {
      expect(conflicts(after(turnStarted(), found('a'), found('x', 'Other.md'), found('b')))).toEqual([`${note} b ?`, 'Other.md x ?']);
    });

    test('keeps the decision, and a later edit asks again', () => {
      const state = after(turnStarted(), found('a'), found('x', 'Other.md'), resolved('mine'), found('b'));
      expect(conflicts(state)).toEqual([`${note} a mine`, 'Other.md x ?', `${note} b ?`]);
    });

    test('is decided wherever it appears', () => {
      expect(conflicts(after(turnStarted(), found('a'), turnStarted(), found('b'), resolved('theirs')))).toEqual([`${note} a theirs`, `${note} b theirs`]);
    });
  });

  test('app events and unknown events change nothing', () => {
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

  test('stored events result in the same state as live ones', () => {
    expect(replay(stored, false)).toEqual(live.reduce(reduce, emptySession));
  });

  test('blocks of a stored message may share its number', () => {
    const [turn, text] = script(turnStarted(), ['message_completed', { message: 'm1', text: 'One\n\nTwo' }]);
    const blocks = script(block('m1', 0, 'One'), block('m1', 1, 'Two')).map((event) => ({ ...event, seq: 2, turn: 't1' }));
    const state = replay([turn, text, ...blocks].filter((event) => event !== undefined), true);
    expect(outline(state)).toEqual(['message One|Two']);
    expect(state.seq).toBe(2);
  });

  test('can join a running stream at any point', () => {
    const whole = live.reduce(reduce, emptySession);
    for (let cut = 1; cut < live.length; cut += 1) {
      const opened = replay(live.slice(0, cut), true);
      const overlapping = live.slice(Math.max(0, cut - 3));
      expect(overlapping.reduce(reduce, opened)).toEqual(whole);
    }
  });

  test('shows an unfinished turn as interrupted, its calls as unanswered or unknown', () => {
    const events = script(turnStarted(), started('c1'), started('c2'), asked('c2'), started('c3'), completed('c3'));
    const state = replay(events, false);
    expect(state.turns[0]).toMatchObject({ status: 'failed', failure: { message: 'Nova was closed during this turn.' } });
    expect(outline(state)).toEqual(['c1 unknown', 'c2 unanswered', 'c3 done']);
    expect(outline(replay(events, true))).toEqual(['c1 running', 'c2 waiting', 'c3 done']);
  });
});

test('the end of a turn overtaken by an edit still ends it, once', () => {
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

  test('an edited message replaces the first and what followed it', () => {
    const log = [begin('a', null), end('a'), begin('b', 'a'), activate('b', 'crm'), end('b'), begin('c', 'b'), end('c'), begin('d', 'a'), end('d')];
    expect(shape(see(...log))).toEqual(['a d', '']);
    expect(shape(see(...log, choose('b')))).toEqual(['a b c', 'crm']);
    expect(shape(see(...log, choose('b'), begin('e')))).toEqual(['a b c e', 'crm']);
    expect(shape(see(...log, begin('f', null)))).toEqual(['f', '']);
    expect(see(...log).all.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('late events of another branch stay there', () => {
    const log = [begin('a', null), begin('b', 'a'), end('b'), begin('c', 'a'), of('b', { type: 'message_completed', message: 'm', text: 'Late.' })];
    const state = see(...log);
    expect(state.turns.at(-1)?.items).toEqual([]);
    expect(state.all[1]?.items).toHaveLength(1);
  });

  test('without branches the active turns are all turns', () => {
    const state = see(begin('a'), end('a'), begin('b'));
    expect(state.turns).toBe(state.all);
  });
});

test('each request has its provider’s token counts', () => {
  const step = (tools: string[], prefix_kept: boolean): [Envelope['type'], object] => ['step_started', { tools, prefix_kept, bytes: 4000 }];
  const usage = (input: number): [Envelope['type'], object] => ['usage', { input, cached: 0, output: 5 }];
  const { steps } = turnOf(after(turnStarted(), step(['a'], false), usage(100), step(['a', 'b'], true)));
  expect(steps).toMatchObject([
    { tools: ['a'], prefixKept: false, bytes: 4000, usage: { input: 100, output: 5 } },
    { tools: ['a', 'b'], prefixKept: true, usage: null },
  ]);
});
