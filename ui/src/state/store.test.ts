import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import type { EventBody, UserError } from '../ipc';
import { FakeBackend } from '../testing/fake-backend';
import { interruptedSet, sampleWorld } from '../testing/sample';
import { storeOnSample } from '../testing/store';
import { createStore } from './store';

const turn = expect.any(String) as string;
const block = (html: string, done = false): EventBody => ({ type: 'message_block', message: 'm', index: 0, html, done });
const started = (text: string): EventBody => ({ type: 'turn_started', text, model: 'ollama/q', skills: [], tool: null });

test('starting loads status, chats and skill names over one subscription', async () => {
  const { store, actions, subscribe } = storeOnSample();
  await actions.start();
  await actions.openSession('harborline');
  const { app } = store.get();
  expect(app.status?.vault?.name).toBe('Work vault');
  expect(app.sessions[0]?.title).toBe('Harborline signed');
  expect(app.skillNames['crm']).toBe('CRM');
  expect(subscribe).toHaveBeenCalledTimes(1);
});

test('a first start loads nothing of a missing vault', async () => {
  const { backend, actions } = storeOnSample();
  backend.world.status = { ...backend.world.status, first_run: true, vault: null };
  await actions.start();
  expect(backend.calls.map(({ method }) => method)).toEqual(['app_status', 'window_layout']);
  await actions.openVault({ choice: { kind: 'sample' }, model: null });
  expect(backend.asked('list_sessions')).toHaveLength(1);
});

test('an unresponsive backend is reported as a problem, and retried', async () => {
  const { backend, store, actions } = storeOnSample();
  backend.fail('app_status', { message: 'Nothing answers.' });
  await actions.start();
  expect(store.get().app.startProblem?.message).toBe('Nothing answers.');
  backend.on('app_status', () => backend.world.status);
  await actions.start();
  expect(store.get().app.startProblem).toBeNull();
});

test('a page chosen in the tray or by a notification is shown', async () => {
  const { backend, store, actions } = storeOnSample();
  await actions.start();
  actions.show({ kind: 'settings', page: 'routines' });
  backend.emit({ type: 'page_requested', page: { kind: 'chat', session: 'harborline' } });
  expect(store.get().app).toMatchObject({ open: 'harborline', view: { kind: 'chat' } });
  actions.show({ kind: 'trash' });
  actions.setPanel({ open: true, wide: true });
  backend.emit({ type: 'page_requested', page: { kind: 'today' } });
  expect(store.get().app).toMatchObject({ open: null, view: { kind: 'chat' }, panel: { wide: false } });
});

describe('opening a chat', () => {
  test('events during the load are neither lost nor applied twice', async () => {
    const { backend, store, actions } = storeOnSample();
    await actions.start();
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const stored = backend.emit(started('stored'), { session: 'bank', turn: 't1' });
    backend.on('open_session', async ({ session }) => {
      await held;
      const both = { ...stored, seq: stored.seq };
      return { row: { ...backend.world.sessions.find(({ id }) => id === session)!, running: true }, events: [both], running_calls: [] };
    });
    const opening = actions.openSession('bank');
    expect(store.get().app.opening).toBe(true);
    backend.emit(block('<p>early</p>', true), { session: 'bank', turn: 't1' });
    answer();
    await opening;
    backend.emit({ type: 'turn_completed', text: 'early' }, { session: 'bank', turn: 't1' });

    const { app, streams } = store.get();
    expect(app.opening).toBe(false);
    const turns = streams['bank']?.turns ?? [];
    expect(turns.map(({ text, status }) => [text, status])).toEqual([['stored', 'completed']]);
    expect(turns[0]?.items.map(({ kind }) => kind)).toEqual(['message']);
  });

  test('an opened chat keeps collecting events while another one is open', async () => {
    const { backend, store, actions } = storeOnSample();
    await actions.start();
    await actions.openSession('bank');
    await actions.openSession('lisbon');
    backend.emit(started('later'), { session: 'bank', turn: 't1' });
    await actions.openSession('bank');
    expect(store.get().streams['bank']?.turns.map(({ text }) => text)).toEqual(['later']);
    expect(backend.asked('open_session')).toEqual([{ session: 'bank' }, { session: 'lisbon' }]);
  });

  test('a chat that fails to load is reported and not shown', async () => {
    const { backend, store, actions } = storeOnSample();
    await actions.start();
    backend.fail('open_session', { message: 'This chat cannot be read.' });
    await actions.openSession('bank');
    expect(store.get().app).toMatchObject({ open: null, opening: false, problem: { message: 'This chat cannot be read.' } });
  });

  test('events of unopened chats are not stored', async () => {
    const { backend, store, actions } = storeOnSample();
    await actions.start();
    backend.emit(started('elsewhere'), { session: 'bank', turn: 't1' });
    expect(store.get().streams).toEqual({});
    expect(store.get().app.sessions.find(({ id }) => id === 'bank')?.running).toBe(true);
  });
});

