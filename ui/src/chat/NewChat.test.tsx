import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { GlanceView } from '../ipc';
import { renderInApp } from '../testing/render';
import { sampleWorld } from '../testing/sample';
import { NewChat } from './NewChat';

const due: GlanceView = {
  skill: 'crm',
  name: 'CRM',
  icon: 'people',
  late: false,
  ask: 'Follow-ups due this week',
  says: [{ value: 2, format: 'text', unit: '', words: 'overdue' }],
  badge: [],
  today: null,
};

test('a chat starts from due items without copying notes into the message', async () => {
  const { store } = renderInApp(<NewChat />, { app: { glances: [due] } });
  const first = await screen.findByRole('button', { name: 'Follow-ups due this week 2 overdue' });
  expect(screen.getAllByTestId('suggestion')[0]).toBe(first);
  await userEvent.click(first);
  const { app } = store.get();
  expect(JSON.stringify(app.drafts)).toContain('Follow-ups due this week');
  expect(JSON.stringify(app.drafts)).not.toContain('overdue');
});

test('says that nothing is due, and how many notes were read', async () => {
  renderInApp(<NewChat />, { app: { glances: [{ ...due, says: [] }] } });
  expect(await screen.findByText('Nothing due today. 412 notes read.')).toBeVisible();
  expect(await screen.findByText('Follow-ups due this week')).toBeVisible();
});

test('no suggestion is offered before the due items are known', async () => {
  const { backend } = renderInApp(<NewChat />, { app: { glances: null } });
  expect(await screen.findByRole('status', { name: 'Reading what is due' })).toBeInTheDocument();
  expect(backend.asked('list_skills')).toHaveLength(0);
  expect(screen.queryAllByTestId('suggestion')).toEqual([]);
});

test('due items are offered without a model, too', async () => {
  const { backend } = renderInApp(<NewChat />, { app: { glances: [due], status: { ...sampleWorld().status, model: null } } });
  expect(await screen.findByRole('button', { name: 'Follow-ups due this week 2 overdue' })).toBeVisible();
  expect(screen.getByRole('button', { name: 'Set up a model' })).toBeVisible();
  expect(backend.asked('list_skills')).toHaveLength(1);
});
