import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { Conversation } from './chat/Conversation';
import { asked, block, completed, failed, started, turnStarted } from './chat/fixture';
import type { EventBody, SessionRow } from './ipc';
import { SubAgentsPanel } from './panels/SubAgentsPanel';
import { FakeBackend } from './testing/fake-backend';
import { renderInApp } from './testing/render';
import { envelopes, sampleWorld } from './testing/sample';

const agent = (call: string, name: string, more: object = {}): EventBody => ({
  type: 'subagent_started',
  call,
  subagent: `s-${name}`,
  name,
  model: 'ollama/qwen3:14b',
  host: null,
  tools: ['core.web_search', 'core.web_fetch'],
  effects: ['external'],
  steps: 20,
  tokens: 60_000,
  seconds: 600,
  ...more,
});

const worked = (call: string, steps: number, tokens: number, more: object = {}): EventBody => ({
  type: 'subagent_worked',
  call,
  steps,
  limit: 20,
  tokens,
  ...more,
});

const two: EventBody[] = [
  turnStarted('Compare the offers'),
  started('c1', 'core.task', 'read', { prompt: 'Compare Quillon’s licence with two others.', name: 'prices' }),
  started('c2', 'core.task', 'read', { prompt: 'Find what we wrote of hosting.', name: 'our terms' }),
  agent('c1', 'prices'),
  agent('c2', 'our terms', { tools: ['vault.search'], effects: ['read'] }),
  worked('c1', 6, 12_400, { now: 'core.web_fetch quillon.example/licence' }),
  worked('c2', 3, 4100, { now: 'vault.search hosting' }),
];

/** The events of the first one's session so far. */
const itsEvents: EventBody[] = [
  turnStarted('Compare Quillon’s licence with two others.'),
  started('d1', 'core.web_search', 'external', { query: 'document licence price' }),
  completed('d1', [], { sources: [{ kind: 'web', url: 'https://search.example/?q=1', at: '2030-11-26T10:00:00Z' }] }),
  started('d2', 'core.web_fetch', 'external', { url: 'docbarn.example' }),
  failed('d2', 'tool_failed', 'docbarn.example did not answer in 10 s.'),
  started('d3', 'core.web_fetch', 'external', { url: 'quillon.example/licence' }),
  block('m1', 0, '<p>Paperlane costs €1,260 a year.</p>', false),
];

const open = async (events: EventBody[]) => {
  const session = 'groceries';
  const sample = sampleWorld();
  const backend = new FakeBackend({
    ...sample,
    changes: [],
    events: { [session]: envelopes(session, 't1', events) },
    sessions: sample.sessions.map((one) => ({ ...one, running: one.id === session })),
  });
  backend.on('open_session', (which) =>
    which.session === session
      ? backend.open_session(which)
      : { row: { ...row, id: which.session }, events: envelopes(which.session, 'u1', itsEvents), running_calls: [] },
  );
  const app = renderInApp(
    <>
      <Conversation />
      <SubAgentsPanel />
    </>,
    { backend },
  );
  await act(() => app.store.actions.openSession(session));
  const say = (body: EventBody) => act(async () => void backend.emit(body, { session, turn: 't1' }));
  return { ...app, session, say };
};

const row: SessionRow = {
  id: '',
  title: 'prices',
  updated_at: '2026-11-26T10:00:00Z',
  created_at: '2026-11-26T10:00:00Z',
  running: true,
  model: null,
  pinned: false,
  archived: false,
  parent: 'groceries',
};

const rows = () => screen.getAllByTestId('task-row').map((row) => row.textContent);

test('a card has a row per sub-agent and shows the strongest granted effect', async () => {
  await open(two);
  const card = within(screen.getByTestId('task-card'));
  expect(screen.getByTestId('task-card')).toHaveTextContent('core.task2 sub-agents, both running');
  expect(card.getByText('external')).toBeVisible();
  expect(rows()).toEqual(['pricescore.web_fetch quillon.example/licence6/20 steps12.4k tokens', 'our termsvault.search hosting3/20 steps4.1k tokens']);
  expect(screen.queryByTestId('tool-card')).toBeNull();
});

