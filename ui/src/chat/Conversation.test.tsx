import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';

import type { ChangeSetView, EventBody, PermissionsView } from '../ipc';
import { renderInApp } from '../testing/render';
import { sampleWorld } from '../testing/sample';
import { Announcer } from './Announcer';
import { Conversation } from './Conversation';
import { asked, block, completed, failed, openChat, progress, started, turnStarted } from './fixture';

const open = (...[events, world]: [Parameters<typeof openChat>[1], Parameters<typeof openChat>[2]?]) =>
  openChat(
    <>
      <Conversation />
      <Announcer />
    </>,
    events,
    world,
  );
const card = (tool: string) => screen.getAllByTestId('tool-card').find((one) => one.dataset['tool'] === tool) as HTMLElement;
const composer = () => screen.getByTestId<HTMLTextAreaElement>('composer-input');

describe('sending', () => {
  test('Enter sends, empties the field and shows the message', async () => {
    const { backend } = renderInApp(<Conversation />);
    await userEvent.type(composer(), 'Who should I call?{Shift>}{Enter}{/Shift}And when?{Enter}');
    await screen.findByTestId('user-message');
    expect(backend.asked('send_message')).toEqual([
      { session: expect.any(String), text: 'Who should I call?\nAnd when?', skills: [], turn: expect.any(String) as string },
    ]);
    expect(screen.getByTestId('user-message')).toHaveTextContent('Who should I call? And when?');
    expect(composer()).toHaveValue('');
  });

  test('an unsent message is restored with the reason', async () => {
    const { backend } = renderInApp(<Conversation />);
    backend.fail('send_message', { message: 'This chat is busy.', hint: 'Wait for its turn to end.' });
    await userEvent.type(composer(), 'Hello{Enter}');
    expect(await screen.findByRole('alert')).toHaveTextContent('This chat is busy.Wait for its turn to end.');
    expect(composer()).toHaveValue('Hello');
  });

  test('while a turn runs nothing is sent and Stop replaces Send', async () => {
    const { backend } = await open([turnStarted()]);
    await userEvent.type(composer(), 'More{Enter}');
    expect(backend.asked('send_message')).toEqual([]);
    expect(screen.queryByTestId('send')).toBeNull();
    expect(screen.getByTestId('stop')).toBeVisible();
  });
});

describe('Stop', () => {
  test('takes effect at once and is shown until the turn has ended', async () => {
    const { backend, say, session } = await open([turnStarted(), started('c', 'mail.send', 'send')]);
    fireEvent.click(screen.getByTestId('stop'));
    expect(screen.getByTestId('stop')).toHaveTextContent('Stopping…');
    expect(screen.getByTestId('stop')).toBeDisabled();
    expect(backend.asked('stop_turn')).toEqual([{ session }]);
    await say({ type: 'turn_cancelled', unknown: ['c'] });
    expect(card('mail.send').dataset['state']).toBe('unknown');
    expect(screen.getByTestId('send')).toBeVisible();
    expect(screen.getByText('Stopped by you')).toBeVisible();
  });

  test('is available before the turn, during model discovery', async () => {
    const { backend } = renderInApp(<Conversation />);
    const refused = { code: 'cancelled', message: 'The message was not sent.', hint: '' } as const;
    let refuse = () => {};
    backend.on('send_message', () => new Promise((_, fail) => {
      refuse = () => fail(refused);
    }));
    backend.on('stop_turn', () => {
      refuse();
      return {};
    });
    await userEvent.type(composer(), 'Who waits?{Enter}');
    expect(await screen.findByTestId('on-its-way')).toHaveTextContent('Who waits?');
    expect(screen.queryByTestId('send')).toBeNull();
    fireEvent.click(screen.getByTestId('stop'));
    expect(screen.getByTestId('stop')).toHaveTextContent('Stopping…');
    expect(await screen.findByRole('alert')).toHaveTextContent('The message was not sent.');
    expect(composer()).toHaveValue('Who waits?');
    expect(screen.getByTestId('send')).toBeVisible();
    expect(screen.queryByTestId('on-its-way')).toBeNull();
  });

  test("a late refusal is shown in the message's own chat", async () => {
    const { backend, store } = await open([turnStarted(), { type: 'turn_completed', text: '' }]);
    let refuse = () => {};
    backend.on('send_message', () => new Promise((_, fail) => {
      refuse = () => fail({ code: 'no_model', message: 'No model.', hint: '' });
    }));
    await userEvent.type(composer(), 'Who waits?{Enter}');
    await act(() => store.actions.openSession('lisbon'));
    await act(async () => refuse());
    expect(screen.queryByRole('alert')).toBeNull();
    await act(() => store.actions.openSession('groceries'));
    expect(screen.getByRole('alert')).toHaveTextContent('No model.');
    expect(composer()).toHaveValue('Who waits?');
  });

  test('Esc only stops from an empty composer', async () => {
    const { backend } = await open([turnStarted()]);
    await userEvent.type(composer(), 'a note to self{Escape}');
    expect(backend.asked('stop_turn')).toHaveLength(0);
    await userEvent.clear(composer());
    await userEvent.type(composer(), '{Escape}');
    expect(backend.asked('stop_turn')).toHaveLength(1);
  });
});