describe('sending', () => {
  test('the first message creates the chat, the next goes to the same one', async () => {
    const { backend, store, actions } = storeOnSample();
    await actions.start();
    actions.newChat();
    await actions.sendDraft('hello');
    actions.setDraft({ skills: ['crm'] });
    await actions.sendDraft('again');
    const session = store.get().app.open!;
    expect(backend.asked('create_session')).toHaveLength(1);
    expect(backend.asked('send_message')).toEqual([
      { session, text: 'hello', skills: [], turn },
      { session, text: 'again', skills: ['crm'], turn },
    ]);
    expect(store.get().streams[session]?.turns.map(({ text }) => text)).toEqual(['hello', 'again']);
  });

  test('a new chat’s first event is number 0 and is shown', async () => {
    const backend = new FakeBackend({ ...sampleWorld(), sessions: [], events: {} });
    const store = createStore(backend, { flushEvery: 0 });
    const seen: number[] = [];
    backend.subscribe(({ seq }) => seen.push(seq));
    await store.actions.sendDraft('first');
    expect(seen).toEqual([0]);
    expect(store.get().streams[store.get().app.open!]?.turns.map(({ text }) => text)).toEqual(['first']);
  });

  test('a refused message rejects with the reason', async () => {
    const { backend, actions } = storeOnSample();
    backend.fail('send_message', { code: 'session_busy' });
    await expect(actions.sendDraft('x')).rejects.toMatchObject({ code: 'session_busy' } satisfies Partial<UserError>);
  });
});

test('the model is set for the open chat, else as the default', async () => {
  const { backend, store, actions } = storeOnSample();
  await actions.start();
  await actions.setModel('ollama/qwen3:4b');
  expect(store.get().app.status?.model).toBe('ollama/qwen3:4b');
  await actions.openSession('bank');
  await actions.setModel('openai/gpt-5.2');
  expect(store.get().app.sessions.find(({ id }) => id === 'bank')?.model).toBe('openai/gpt-5.2');
  expect(backend.asked('set_model').map(({ session }) => session)).toEqual([null, 'bank']);
});

test('appearance applies at once and is reverted if refused', async () => {
  const { backend, store, actions } = storeOnSample();
  await actions.start();
  backend.fail('set_appearance');
  const saving = actions.setAppearance({ text_size: 18 });
  expect(store.get().app.status?.appearance.text_size).toBe(18);
  await saving;
  expect(store.get().app.status?.appearance.text_size).toBe(14);
  expect(store.get().app.problem).not.toBeNull();
});

test('deleting a chat discards its messages and leaves it', async () => {
  const { store, actions } = storeOnSample();
  await actions.start();
  await actions.openSession('bank');
  await actions.deleteSession('bank');
  const { app, streams } = store.get();
  expect(app.open).toBeNull();
  expect(app.sessions.some(({ id }) => id === 'bank')).toBe(false);
  expect(streams).toEqual({});
});

test('an undo reloads the changes', async () => {
  const { store, actions } = storeOnSample();
  const before = store.get().app.revisions.changes;
  await expect(actions.undo({ change_set: 'set3' })).resolves.toMatchObject({ change_set: 'set3-undo' });
  expect(store.get().app.revisions.changes).toBeGreaterThan(before);
});

