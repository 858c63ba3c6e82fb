import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { act } from 'react';
import { expect, test } from 'vitest';

import type { EventBody } from '../ipc';
import { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { envelopes, sampleWorld } from '../testing/sample';
import { ActivityPanel } from './ActivityPanel';

const step = (tools: string[], prefix_kept: boolean): EventBody => ({ type: 'step_started', tools, prefix_kept, bytes: 10_000 });

async function show(...steps: EventBody[]) {
  const sample = sampleWorld();
  const events = envelopes('bank', 't1', [{ type: 'turn_started', text: 'Import it', model: 'openai/gpt-5.2', skills: [], tool: null }, ...steps]);
  const app = renderInApp(<ActivityPanel />, { backend: new FakeBackend({ ...sample, events: { bank: events } }) });
  await act(() => app.store.actions.openSession('bank'));
  return app;
}

test('the tools that a request could call, and that its beginning was read anew, are told with the keyboard', async () => {
  await show(step(['vault.read_note', 'budget.import_transactions'], true), step(['vault.read_note'], false));
  const user = userEvent.setup();
  screen.getByRole('button', { name: '2 tools' }).focus();
  await user.keyboard('{Enter}');
  const list = await screen.findByRole('list', { name: 'Tools that the model could call' });
  expect([...list.children].map(({ textContent }) => textContent)).toEqual(['vault.read_note', 'budget.import_transactions']);
  await user.keyboard('{Escape}');
  expect(screen.getByRole('button', { name: '2 tools' })).toHaveFocus();
  await user.tab();
  expect(screen.getByRole('button', { name: '1 tool' })).toHaveFocus();
  await user.tab();
  expect(screen.getByRole('button', { name: 'read anew' })).toHaveFocus();
  expect(await screen.findByRole('tooltip')).toHaveTextContent(/the provider read all of it again/);
});
