import { describe, expect, test, vi } from 'vitest';

import { storeOnSample } from '../testing/store';
import { persistChanges } from './persistence';
import { createStore } from './store';

const turn = expect.any(String) as string;

describe('saved state', () => {
  test('drafts and queued messages are saved soon, once for many keystrokes', async () => {
    vi.useFakeTimers();
    const { backend, store, actions } = storeOnSample();
    await actions.start();
    const end = persistChanges(store, backend);
    await actions.openSession('bank');
    for (const text of ['M', 'Mo', 'Mov', 'Move']) actions.setDraft({ text });
    expect(backend.asked('keep_draft')).toEqual([]);
    await vi.advanceTimersByTimeAsync(500);
    const empty = { tool: null, skills: [], files: [], images: [], queued: [] };
    expect(backend.asked('keep_draft')).toEqual([{ ...empty, session: 'bank', text: 'Move' }]);
    actions.queueDraft();
    await vi.advanceTimersByTimeAsync(500);
    const queued = [{ text: 'Move', tool: null, skills: [], files: [], images: [] }];
    expect(backend.asked('keep_draft').at(-1)).toEqual({ ...empty, session: 'bank', text: '', queued });
    end();
    vi.useRealTimers();
  });

  test('saved drafts are restored; text typed meanwhile stays', async () => {
    const { backend, store, actions } = storeOnSample();
    const kept = { tool: null, skills: [], files: [], images: [], queued: [] };
    backend.on('list_drafts', () => [
      { ...kept, session: null, text: 'new' },
      { ...kept, session: 'bank', text: 'old', queued: [{ text: 'next', tool: null, skills: [], files: [], images: [] }] },
    ]);
    actions.setDraft({ text: 'typed' });
    await actions.start();
    expect(store.get().app.drafts['']?.text).toBe('typed');
    expect(store.get().app.drafts['bank']?.text).toBe('old');
    expect(store.get().app.queues['bank']).toMatchObject({ held: expect.stringMatching(/^Nova was closed/) as string, messages: [{ text: 'next' }] });
  });

  test('text written during the load is saved, loaded text is not', async () => {
    vi.useFakeTimers();
    const { backend, store, actions } = storeOnSample();
    const kept = { tool: null, skills: [], files: [], images: [], queued: [] };
    backend.on('list_drafts', () => [{ ...kept, session: 'bank', text: 'old' }]);
    const started = actions.start();
    actions.setDraft({ text: 'typed' });
    await started;
    const end = persistChanges(store, backend);
    await vi.advanceTimersByTimeAsync(500);
    expect(backend.asked('keep_draft')).toEqual([{ ...kept, session: null, text: 'typed' }]);
    end();
    vi.useRealTimers();
  });

  test('images are stored once and restored with their messages', async () => {
    vi.useFakeTimers();
    const { backend, store, actions } = storeOnSample();
    await actions.start();
    const end = persistChanges(store, backend);
    await actions.openSession('bank');
    const image = { name: 'plan.png', media_type: 'image/png', data: 'iVBORw==' };
    actions.setDraft({ images: [image] });
    actions.queueDraft();
    await vi.advanceTimersByTimeAsync(500);
    for (const text of ['W', 'What is it?']) {
      actions.setDraft({ text, images: [image] });
      await vi.advanceTimersByTimeAsync(500);
    }
    expect(backend.asked('keep_draft_image')).toEqual([{ session: 'bank', image }]);
    const named = { id: 'bank-plan.png', name: 'plan.png' };
    const kept = backend.asked('keep_draft').at(-1)!;
    expect(kept).toMatchObject({ text: 'What is it?', images: [named], queued: [{ text: '', images: [named] }] });
    end();
    vi.useRealTimers();

    backend.on('list_drafts', () => [kept]);
    const again = createStore(backend);
    await again.actions.start();
    const { drafts, queues } = again.get().app;
    expect(drafts['bank']).toMatchObject({ text: 'What is it?', images: [image] });
    expect(queues['bank']).toMatchObject({ held: 'Nova was closed', messages: [{ text: '', images: [image] }] });
  });

  test('an unsent message keeps its images and is restored to its draft', async () => {
    vi.useFakeTimers();
    const { backend, store, actions } = storeOnSample();
    await actions.start();
    const end = persistChanges(store, backend);
    await actions.openSession('bank');
    const image = { name: 'plan.png', media_type: 'image/png', data: 'iVBORw==' };
    actions.setDraft({ text: 'What is it?', images: [image] });
    await vi.advanceTimersByTimeAsync(500);
    let refuse = () => {};
    backend.on('send_message', () => new Promise((_, fail) => {
      refuse = () => fail({ code: 'provider_timeout', message: 'No answer.', hint: '' });
    }));
    const sending = expect(actions.sendDraft('What is it?')).rejects.toMatchObject({ message: 'No answer.' });
    await vi.advanceTimersByTimeAsync(500);
    const named = { id: 'bank-plan.png', name: 'plan.png' };
    expect(backend.asked('keep_draft').at(-1)).toMatchObject({ text: 'What is it?', images: [named], turn });
    refuse();
    await sending;
    await vi.advanceTimersByTimeAsync(500);
    end();
    vi.useRealTimers();

    backend.on('list_drafts', () => [backend.asked('keep_draft').at(-1)!]);
    const again = createStore(backend);
    await again.actions.start();
    expect(again.get().app.drafts['bank']).toMatchObject({ text: 'What is it?', images: [image] });
    expect(again.get().app.lostImages).toEqual({});
    expect(backend.asked('keep_draft_image')).toHaveLength(1);
  });

  test('a killed window loses no edited message being sent', async () => {
    const { backend, actions } = storeOnSample();
    await actions.start();
    await actions.openSession('bank');
    actions.setDraft({ text: 'And when?' });
    let take = () => {};
    backend.on('send_message', ({ turn }) => new Promise((done) => {
      take = () => done({ turn: turn ?? '' });
    }));
    const sending = actions.sendAgain(
      { id: 't1', text: 'Who waits?', skills: [], tool: null, images: [], outside: [] },
      { text: 'Who waits in Lisbon?', after: null },
    );
    await vi.waitFor(() => expect(backend.asked('send_message')).toHaveLength(1));
    const { turn } = backend.asked('send_message')[0]!;
    expect(backend.asked('keep_draft').at(-1)).toMatchObject({ text: 'And when?', queued: [{ text: 'Who waits in Lisbon?', turn }] });
    take();
    await sending;
    await vi.waitFor(() => expect(backend.asked('keep_draft').at(-1)).toMatchObject({ text: 'And when?', queued: [] }));
  });

  test('a killed window loses no message being sent', async () => {
    vi.useFakeTimers();
    const { backend, store, actions } = storeOnSample();
    await actions.start();
    const end = persistChanges(store, backend);
    await actions.openSession('bank');
    actions.setDraft({ text: 'Who waits?' });
    let take = () => {};
    backend.on('send_message', ({ turn }) => new Promise((done) => {
      take = () => done({ turn: turn ?? '' });
    }));
    const sending = actions.sendDraft('Who waits?');
    await vi.advanceTimersByTimeAsync(0);
    // On disk with its turn id before it is handed over.
    const order = backend.calls.map(({ method }) => method).filter((method) => method === 'keep_draft' || method === 'send_message');
    expect(order).toEqual(['keep_draft', 'send_message']);
    const [sent] = backend.asked('send_message');
    expect(backend.asked('keep_draft').at(-1)).toMatchObject({ text: 'Who waits?', turn: sent?.turn });
    actions.setDraft({ text: 'And when?' });
    await vi.advanceTimersByTimeAsync(500);
    const killed = backend.asked('keep_draft').at(-1)!;
    expect(killed).toMatchObject({ text: 'And when?', queued: [{ text: 'Who waits?', turn: sent?.turn }] });
    take();
    await sending;
    await vi.advanceTimersByTimeAsync(500);
    expect(backend.asked('keep_draft').at(-1)).toMatchObject({ text: 'And when?', queued: [] });
    end();
    vi.useRealTimers();

    backend.on('list_drafts', () => [killed]);
    const again = createStore(backend);
    await again.actions.start();
    expect(again.get().app.drafts['bank']?.text).toBe('And when?');
    expect(again.get().app.queues['bank']).toMatchObject({ held: 'Nova was closed', messages: [{ text: 'Who waits?' }] });
    expect(again.get().app.queues['bank']?.messages[0]?.turn).toBeUndefined();
  });

  test('the first message of a new chat moves to its session before it is sent', async () => {
    const { backend, store, actions } = storeOnSample();
    await actions.start();
    actions.newChat();
    actions.setDraft({ text: 'Who waits?' });
    await actions.sendDraft('Who waits?');
    const kept = backend.asked('keep_draft').map(({ session, text }) => [session, text]);
    expect(kept).toEqual([
      [store.get().app.open, 'Who waits?'],
      [null, ''],
    ]);
  });

  test('an unreadable image of a draft is named until dismissed or sent', async () => {
    const { backend, store, actions } = storeOnSample();
    const gone = { text: '', tool: null, skills: [], files: [], images: [{ id: 'gone', name: 'plan.png' }], queued: [] };
    backend.on('list_drafts', () => [
      { ...gone, session: null },
      { ...gone, session: 'bank', text: 'What is it?' },
    ]);
    await actions.start();
    expect(store.get().app.lostImages).toEqual({ '': ['plan.png'], bank: ['plan.png'] });
    actions.dismissLostImages();
    expect(store.get().app.lostImages).toEqual({ bank: ['plan.png'] });
    await actions.openSession('bank');
    await actions.sendDraft('What is it?');
    expect(store.get().app.lostImages).toEqual({});
  });

  test('an unreadable image is named; an empty message is not restored', async () => {
    const { backend, store, actions } = storeOnSample();
    const kept = { text: '', tool: null, skills: [], files: [], images: [] };
    const file = { ...kept, files: [{ name: 'a.txt', text: 'a' }] };
    const gone = { ...kept, images: [{ id: 'gone', name: 'plan.png' }] };
    backend.on('list_drafts', () => [
      { ...kept, session: 'bank', queued: [gone, { ...gone, text: 'next' }, file] },
      { ...kept, session: 'harborline', queued: [gone] },
    ]);
    await actions.start();
    const { bank, harborline } = store.get().app.queues;
    expect(bank?.messages.map(({ text, files }) => [text, files.length])).toEqual([
      ['next', 0],
      ['', 1],
    ]);
    expect(bank?.held).toBe('Nova was closed, and plan.png cannot be read');
    expect(harborline).toBeUndefined();
  });

  test('the zoom is saved at once, step by step', async () => {
    const { backend, store, actions } = storeOnSample();
    await actions.start();
    const end = persistChanges(store, backend);
    for (let presses = 0; presses < 9; presses += 1) actions.zoom(1);
    expect(store.get().app.zoom).toBe(300);
    actions.zoom(-1);
    await vi.waitFor(() => expect(backend.asked('keep_layout').at(-1)?.zoom).toBe(250));
    actions.zoom(0);
    await vi.waitFor(() => expect(backend.asked('keep_layout').at(-1)?.zoom).toBe(100));
    end();
  });

  test('zoom does not wait for images; of many steps the first and last are saved', async () => {
    vi.useFakeTimers();
    const { backend, store, actions } = storeOnSample();
    await actions.start();
    backend.on('keep_draft_image', () => new Promise(() => {}));
    const answers: (() => void)[] = [];
    backend.on('keep_layout', () => new Promise((done) => answers.push(() => done({}))));
    const end = persistChanges(store, backend);
    actions.setDraft({ images: [{ name: 'plan.png', media_type: 'image/png', data: 'iVBORw==' }] });
    await vi.advanceTimersByTimeAsync(500);
    const zooms = () => backend.asked('keep_layout').map(({ zoom }) => zoom);
    for (let steps = 0; steps < 5; steps += 1) actions.zoom(1);
    expect(zooms()).toEqual([110]);
    answers[0]?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(zooms()).toEqual([110, 200]);
    answers[1]?.();
    await vi.advanceTimersByTimeAsync(500);
    expect(zooms()).toEqual([110, 200]);
    end();
    vi.useRealTimers();
  });

  test('columns and palette history are restored', async () => {
    const { backend, store, actions } = storeOnSample();
    backend.on('window_layout', () => ({ list_folded: true, list_width: 300, panel_open: true, panel_width: 9000, zoom: 150, keys: { find: 'Ctrl G' }, chosen: ['panel crm'] }));
    await actions.start();
    expect(store.get().app).toMatchObject({ list: { folded: true, width: 300 }, panel: { open: true, width: 560 }, zoom: 150, keys: { find: 'Ctrl G' } });
    const end = persistChanges(store, backend);
    actions.setPanelWidth(400);
    actions.rememberChoice('panel budget');
    end();
    await vi.waitFor(() =>
      expect(backend.asked('keep_layout')).toEqual([{ list_folded: true, list_width: 300, panel_open: true, panel_width: 400, zoom: 150, keys: { find: 'Ctrl G' }, chosen: ['panel budget', 'panel crm'] }]),
    );
  });
});