test('a form run is a separate stream while it is watched', () => {
  const { backend, store, actions } = storeOnSample();
  const call: EventBody = {
    type: 'tool_call_started',
    call: 'c',
    tool: 'crm.pipeline',
    args: {},
    effect: 'read',
    principal: { kind: 'user', name: 'you' },
  };
  actions.watch('run-1');
  backend.emit(call, { session: 'run-1' });
  expect(store.get().streams['run-1']?.seq).toBeGreaterThan(0);
  actions.unwatch('run-1');
  backend.emit(call, { session: 'run-1' });
  expect(store.get().streams).toEqual({});
});

describe('the vault', () => {
  const changed: EventBody = { type: 'vault_changed', kind: 'modified', path: 'A.md', from: null, by: 'outside', summary: null };

  test('problems are loaded at the start; many changes cause one more load', async () => {
    const { backend, store, actions } = storeOnSample();
    const answers: (() => void)[] = [];
    backend.on('list_problems', () => new Promise((resolve) => answers.push(() => resolve(backend.world.problems))));
    await actions.start();
    expect(answers).toHaveLength(1);
    for (let at = 0; at < 200; at++) backend.emit(changed);
    const read = actions.loadProblems();
    backend.world.problems = [];
    answers[0]?.();
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    answers[1]?.();
    await read;
    expect(answers).toHaveLength(2);
    expect(store.get().app.problems).toEqual({ rows: [], error: null });
    // After the load has finished, the next change causes another.
    backend.emit(changed);
    expect(answers).toHaveLength(3);
  });

  test('a change set settled elsewhere no longer waits', async () => {
    const { backend, store, actions } = storeOnSample();
    backend.world.changes = [interruptedSet(2)];
    await actions.start();
    await vi.waitFor(() => expect(store.get().app.interrupted).toHaveLength(1));
    backend.finish_changes({ change_set: 'cut' });
    backend.emit({ type: 'change_set', id: 'cut', state: 'committed' });
    await vi.waitFor(() => expect(store.get().app.interrupted).toEqual([]));
  });

  test('another vault starts without the previous one’s data', async () => {
    const { backend, store, actions } = storeOnSample();
    const conflict = { path: 'A.md', what: [], mine: '', theirs: '' };
    backend.on('finish_changes', () => ({ change_set: null, finished: [], conflicts: [conflict] }));
    await actions.settle(interruptedSet(1), 'finish');
    expect(store.get().app).toMatchObject({ conflicts: [{ set: 'cut' }], settlements: [{ way: 'finish' }] });
    await actions.openVault({ choice: { kind: 'sample' }, model: null });
    expect(store.get().app).toMatchObject({ conflicts: [], settlements: [] });
  });

  test('a vault changed in the configuration is loaded like a chosen one', async () => {
    const { backend, store, actions } = storeOnSample();
    backend.world.changes = [interruptedSet(2)];
    await actions.start();
    await vi.waitFor(() => expect(store.get().app.interrupted).toHaveLength(1));
    backend.world.changes = [];
    backend.emit({ type: 'vault_opened', name: 'Other' });
    await vi.waitFor(() => expect(store.get().app.interrupted).toEqual([]));
  });
});

describe('a conflict of a change set', () => {
  const conflict = { path: 'A.md', what: [], mine: 'a', theirs: 'b' };
  const choice = { session: null, change_set: 'one', note: 'A.md', keep: 'mine' } as const;

  async function met() {
    const made = storeOnSample();
    made.backend.on('undo_changes', () => ({ change_set: null, undone: [], merged: [], conflicts: [conflict] }));
    await made.actions.undo({ change_set: 'one' });
    await made.actions.undo({ change_set: 'two' });
    return made;
  }
  const outline = ({ store }: Awaited<ReturnType<typeof met>>) =>
    store.get().app.conflicts.map(({ set, conflict: { theirs }, decided }) => `${set} ${theirs} ${decided?.keep ?? '?'}`);

  test('is decided only for that set', async () => {
    const made = await met();
    await made.actions.resolveConflict(choice);
    expect(outline(made)).toEqual(['one b mine', 'two b ?']);
  });

  test('a note edited again waits for a decision with its current sides', async () => {
    const made = await met();
    made.backend.on('resolve_conflict', () => ({ change_set: null, conflict: { ...conflict, theirs: 'c' } }));
    await made.actions.resolveConflict(choice);
    expect(outline(made)).toEqual(['one c ?', 'two b ?']);
  });
});