describe('messages', () => {
  test('only the streaming block is rendered again', async () => {
    const { say } = await open([turnStarted(), block('m', 0, '<p>One</p>'), block('m', 1, '<p>Tw</p>', false)]);
    const first = within(screen.getByTestId('message')).getByText('One');
    await say(block('m', 1, '<p>Two</p>'));
    expect(screen.getByTestId('message')).toHaveTextContent('OneTwo');
    expect(within(screen.getByTestId('message')).getByText('One')).toBe(first);
  });

  test('a link to a note opens its preview; any other link does nothing', async () => {
    const { store } = await open([
      turnStarted(),
      block('m', 0, '<p><a data-note="Jane Doe">Jane</a> <a href="https://example.org/">page</a></p>'),
    ]);
    const followed = fireEvent.click(screen.getByText('page'));
    expect(followed).toBe(false);
    screen.getByText('Jane').focus();
    await userEvent.keyboard('{Enter}');
    const preview = await screen.findByTestId('note-popover');
    expect(store.get().app.panel.note).toBeNull();
    await userEvent.keyboard('{Escape}');
    expect(preview).not.toBeInTheDocument();
    expect(screen.getByText('Jane')).toHaveFocus();
    await userEvent.keyboard('{Enter}');
    await userEvent.click(await screen.findByTestId('note-beside'));
    expect(store.get().app.panel).toMatchObject({ open: true, tab: 'note', note: 'Jane Doe' });
  });

  test('thinking is shown until there is content', async () => {
    const { say } = await open([turnStarted()]);
    expect(screen.getByTestId('thinking')).toBeVisible();
    await say(block('m', 0, '<p>H</p>', false));
    expect(screen.queryByTestId('thinking')).toBeNull();
  });
});

test('outgoing requests of tools are reported after the turn', async () => {
  const source = { kind: 'web', url: 'https://quotes.example/q', at: '2099-01-01T00:00:00Z' } as const;
  const { say } = await open([turnStarted(), started('1', 'portfolio.refresh', 'external'), completed('1', 1, { sources: [source, source] })]);
  expect(screen.queryByText(/^Left this machine/)).toBeNull();
  await say({ type: 'turn_completed', text: '' });
  expect(screen.getByText(/^Left this machine/)).toHaveTextContent('Left this machine: 2 requests to quotes.example');
});

