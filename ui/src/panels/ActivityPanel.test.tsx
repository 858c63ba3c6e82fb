import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { EventBody } from '../ipc';
import { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { envelopes, sampleWorld } from '../testing/sample';
import { ActivityPanel } from './ActivityPanel';

const step = (tools: string[], prefix_kept: boolean): EventBody => ({ type: 'step_started', tools, prefix_kept, bytes: 10_000 });

/** A request with its host and notes. */
const sent = (host: string | null, notes: string[]): EventBody => ({ type: 'step_started', tools: [], prefix_kept: true, bytes: 10, host, notes });

test('notes of earlier turns are listed where they are sent with the history', async () => {
  await show(sent('ollama.com', ['CRM/People/Jane Doe.md']));
  expect(screen.getByTestId('activity-notes')).toHaveTextContent('1 note went to ollama.com');
  expect(screen.getByTestId('activity-notes')).toHaveTextContent('Jane Doe');
});

test('notes sent by earlier messages are counted with each request', async () => {
  const first = sent('ollama.com', ['Ideas.md']);
  await show({ ...first, notes_before: 12 } as EventBody, sent('ollama.com', []));
  expect(screen.getByTestId('activity-notes')).toHaveTextContent('1 note went to ollama.com');
  expect(screen.getByTestId('activity-notes-before')).toHaveTextContent('12 notes of earlier messages were sent again to ollama.com');
});

test('a local request is never reported as sent', async () => {
  const { tool_call_started, tool_call_completed } = read('CRM/People/Jane Doe.md');
  await show(sent(null, []), tool_call_started, tool_call_completed, sent(null, ['CRM/People/Jane Doe.md']));
  expect(screen.queryByTestId('activity-notes')).toBeNull();
  expect(screen.getByTestId('activity-notes-kept')).toHaveTextContent('1 note read, none sent');
  expect(screen.getByTestId('activity-turn')).not.toHaveTextContent('api.openai.com');
});

test('notes that were read but not sent are not reported as sent', async () => {
  const { tool_call_started, tool_call_completed } = read('Ideas.md');
  await show(sent('ollama.com', ['CRM/People/Jane Doe.md']), tool_call_started, tool_call_completed);
  expect(screen.getByTestId('activity-notes')).toHaveTextContent('1 note went to ollama.com');
  expect(screen.getByTestId('activity-notes-kept')).toHaveTextContent('1 note read, not sent');
});

function read(path: string) {
  const tool_call_started: EventBody = {
    type: 'tool_call_started',
    call: '1',
    tool: 'vault.read_note',
    args: { path },
    effect: 'read',
    principal: { kind: 'user', name: 'user' },
  };
  const tool_call_completed: EventBody = {
    type: 'tool_call_completed',
    call: '1',
    ok: true,
    output: 'Hello.',
    sources: [{ kind: 'note', path }],
    ms: 4,
    changes: [],
    change_set: null,
    merged: [],
  };
  return { tool_call_started, tool_call_completed };
}

async function show(...steps: EventBody[]) {
  const sample = sampleWorld();
  const events = envelopes('bank', 't1', [{ type: 'turn_started', text: 'Import it', model: 'openai/gpt-5.2', skills: [], tool: null }, ...steps]);
  const app = renderInApp(<ActivityPanel />, { backend: new FakeBackend({ ...sample, events: { bank: events } }) });
  await act(() => app.store.actions.openSession('bank'));
  return app;
}

test('offered tools and an uncached prefix are accessible by keyboard', async () => {
  await show(step(['vault.read_note', 'budget.import_transactions'], true), step(['vault.read_note'], false));
  const user = userEvent.setup();
  screen.getByRole('button', { name: '2 tools' }).focus();
  await user.keyboard('{Enter}');
  const list = await screen.findByRole('list', { name: 'Tools offered to the model' });
  expect([...list.children].map(({ textContent }) => textContent)).toEqual(['vault.read_note', 'budget.import_transactions']);
  await user.keyboard('{Escape}');
  expect(screen.getByRole('button', { name: '2 tools' })).toHaveFocus();
  await user.tab();
  expect(screen.getByRole('button', { name: '1 tool' })).toHaveFocus();
  await user.tab();
  expect(screen.getByRole('button', { name: 'not cached' })).toHaveFocus();
  expect(await screen.findByRole('tooltip')).toHaveTextContent(/it read the whole request again/);
});

test('a skill activated before the first request is reported as uncached', async () => {
  const sample = sampleWorld();
  const turn = (text: string, skills: string[]): EventBody => ({ type: 'turn_started', text, model: 'openai/gpt-5.2', skills, tool: null });
  const events = [
    ...envelopes('bank', 't1', [turn('Hello', []), step([], true), { type: 'turn_completed', text: 'Hello.' }]),
    ...envelopes('bank', 't2', [turn('Import it', ['budget']), step(['budget.import_transactions'], false), step(['budget.import_transactions'], true)]).map((event) => ({ ...event, seq: event.seq + 100 })),
  ];
  const app = renderInApp(<ActivityPanel />, { backend: new FakeBackend({ ...sample, events: { bank: events } }) });
  await act(() => app.store.actions.openSession('bank'));
  const steps = screen.getAllByTestId('activity-step').map(({ textContent }) => /not cached/.test(textContent));
  expect(steps, 'newest turn first').toEqual([true, false, false]);
});