describe('flushing', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  test('a fast stream renders at most 30 times a second and ends complete', async () => {
    const { backend, store, actions } = storeOnSample(34);
    actions.watch('s');
    const shown = vi.fn();
    store.listen(shown);
    backend.emit(started('go'), { session: 's', turn: 't' });
    for (let at = 0; at < 1000; at++) {
      backend.emit(block(`<p>${at}</p>`), { session: 's', turn: 't' });
      await vi.advanceTimersByTimeAsync(1);
    }
    await vi.advanceTimersByTimeAsync(50);
    expect(shown.mock.calls.length).toBeLessThanOrEqual(31);
    expect(shown.mock.calls.length).toBeGreaterThan(20);
    expect(JSON.stringify(store.get().streams['s']?.turns[0]?.items)).toContain('<p>999</p>');
  });

  test('a command’s result is not shown before earlier events', async () => {
    const { backend, store, actions } = storeOnSample(1000);
    await actions.start();
    backend.emit(started('one'), { session: 'bank', turn: 't' });
    backend.emit({ type: 'turn_completed', text: '' }, { session: 'bank', turn: 't' });
    await actions.renameSession('lisbon', 'Trip');
    expect(store.get().app.sessions.find(({ id }) => id === 'bank')?.running).toBe(false);
  });
});