test.each<[string, Partial<PermissionsView>, string, object]>([
  ['a rule', { rules: [{ answer: 'allow', pattern: 'crm__move_deal', line: 3, note: null }] }, 'remove_rule', { pattern: 'crm__move_deal' }],
  ['an approval', { tools: [{ tool: 'crm.move_deal', always: true, state: 'as_approved', hosts: [] }] }, 'revoke_tool', { tool: 'crm.move_deal' }],
])('a permanent permission by %s can be revoked where it is shown', async (_by, permissions, command, params) => {
  const always = { type: 'approval_decided', call: '1', decision: 'always', by: 'user', reason: null } as const;
  const { backend } = await open([turnStarted(), started('1', 'crm.move_deal', 'write'), asked('1'), always, completed('1', 1)], {
    permissions: { file: 'permissions.yaml', problem: null, rules: [], policies: [], tools: [], ...permissions },
  });
  await userEvent.click(await screen.findByTestId('revoke'));
  expect(backend.calls.filter(({ method }) => method === command).map((call) => call.params)).toEqual([params]);
  // The rule is gone.
  await waitFor(() => expect(screen.queryByTestId('revoke')).toBeNull());
});

describe('tool cards', () => {
  test('a single call of the turn can be stopped while waiting, running or streaming', async () => {
    const { backend, session } = await open([
      turnStarted(),
      started('1', 'a.write', 'write'),
      started('2', 'a.queued', 'write'),
      started('3', 'a.partial', 'external'),
      progress('3', { fraction: 0.5, message: '6/12' }),
      started('4', 'a.asks', 'send'),
      asked('4'),
      started('5', 'a.done', 'read'),
      completed('5', 1),
    ]);
    for (const tool of ['a.write', 'a.queued', 'a.partial']) {
      await userEvent.click(within(card(tool)).getByTestId('stop-call'));
      expect(within(card(tool)).getByTestId('stop-call')).toHaveTextContent('Stopping…');
    }
    expect(backend.asked('stop_call')).toEqual(['1', '2', '3'].map((call) => ({ session, call })));
    expect(screen.getAllByTestId('stop-call')).toHaveLength(3);
  });

  const args = { title: 'Rollout', stage: 'won' };

  test('each state has its label', async () => {
    await open([
      turnStarted(),
      started('1', 'a.running', 'write', args),
      started('2', 'a.queued', 'write', args),
      started('3', 'a.partial', 'external'),
      progress('3', { fraction: 0.343, message: '412/1,200, 9 hits so far' }),
      started('4', 'a.done', 'read', args),
      completed('4', [{ x: 1 }, { x: 2 }]),
      started('5', 'a.failed', 'external'),
      failed('5', 'tool_timed_out', 'Stooq did not answer in 10 s.'),
      started('6', 'a.cancelled', 'read'),
      failed('6', 'cancelled'),
      started('7', 'a.refused', 'external'),
      failed('7', 'denied_by_rule'),
      started('8', 'a.denied', 'destructive'),
      asked('8'),
      { type: 'approval_decided', call: '8', decision: 'deny', by: 'you', reason: 'keep it' },
      started('9', 'a.expired', 'write'),
      failed('9', 'approval_unanswered'),
    ]);
    const lines = screen.getAllByTestId('tool-card').map((one) => `${one.dataset['state']}: ${one.getAttribute('aria-label')}`);
    expect(lines).toEqual([
      'running: a.running, running, Rollout, stage won',
      'queued: a.queued, queued, waits for 1 write',
      'partial: a.partial, partial, 412/1,200, 9 hits so far',
      'done: a.done, done, Rollout, stage won: 2 results',
      'failed: a.failed, failed, failed',
      'cancelled: a.cancelled, cancelled, stopped by you',
      'denied: a.refused, denied, refused by a rule',
      'denied: a.denied, denied, denied by you: “keep it”',
      'expired: a.expired, expired, Not run: the turn ended',
    ]);
    expect(screen.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '34');
    expect(within(card('a.failed')).getByText(/Stooq did not answer in 10 s\./)).toBeVisible();
  });

  test('a call refused by a rule links to the rules', async () => {
    const { store } = await open([turnStarted(), started('1', 'a.refused', 'external'), failed('1', 'denied_by_rule')]);
    await userEvent.click(within(card('a.refused')).getByRole('button', { name: 'Show rule' }));
    expect(store.get().app.view).toEqual({ kind: 'settings', page: 'permissions' });
  });

  test('a failed call can be retried in its form with its arguments', async () => {
    const { store } = await open([turnStarted(), started('1', 'portfolio.quote', 'external', { symbol: 'TSRB' }), failed('1', 'tool_timed_out')]);
    await userEvent.click(within(card('portfolio.quote')).getByRole('button', { name: 'Try again' }));
    expect(store.get().app.view).toEqual({ kind: 'run-tool', tool: 'portfolio.quote', args: { symbol: 'TSRB' } });
  });

  test('the partial result of a stopped call stays on its card', async () => {
    await open([
      turnStarted(),
      started('1', 'portfolio.quote', 'external'),
      progress('1', { message: '30 of 200', partial: { quotes: [{ symbol: 'NGTL', price: '41.20' }], problems: [] } }),
      { ...failed('1', 'cancelled'), so_far: { quotes: [{ symbol: 'NGTL', price: '41.20' }], problems: [] } },
      { type: 'turn_cancelled', unknown: [] },
    ]);
    const stopped = card('portfolio.quote');
    expect(stopped).toHaveAttribute('aria-label', 'portfolio.quote, cancelled, stopped by you');
    expect(within(stopped).getByText('41.20')).toBeVisible();
    await userEvent.click(within(stopped).getByRole('button', { name: /Open$/ }));
    expect(within(stopped).getByRole('region', { name: 'Found before it was stopped' })).toHaveTextContent('41.20');
  });

  test('a finished read is one line; opened, it shows arguments and result', async () => {
    await open([
      turnStarted(),
      started('1', 'crm.list_deals', 'read', { stage: 'won' }),
      completed('1', [{ title: 'Rollout', value: '120.50' }], { sources: [{ kind: 'note', path: 'CRM/Deals/Rollout.md' }] }),
      started('2', 'crm.get_contact', 'read', { name: 'Jane Doe' }),
      completed('2', { company: 'Quillon Labs' }),
      started('3', 'x.odd', 'read'),
      completed('3', [1, [2]]),
    ]);
    expect(screen.queryByRole('table')).toBeNull();
    for (const one of screen.getAllByRole('button', { name: /Open$/ })) await userEvent.click(one);
    const table = within(card('crm.list_deals')).getByRole('table', { name: 'Result' });
    expect(within(table).getAllByRole('cell').map((cell) => cell.textContent)).toEqual(['Rollout', '120.50']);
    expect(within(card('crm.list_deals')).getByRole('region', { name: 'Arguments' })).toHaveTextContent('Stagewon');
    expect(within(card('crm.list_deals')).getByRole('button', { name: 'Rollout' })).toBeVisible();
    expect(within(card('crm.get_contact')).getByRole('region', { name: 'Result' })).toHaveTextContent('CompanyQuillon Labs');
    expect(within(card('x.odd')).getByRole('region', { name: 'Result' })).toHaveTextContent('[ 1, [ 2 ] ]');
  });

  test('a failure closed by the reader stays closed', async () => {
    const { say } = await open([turnStarted(), started('1', 'a.b', 'read')]);
    await say(failed('1', 'tool_failed', 'No such thing.'));
    expect(within(card('a.b')).getByText(/No such thing/)).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: /Close$/ }));
    await say(block('m', 0, '<p>Sorry</p>'));
    expect(within(card('a.b')).queryByText(/No such thing/)).toBeNull();
  });

  test('Undo reverts the call’s writes, and the card says so', async () => {
    const note = {
      path: 'CRM/Deals/Rollout.md',
      kind: 'modified' as const,
      call: '1',
      undone: false,
      edited_since: false,
      diff: { path: 'CRM/Deals/Rollout.md', kind: 'modified' as const, properties: [], hunks: [], tail_skipped: 0, summary: '' },
    };
    const set: ChangeSetView = { id: 'set', kind: 'turn', at: '', author: 'you', label: '', state: 'open', session: 'groceries', undone_at: null, notes: [note] };
    const { backend } = await open(
      [
        turnStarted(),
        started('1', 'crm.move_deal', 'write', args),
        completed('1', null, { changes: [{ path: note.path, kind: 'modified' }], change_set: 'set' }),
      ],
      { changes: [set] },
    );
    await userEvent.click(screen.getByTestId('undo-call'));
    expect(backend.asked('undo_changes')).toEqual([{ change_set: 'set', call: '1' }]);
    await waitFor(() => expect(card('crm.move_deal').dataset['state']).toBe('undone'));
    expect(card('crm.move_deal')).toHaveTextContent(/undone at \d\d:\d\d/);
    expect(screen.queryByTestId('undo-call')).toBeNull();
  });
});

