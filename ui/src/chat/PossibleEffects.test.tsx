import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';

import type { Effect, EventBody, JsonValue } from '../ipc';
import { Conversation } from './Conversation';
import { asked, openChat, started, turnStarted } from './fixture';

/** A call that was stopped while it ran. */
async function stopped(tool: string, effect: Effect, args: JsonValue, ...answers: EventBody[]) {
  const rendered = await openChat(<Conversation />, [
    turnStarted(),
    started('c', tool, effect, args),
    ...answers,
    { type: 'turn_cancelled', unknown: ['c'] },
  ]);
  const card = within(screen.getByTestId('tool-card'));
  return { ...rendered, card, app: () => rendered.store.get().app };
}

const allowed: EventBody = { type: 'approval_decided', call: 'c', decision: 'once', by: 'user', reason: null };
const look = () => screen.getByTestId('where-to-look').textContent;

describe('a call with an unknown outcome links to', () => {
  test('the note that a write names, and the changes', async () => {
    const { card, app } = await stopped('vault.append_to_note', 'write', { path: 'Projects/Rollout.md', text: 'Signed.' });
    expect(card.getByText(/It may have happened, in full or in part/)).toBeVisible();
    expect(look()).toBe('Look at Rollout or in Changes.');
    await userEvent.click(within(card.getByTestId('where-to-look')).getByRole('button', { name: 'Rollout' }));
    expect(app().panel).toMatchObject({ open: true, tab: 'note', note: 'Projects/Rollout.md' });
    await userEvent.click(card.getByRole('button', { name: 'Changes' }));
    expect(app().panel).toMatchObject({ open: true, tab: 'changes' });
  });

  test('the note whose change was allowed, however its arguments name it', async () => {
    const diff = [{ path: 'CRM/Deals/Rollout.md', kind: 'modified' as const, properties: [], hunks: [], tail_skipped: 0, summary: '' }];
    await stopped('crm.move_deal', 'write', { title: 'Rollout', stage: 'won' }, asked('c', { diff }), allowed);
    expect(look()).toBe('Look at Rollout or in Changes.');
  });

  test('the file it was creating, which does not open as a note', async () => {
    const diff = [{ path: 'Files/Plan.csv', kind: 'created' as const, properties: [], hunks: [], tail_skipped: 0, summary: '' }];
    const { card } = await stopped('vault.add_attachment', 'write', { name: 'Plan.csv', text: 'a,b' }, asked('c', { diff }), allowed);
    expect(look()).toBe('Look at Files/Plan.csv or in Changes.');
    expect(card.queryByRole('button', { name: /Plan\.csv/ })).toBeNull();
  });

  test('the changes if no note is known', async () => {
    await stopped('budget.apply_rules', 'write', { rule: 'Rent' });
    expect(look()).toBe('Look in Changes.');
  });

  test('the allowed host, and its skill in the settings', async () => {
    const hosts = asked('c', { host: 'smtp.example.org', mid_run: true });
    const { card, app } = await stopped('mail.send', 'send', { to: 'mara@harborline.example', body: 'Hello' }, hosts, allowed);
    expect(look()).toBe('Look at smtp.example.org or at Mail in the settings.');
    await userEvent.click(card.getByRole('button', { name: 'Mail in the settings' }));
    expect(app().view).toEqual({ kind: 'settings', page: 'skills', skill: 'mail' });
  });

  test('no denied host', async () => {
    const denied: EventBody = { type: 'approval_decided', call: 'c', decision: 'deny', by: 'user', reason: null };
    await stopped('mail.send', 'send', {}, asked('c', { host: 'ads.example.org', mid_run: true }), denied);
    expect(look()).toBe('Look at Mail in the settings.');
  });

  test('the host of the address in its arguments', async () => {
    await stopped('core.web_fetch', 'external', { url: 'https://quillon.example/pricing' });
    expect(look()).toBe('Look at quillon.example or at Core in the settings.');
  });

  test('the pending tools if the assistant was writing one', async () => {
    const { card, app } = await stopped('core.create_tool', 'write', { name: 'weather', source: '' });
    await userEvent.click(card.getByRole('button', { name: 'tools that wait for you' }));
    expect(app().view).toEqual({ kind: 'settings', page: 'skills', waiting: 'weather' });
  });

  test('nothing after a read, which can be retried', async () => {
    const { card, app } = await stopped('vault.search', 'read', { query: 'rollout' });
    expect(card.getByText(/It changed nothing/)).toBeVisible();
    expect(screen.queryByTestId('where-to-look')).toBeNull();
    await userEvent.click(card.getByRole('button', { name: 'Try again' }));
    expect(app().view).toEqual({ kind: 'run-tool', tool: 'vault.search', args: { query: 'rollout' } });
  });
});