describe('a message being sent', () => {
  test('can be stopped before it is handed over, and is not sent', async () => {
    const { backend, store, actions } = storeOnSample();
    await actions.start();
    await actions.openSession('bank');
    actions.setDraft({ text: 'Move it' });
    const sending = expect(actions.sendDraft('Move it')).rejects.toMatchObject({ code: 'cancelled' });
    await actions.stop();
    await sending;
    expect(backend.asked('send_message')).toEqual([]);
    expect(store.get().app.drafts['bank']?.text).toBe('Move it');
    expect(store.get().app.sending).toEqual({});
  });

  test('blocks queued messages, and holds them if it was not accepted', async () => {
    const { backend, store, actions } = storeOnSample();
    await actions.start();
    await actions.openSession('bank');
    actions.setDraft({ text: 'Move it' });
    let refuse = () => {};
    backend.on('send_message', () => new Promise((_, fail) => {
      refuse = () => fail({ code: 'no_model', message: 'No model.', hint: '' });
    }));
    const sending = expect(actions.sendDraft('Move it')).rejects.toBeDefined();
    actions.setDraft({ text: 'and then' });
    actions.queueDraft();
    await actions.sendDue('bank');
    await vi.waitFor(() => expect(backend.asked('send_message')).toMatchObject([{ text: 'Move it' }]));
    refuse();
    await sending;
    expect(store.get().app.drafts['bank']?.text).toBe('Move it');
    expect(store.get().app.queues['bank']).toMatchObject({ held: 'No model.', messages: [{ text: 'and then' }] });
  });

  test.each(['written', 'waiting'] as const)('releases queued messages if its turn ended before its confirmation (%s)', async (first) => {
    const { backend, store, actions, answer } = await pendingMessage();
    const queue = (text: string) => {
      actions.setDraft({ text });
      actions.queueDraft();
    };
    if (first === 'waiting') queue('Move it');
    const sending = first === 'written' ? actions.sendDraft('Move it') : actions.sendDue('bank');
    queue('and then');
    await vi.waitFor(() => expect(backend.asked('send_message')).toHaveLength(1));
    backend.emit(started('Move it'), { session: 'bank', turn: 't1' });
    backend.emit({ type: 'turn_completed', text: '' }, { session: 'bank', turn: 't1' });
    backend.emit({ type: 'session_changed', id: 'bank' });
    await vi.waitFor(() => expect(store.get().streams['bank']?.turns.at(-1)?.status).toBe('completed'));
    answer.take();
    await sending;
    await vi.waitFor(() => expect(backend.asked('send_message').map(({ text }) => text)).toEqual(['Move it', 'and then']));
    answer.take();
  });

  test('stays sent if it was accepted and its turn cannot be stopped', async () => {
    const { backend, store, actions, answer } = await pendingMessage();
    backend.fail('stop_turn', { message: 'Nothing answers.' });
    const sending = actions.sendDraft('Move it');
    await vi.waitFor(() => expect(backend.asked('send_message')).toHaveLength(1));
    await expect(actions.stop()).rejects.toBeDefined();
    answer.take();
    await sending;
    const { drafts, sending: left, problem } = store.get().app;
    expect([drafts['bank']?.text ?? '', left]).toEqual(['', {}]);
    expect(problem?.message).toBe('Nothing answers.');
  });

  test('shows its error in its own chat, until that sends again', async () => {
    const { backend, store, actions, answer } = await pendingMessage();
    const sending = expect(actions.sendDraft('Move it')).rejects.toBeDefined();
    await vi.waitFor(() => expect(backend.asked('send_message')).toHaveLength(1));
    await actions.openSession('lisbon');
    answer.refuse({ code: 'no_model', message: 'No model.', hint: '' });
    await sending;
    expect(store.get().app.notSent).toMatchObject({ bank: { message: 'No model.' } });
    expect(store.get().app.notSent['lisbon']).toBeUndefined();
    await actions.openSession('bank');
    const again = actions.sendDraft('Move it');
    expect(store.get().app.notSent).toEqual({});
    await vi.waitFor(() => expect(backend.asked('send_message')).toHaveLength(2));
    answer.take();
    await again;
  });

  describe('"Stop and send" of a queued message', () => {
    const cancelled = { code: 'cancelled', message: 'It was not sent.', hint: '' } as const;

    /** `now` is queued while `first` is being sent; sends `now` at once. */
    async function press(first: 'written' | 'waiting') {
      const made = await pendingMessage();
      const { backend, store, actions } = made;
      const queue = (text: string) => {
        actions.setDraft({ text });
        actions.queueDraft();
      };
      if (first === 'waiting') queue('Move it');
      const sending = (first === 'written' ? actions.sendDraft('Move it') : actions.sendDue('bank')).catch(() => {});
      queue('now');
      await vi.waitFor(() => expect(backend.asked('send_message')).toHaveLength(1));
      const id = store.get().app.queues['bank']!.messages.find(({ text }) => text === 'now')!.id;
      await actions.sendQueuedNow(id);
      expect(backend.asked('stop_turn')).toEqual([{ session: 'bank' }]);
      expect(store.get().app.queues['bank']).toMatchObject({ held: null, pressing: true });
      return { ...made, sending, sent: () => backend.asked('send_message').map(({ text }) => text) };
    }

    test.each(['written', 'waiting'] as const)('sends it if the %s one was stopped in time, which becomes a draft', async (first) => {
      const { store, answer, sending, sent, actions } = await press(first);
      actions.setDraft({ text: 'something new' });
      answer.refuse(cancelled);
      await sending;
      await vi.waitFor(() => expect(sent()).toEqual(['Move it', 'now']));
      answer.take();
      await vi.waitFor(() => expect(store.get().app.queues).toEqual({}));
      expect(store.get().app.drafts['bank']?.text).toBe('Move it\n\nsomething new');
    });

    test.each(['written', 'waiting'] as const)('waits for the end of the turn if the %s one was accepted', async (first) => {
      const { backend, store, answer, sending, sent } = await press(first);
      backend.emit(started('Move it'), { session: 'bank', turn: 't1' });
      answer.take();
      await sending;
      expect(backend.asked('stop_turn')).toHaveLength(2);
      expect(sent()).toEqual(['Move it']);
      backend.emit({ type: 'turn_cancelled', unknown: [] }, { session: 'bank', turn: 't1' });
      expect(store.get().app.queues['bank']).toMatchObject({ held: null, pressing: false });
      backend.emit({ type: 'session_changed', id: 'bank' });
      await vi.waitFor(() => expect(sent()).toEqual(['Move it', 'now']));
      expect(store.get().app.drafts['bank']?.text).toBe('');
    });
  });

  /** The chat `bank`, in which each message is pending until confirmed. */
  async function pendingMessage() {
    const made = storeOnSample();
    await made.actions.start();
    await made.actions.openSession('bank');
    made.actions.setDraft({ text: 'Move it' });
    const answer = { take: () => {}, refuse: (_why: UserError) => {} };
    made.backend.on('send_message', ({ turn: id }) => new Promise((done, fail) => {
      answer.take = () => done({ turn: id ?? '' });
      answer.refuse = fail;
    }));
    return { ...made, answer };
  }
});