test('an undo that conflicts with edits offers both versions', async () => {
  const path = 'CRM/Deals/Rollout.md';
  const { backend, store } = await open([
    turnStarted(),
    started('1', 'crm.move_deal', 'write'),
    completed('1', null, { changes: [{ path, kind: 'modified' }], change_set: 'set' }),
  ]);
  const conflict = { path, what: ['stage'], mine: 'stage: lead', theirs: 'stage: proposal' };
  backend.on('undo_changes', () => ({ change_set: null, undone: [], merged: [], conflicts: [conflict] }));
  await userEvent.click(screen.getByTestId('undo-call'));
  expect(await screen.findByRole('alert')).toHaveTextContent('1 note edited since.');
  await userEvent.click(screen.getByText('Show both versions'));
  const { panel, conflicts } = store.get().app;
  expect(panel).toMatchObject({ open: true, tab: 'changes' });
  expect(conflicts).toEqual([{ set: 'set', way: 'undo', conflict, decided: null }]);
});

test('an undo that could not read the note says so without asking for a decision', async () => {
  const path = 'Team/Rollout.md';
  const { backend, store } = await open([
    turnStarted(),
    started('1', 'crm.move_deal', 'write'),
    completed('1', null, { changes: [{ path, kind: 'modified' }], change_set: 'set' }),
  ]);
  const conflict = { path, what: ['its folder leads nowhere'], mine: '', theirs: '', unreadable: true };
  backend.on('undo_changes', () => ({ change_set: null, undone: [], merged: [], conflicts: [conflict] }));
  await userEvent.click(screen.getByTestId('undo-call'));
  expect(await screen.findByRole('alert')).toHaveTextContent('1 note could not be read.');
  await userEvent.click(screen.getByText('Show why'));
  expect(store.get().app.panel).toMatchObject({ open: true, tab: 'changes' });
});

