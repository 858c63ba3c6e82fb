import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';

import type { EventBody } from '../ipc';
import { FakeBackend } from '../testing/fake-backend';
import { setWindow } from '../testing/media';
import { renderInApp } from '../testing/render';
import { envelopes, sampleWorld } from '../testing/sample';
import { Header } from './Header';

afterEach(() => vi.unstubAllGlobals());

const activated = (skill: string, more: Partial<Extract<EventBody, { type: 'skill_activated' }>> = {}): EventBody => ({
  type: 'skill_activated',
  skill,
  by: 'model',
  lifetime: 'session',
  ...more,
});
const turn: EventBody = { type: 'turn_started', text: 'Hi', model: 'ollama/q', skills: [], tool: null };

/** The header of a chat with these activated skills; `pinned` are currently pinned. */
async function header(events: EventBody[], pinned: string[] = []) {
  const world = sampleWorld();
  const backend = new FakeBackend({
    ...world,
    skills: world.skills.map((row) => ({ ...row, pinned: pinned.includes(row.id) })),
    events: { bank: envelopes('bank', 't1', events) },
  });
  const app = renderInApp(<Header roomForPanel changed={0} menu={() => null} />, {
    backend,
    app: { skillNames: { crm: 'CRM', mail: 'Mail', screener: 'Screener' } },
  });
  if (events.length > 0) await act(() => app.store.actions.openSession('bank'));
  return app;
}

const chips = () => screen.queryAllByTestId('active-skill');

test('a chip per active skill, with “this turn” if it ends with the turn', async () => {
  await header([turn, activated('crm'), activated('mail', { lifetime: 'turn' })]);
  expect(chips().map((chip) => chip.textContent)).toEqual(['CRM', 'Mailthis turn']);
});

test('× removes the skill from the next step; the backend’s event removes the chip', async () => {
  const { backend } = await header([turn, activated('crm'), activated('mail')]);
  let answer = () => {};
  backend.on('drop_skill', (what) => new Promise((done) => {
    answer = () => done(backend.drop_skill(what));
  }));
  const drop = screen.getByRole('button', { name: 'Deactivate CRM' });
  await userEvent.click(drop);
  await userEvent.click(drop);
  expect(backend.asked('drop_skill')).toEqual([{ session: 'bank', skill: 'crm' }]);
  expect(chips()).toHaveLength(2);
  await act(async () => answer());
  expect(chips().map((chip) => chip.textContent)).toEqual(['Mail']);
});

test('a failed removal keeps the chip, gives the reason and can be retried', async () => {
  const { backend, store } = await header([turn, activated('crm')]);
  backend.fail('drop_skill', { message: 'The chat is gone.' });
  await userEvent.click(screen.getByRole('button', { name: 'Deactivate CRM' }));
  expect(chips()).toHaveLength(1);
  expect(store.get().app.problem?.message).toBe('The chat is gone.');
  await userEvent.click(screen.getByRole('button', { name: 'Deactivate CRM' }));
  expect(backend.asked('drop_skill')).toHaveLength(2);
});

test('a pinned skill has a pin instead of ×; after unpinning it can be removed', async () => {
  const { backend, store } = await header([activated('crm', { by: 'pin' }), turn], ['crm']);
  expect(await screen.findByText('pinned')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: /^Deactivate/ })).toBeNull();
  backend.world.skills = backend.world.skills.map((row) => ({ ...row, pinned: false }));
  act(() => store.actions.registryChanged());
  expect(await screen.findByRole('button', { name: 'Deactivate CRM' })).toBeVisible();
});

test('a new chat shows skills that will be active: usable pinned ones', async () => {
  await header([], ['screener', 'lookup']);
  expect((await screen.findAllByTestId('active-skill')).map((chip) => chip.dataset['skill'])).toEqual(['screener']);
});

test('at high zoom they are a number that opens the chips', async () => {
  setWindow({ width: 880 });
  await header([turn, activated('crm'), activated('mail'), activated('screener')]);
  expect(screen.queryByRole('list', { name: 'Active skills' })).toBeNull();
  await userEvent.click(screen.getByTestId('active-skills'));
  const open = within(await screen.findByRole('dialog', { name: 'Active skills' }));
  expect(open.getAllByRole('button', { name: /^Deactivate/ })).toHaveLength(3);
});

test('a skill that needs a sign-in says so, and links to it', async () => {
  const { store } = await header([turn, activated('calendar')]);
  await userEvent.click(await screen.findByRole('button', { name: 'Calendar, sign in' }));
  expect(store.get().app.view).toEqual({ kind: 'settings', page: 'skills', skill: 'calendar' });
});
