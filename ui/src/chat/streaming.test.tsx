import { act } from '@testing-library/react';
import { expect, test } from 'vitest';

import { App } from '../App';
import type { EventBody } from '../ipc';
import { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { rendersOf } from '../testing/renders';
import { envelopes, sampleNow, sampleWorld } from '../testing/sample';
import { block, completed, started, turnStarted } from './fixture';

const session = 'groceries';

/** A chat of two turns: an answer with a call and two blocks, and one that is streaming. */
async function streaming() {
  const first: EventBody[] = [
    turnStarted('Where does it stand?'),
    started('a', 'crm.get_contact', 'read', { name: 'Jane Doe' }),
    completed('a', { stage: 'lead' }),
    block('m1', 0, '<p>It stands at lead.</p>'),
    block('m1', 1, '<p>Since May.</p>'),
    { type: 'message_completed', message: 'm1', text: 'It stands at lead.' } as EventBody,
    { type: 'turn_completed', text: 'It stands at lead.' },
  ];
  const second: EventBody[] = [
    turnStarted('And the others?'),
    started('b', 'crm.list_contacts', 'read'),
    completed('b', { count: 2 }),
    block('m2', 0, '<p>Two of them.</p>'),
    block('m2', 1, '<p>The</p>', false),
  ];
  const told = [...envelopes(session, 't1', first), ...envelopes(session, 't2', second)].map((event, at) => ({ ...event, seq: at + 1 }));
  const sample = sampleWorld();
  const backend = new FakeBackend({
    ...sample,
    changes: [],
    events: { [session]: told },
    sessions: sample.sessions.map((row) => ({ ...row, running: row.id === session })),
  });
  const app = renderInApp(<App now={() => sampleNow} />, { backend });
  await act(() => app.store.actions.openSession(session));
  return { ...app, grow: (html: string) => act(() => void backend.emit(block('m2', 1, html, false), { session, turn: 't2' })) };
}

test.each([[false], [true]])('another word re-renders only the last block of its message; panel open: %s', async (open) => {
  const { store, grow, container } = await streaming();
  for (const tab of open ? (['changes', 'activity'] as const) : (['changes'] as const)) {
    act(() => store.actions.setPanel({ open, tab }));
    void grow(`<p>The first, ${tab}</p>`);
    const names = rendersOf(() => void grow(`<p>The first of them, ${tab}</p>`));
    expect(names).toEqual(['TurnView', 'GroupView', 'Single', 'Message', 'Html']);
    expect(container).toHaveTextContent(`The first of them, ${tab}`);
  }
});

test('progress of a call re-renders only its card', async () => {
  const { backend } = await streaming();
  const say = (body: EventBody) => act(() => void backend.emit(body, { session, turn: 't2' }));
  say(started('c', 'vault.search', 'read', { query: 'offer' }));
  const names = rendersOf(() => say({ type: 'tool_call_progress', call: 'c', fraction: 0.5, message: 'half of it', partial: null }));
  expect(names.filter((name) => name === 'ToolCard')).toHaveLength(1);
  expect(names).not.toContain('UserMessage');
  expect(names).not.toContain('Html');
});