describe('a failed turn', () => {
  test('gives the reason, and retries with the same message', async () => {
    const { backend } = await open([
      turnStarted('Move it'),
      { type: 'turn_failed', code: 'provider_timeout', message: 'No answer from the model for 40 s.', hint: 'Try again or switch model.' },
    ]);
    expect(screen.getByTestId('banner')).toHaveTextContent('No answer from the model for 40 s.');
    await userEvent.click(screen.getByText('Try again'));
    // In its place, so that the model does not receive it twice.
    expect(backend.asked('send_message')).toEqual([expect.objectContaining({ text: 'Move it', after: null })]);
    // An old failure offers nothing once a later turn follows it.
    expect(screen.queryByText('Try again')).toBeNull();
  });

  test('is continued after itself if it called tools', async () => {
    const { backend } = await open([
      turnStarted('Move it'),
      started('1', 'crm.move_deal', 'write'),
      failed('1', 'tool_timed_out'),
      { type: 'turn_failed', code: 'provider_timeout', message: 'No answer.', hint: '' },
    ]);
    await userEvent.click(screen.getByTestId('try-again'));
    expect(backend.asked('send_message')[0]).not.toHaveProperty('after');
  });

  test('sends nothing without consent; agreeing sends the message', async () => {
    const { backend } = await open([
      turnStarted('Who to call?', 'openai/gpt-5.2'),
      { type: 'turn_failed', code: 'provider_not_agreed', message: 'Not agreed.', hint: '' },
    ]);
    const consent = await screen.findByTestId('provider-consent');
    await waitFor(() => expect(consent).toHaveTextContent('Send notes to api.openai.com?'));
    await userEvent.click(within(consent).getByRole('button', { name: 'Send notes to api.openai.com' }));
    expect(backend.asked('agree_provider')).toEqual([{ provider: 'openai', host: 'api.openai.com' }]);
    expect(backend.asked('send_message')).toEqual([expect.objectContaining({ text: 'Who to call?' })]);
  });

  test('never asks for a local host, and shows its error once the list is loaded', async () => {
    const world = sampleWorld();
    const { backend, store } = await openChat(<Conversation />, [
      turnStarted('Who to call?', 'ollama/gpt-oss:120b-cloud'),
      { type: 'turn_failed', code: 'provider_not_agreed', message: 'ollama.com is not on this machine.', hint: '' },
    ]);
    await waitFor(() => expect(screen.getByTestId('banner')).toHaveTextContent('ollama.com is not on this machine.'));
    expect(screen.queryByTestId('provider-consent')).toBeNull();
    await waitFor(() => expect(store.get().app.revisions.providers).toBeGreaterThan(0));
    const passed_on = [{ model: 'gpt-oss:120b-cloud', host: 'ollama.com', agreed: false }];
    backend.world.providers = world.providers.map((row) => (row.id === 'ollama' ? { ...row, passed_on } : row));
    act(() => store.actions.providersChanged());
    expect(await screen.findByRole('button', { name: 'Send notes to ollama.com' })).toBeEnabled();
  });

  test.each(['gpt-oss:120b-cloud', 'GPT-OSS:120b-cloud'])('asks for the host where a local server runs %s', async (model) => {
    const world = sampleWorld();
    const passed_on = [{ model: 'gpt-oss:120b-cloud', host: 'ollama.com', agreed: false }];
    const providers = world.providers.map((row) => (row.id === 'ollama' ? { ...row, models: ['gpt-oss:120b-cloud'], passed_on } : row));
    const { backend } = await openChat(
      <Conversation />,
      [
        turnStarted('Who to call?', `ollama/${model}`),
        { type: 'turn_failed', code: 'provider_not_agreed', message: 'Not agreed.', hint: '' },
      ],
      { providers },
    );
    await userEvent.click(await screen.findByRole('button', { name: 'Send notes to ollama.com' }));
    expect(backend.asked('agree_provider')).toEqual([{ provider: 'ollama', host: 'ollama.com' }]);
  });

  test('Not now agrees to nothing', async () => {
    const { backend } = await open([
      turnStarted('Who to call?', 'openai/gpt-5.2'),
      { type: 'turn_failed', code: 'provider_not_agreed', message: 'Not agreed.', hint: '' },
    ]);
    await userEvent.click(await screen.findByText('Not now'));
    expect(screen.queryByTestId('provider-consent')).toBeNull();
    expect(backend.asked('agree_provider')).toEqual([]);
    expect(backend.asked('send_message')).toEqual([]);
  });
});