test('Stop both stops each of them', async () => {
  const { backend, session } = await open(two);
  fireEvent.click(screen.getByRole('button', { name: 'Stop both' }));
  await waitFor(() => expect(backend.asked('stop_call')).toEqual([{ session, call: 'c1' }, { session, call: 'c2' }]));
});

test('a row says how its sub-agent ended', async () => {
  const { say } = await open(two);
  await say(completed('c1', { sub_agent: 'prices', text: 'Paperlane is cheapest.\n\nMore.', sources: [], unfinished: '20 steps used up' }));
  expect(rows()[0]).toContain('20 steps used up');
  expect(screen.getByTestId('stop-tasks')).toHaveTextContent('Stop');
  await say(failed('c2', 'tool_failed', 'The provider did not answer.'));
  expect(rows()[1]).toContain('The provider did not answer.');
  expect(screen.getByTestId('task-card')).toHaveTextContent('2 sub-agents');
  expect(screen.queryByTestId('stop-tasks')).toBeNull();
});

test('Enter on a row opens it in the panel with its rights and activity', async () => {
  const { store } = await open(two);
  const [first] = screen.getAllByTestId('task-row');
  first?.focus();
  await userEvent.keyboard('{Enter}');
  expect(store.get().app.panel).toMatchObject({ open: true, tab: 'subagents', task: 'c1' });

  const panel = within(screen.getByTestId('subagents-panel'));
  expect(panel.getByText(/Compare Quillon’s licence/)).toBeVisible();
  expect(panel.getByText('qwen3:14b, on this machine')).toBeVisible();
  expect(panel.getByText('write notes, send, run commands')).toBeVisible();
  expect(panel.getByRole('meter', { name: 'Steps' })).toHaveAttribute('aria-valuetext', '6 of 20');
  expect(panel.getByRole('meter', { name: 'Tokens' })).toHaveAttribute('aria-valuetext', '12.4k of 60k');
  await waitFor(() => expect(panel.getAllByTestId('subagent-call')).toHaveLength(3));
  expect(panel.getByText('docbarn.example did not answer in 10 s.')).toBeVisible();
  expect(within(panel.getByRole('region', { name: 'So far' })).getByText('Paperlane costs €1,260 a year.')).toBeVisible();
  expect(panel.getByRole('region', { name: 'Left this machine' })).toHaveTextContent('1 page request: search.example');
});

test('the panel stops one and switches to another', async () => {
  const { backend, session } = await open(two);
  const panel = within(screen.getByTestId('subagents-panel'));
  await userEvent.click(panel.getByRole('radio', { name: 'our terms' }));
  expect(panel.getByText(/Find what we wrote of hosting/)).toBeVisible();
  await userEvent.click(panel.getByTestId('stop-subagent'));
  expect(backend.asked('stop_call')).toEqual([{ session, call: 'c2' }]);
});

test('opened as a chat, it links back to its parent', async () => {
  const { store } = await open(two);
  await act(async () => fireEvent.click(screen.getByTestId('open-subagent')));
  expect(store.get().app.open).toBe('s-prices');
  const back = await screen.findByTestId('subagent-of');
  await act(async () => fireEvent.click(within(back).getByRole('button')));
  expect(store.get().app.open).toBe('groceries');
});

test('its question appears in the chat with its name', async () => {
  const { say } = await open(two);
  await say({ type: 'tool_call_started', call: 'd9', tool: 'crm.add_contact', args: { name: 'Odile' }, effect: 'write', principal: { kind: 'subagent', name: 'prices' } });
  await say(asked('d9'));
  expect(screen.getByTestId('approval-card')).toHaveTextContent('sub-agent “prices”');
});

test('at its step limit the user is asked to let it continue', async () => {
  const { say, backend, session } = await open(two);
  await say(asked('c1', { question: 'The sub-agent “prices” has used up 20 steps. Go on with 20 more?', decisions: ['once', 'deny'], editable: false, mid_run: true }));
  const card = within(screen.getByTestId('approval-card'));
  expect(card.getByText(/it ends with what it has found/)).toBeVisible();
  await waitFor(() => expect(screen.getByTestId('approval-card').dataset['armed']).toBe('true'));
  await userEvent.click(card.getByRole('button', { name: /Go on/ }));
  expect(backend.asked('decide_approval')[0]).toMatchObject({ session, call: 'c1', decision: 'once' });
});