describe('a draft', () => {
  const draft = { text: 'Move it', tool: 'crm.move_deal', skills: ['mail'] };

  test('belongs to the open chat, and moves to the session that a new chat becomes', async () => {
    const { backend, store, actions } = storeOnSample();
    await actions.start();
    actions.setDraft(draft);
    let answer = () => {};
    backend.on('create_session', () => new Promise((done) => {
      answer = () => done(backend.create_session());
    }));
    const sending = actions.sendDraft('Move it');
    actions.setDraft({ text: 'and then' });
    answer();
    await sending;
    const session = store.get().app.open ?? '';
    expect(backend.asked('send_message')).toEqual([{ session, text: 'Move it', tool: 'crm.move_deal', skills: ['mail'], turn }]);
    expect(store.get().app.drafts[session]).toMatchObject({ text: 'and then', tool: null, skills: [] });
    expect(store.get().app.drafts['']).toBeUndefined();
  });

  test('is restored to its own chat if it could not be sent', async () => {
    const { backend, store, actions } = storeOnSample();
    await actions.start();
    await actions.openSession('bank');
    actions.setDraft(draft);
    let refuse = () => {};
    backend.on('send_message', () => new Promise((_, fail) => {
      refuse = () => fail({ code: 'session_busy', message: 'Busy.', hint: '' });
    }));
    const sending = actions.sendDraft('Move it');
    await actions.openSession('lisbon');
    await vi.waitFor(() => expect(backend.asked('send_message')).toHaveLength(1));
    refuse();
    await expect(sending).rejects.toMatchObject({ message: 'Busy.' });
    expect(store.get().app.drafts['bank']).toMatchObject(draft);
    expect(store.get().app.drafts['lisbon']).toBeUndefined();
  });

  test('is not overwritten by a late unsent message, which is queued before it', async () => {
    const { backend, store, actions } = storeOnSample();
    await actions.start();
    await actions.openSession('bank');
    backend.fail('send_message');
    const sending = actions.sendDraft('Move it');
    actions.setDraft({ text: 'something new' });
    await expect(sending).rejects.toBeDefined();
    expect(store.get().app.drafts['bank']?.text).toBe('something new');
    expect(store.get().app.queues['bank']).toMatchObject({ held: 'It failed.', messages: [{ text: 'Move it' }] });
  });

  test('stays with its chat on deletion, which can be undone', async () => {
    const { store, actions } = storeOnSample();
    await actions.start();
    await actions.openSession('bank');
    actions.setDraft(draft);
    await actions.deleteSession('bank');
    expect(store.get().app).toMatchObject({ open: null, deleted: { id: 'bank' } });
    await actions.restoreSession('bank');
    expect(store.get().app.drafts['bank']).toMatchObject(draft);
    expect(store.get().app.deleted).toBeNull();
  });
});

test('a skill is removed from the open chat; a refusal is a problem of the window', async () => {
  const { backend, store, actions } = storeOnSample();
  await actions.start();
  await actions.openSession('harborline');
  await actions.dropSkill('crm');
  expect(backend.asked('drop_skill')).toEqual([{ session: 'harborline', skill: 'crm' }]);
  expect(store.get().streams['harborline']?.skills.map(({ skill }) => skill)).toEqual(['screener', 'mail']);
  backend.fail('drop_skill', { message: 'It is not active.' });
  await actions.dropSkill('crm');
  expect(store.get().app.problem?.message).toBe('It is not active.');
});