test('a call that outlasts its turn has its own Stop', async () => {
  const { backend, session } = await open([
    turnStarted(),
    started('1', 'screener.scan', 'external'),
    { type: 'tool_call_detached', call: '1', so_far: [1] },
    progress('1', { message: '412/1,200' }),
    { type: 'turn_completed', text: 'So far 9 hits' },
  ]);
  expect(card('screener.scan')).toHaveAccessibleName('screener.scan, in the background, 412/1,200');
  await userEvent.click(screen.getByRole('button', { name: 'Stop screener.scan' }));
  expect(backend.asked('stop_call')).toEqual([{ session, call: '1' }]);
  expect(backend.asked('stop_turn')).toEqual([]);
});

describe('a note with a conflict', () => {
  const note = 'CRM/Deals/Rollout.md';
  const found: EventBody = { type: 'conflict_found', note, mine: 'stage: won', theirs: 'stage: proposal' };

  test('is resolved by the user, and the conversation keeps the decision', async () => {
    const { backend, session } = await open([turnStarted(), found]);
    const card = screen.getByTestId('conflict-card');
    expect(within(card).getByRole('group', { name: 'Nova, this turn' })).toHaveTextContent('stage: won');
    await userEvent.click(within(card).getByRole('button', { name: 'Use Nova’s' }));
    expect(backend.asked('resolve_conflict')).toEqual([{ session, note, keep: 'mine' }]);
    expect(await screen.findByTestId('conflict-decided')).toHaveTextContent('Nova’s side is written to Rollout, by you');
    expect(screen.queryByTestId('conflict-card')).toBeNull();
  });

  test('is one line if resolved earlier', async () => {
    await open([turnStarted(), found, { type: 'conflict_resolved', note, keep: 'theirs' }]);
    expect(screen.getByTestId('conflict-decided')).toHaveTextContent('Rollout stays as it is, nothing was written, by you');
    expect(screen.queryByTestId('conflict-card')).toBeNull();
  });
});

test('notices report events in one line each', async () => {
  await open([
    turnStarted(),
    { type: 'skill_activated', skill: 'mail', by: 'model', lifetime: 'turn' },
    { type: 'notes_changed_outside', paths: ['CRM/People/Jane Doe.md'] },
    { type: 'history_compacted', by: 'summary', messages: 12, before: 14_200, after: 5_100 },
  ]);
  const notices = screen.getAllByTestId('notice').map((one) => one.textContent);
  expect(notices).toEqual([
    'Mail activated for this turnby the model',
    expect.stringMatching(/^Changed in Obsidian: Jane Doe\d\d:\d\d$/),
    expect.stringMatching(/^12 earlier messages summarised, your messages kept: 14\.2k → 5\.1k tokens\d\d:\d\d$/),
  ]);
});

test('arrows move between items, Enter goes in, Esc out, Tab to the composer', async () => {
  await open([turnStarted(), started('1', 'a.b', 'read'), completed('1', null), block('m', 0, '<p>Done</p>')]);
  act(() => screen.getByRole('log').focus());
  await userEvent.keyboard('{ArrowDown}');
  expect(screen.getByTestId('user-message')).toHaveFocus();
  await userEvent.keyboard('{ArrowDown}');
  expect(card('a.b')).toHaveFocus();
  await userEvent.keyboard('{Enter}');
  expect(screen.getByRole('button', { name: /^a\.b/ })).toHaveFocus();
  await userEvent.keyboard('{Escape}');
  expect(card('a.b')).toHaveFocus();
  await userEvent.tab();
  expect(composer()).toHaveFocus();
});

test('an approval is announced without taking the focus', async () => {
  const { say } = await open([turnStarted(), started('1', 'crm.move_deal', 'write')]);
  composer().focus();
  await say(asked('1'));
  expect(screen.getByTestId('announce-assertive')).toHaveTextContent('Change 1 note? crm.move_deal');
  expect(composer()).toHaveFocus();
});

test('without a model the tools are offered', async () => {
  const { store } = renderInApp(<Conversation />, { app: { status: { ...sampleWorld().status, model: null } } });
  await userEvent.click(screen.getByRole('button', { name: 'Run a tool' }));
  expect(store.get().app.view).toEqual({ kind: 'run-tool', tool: null });
});

describe('a tool written by the assistant', () => {
  const written = started('w', 'core.create_tool', 'write', { name: 'weather', source: 'import { defineTool } from "nova";\n'.repeat(40) });

  test('is one click away from its card', async () => {
    const { store } = await open([turnStarted(), written, completed('w', { waits_for_the_user: true, tool: 'weather', file: 'weather.ts' })]);
    await userEvent.click(within(card('core.create_tool')).getByRole('button', { name: 'Review' }));
    expect(store.get().app.view).toEqual({ kind: 'settings', page: 'skills', waiting: 'weather' });
  });

  test.each<[string, EventBody[]]>([
    ['runs', []],
    ['failed', [failed('w', 'tool_failed')]],
  ])('is not offered while its call %s', async (_, end) => {
    await open([turnStarted(), written, ...end]);
    expect(within(card('core.create_tool')).queryByTestId('look-at-tool')).toBeNull();
  });

  test('does not show its source in the line of its card', async () => {
    await open([turnStarted(), written, completed('w', { file: 'weather.ts' })]);
    expect(card('core.create_tool').getAttribute('aria-label')!.length).toBeLessThan(120);
  });
});
