import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';

import { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { sampleWorld } from '../testing/sample';
import { AddSkill } from './AddSkill';

async function setup() {
  const backend = new FakeBackend(sampleWorld());
  const created = vi.fn();
  renderInApp(<AddSkill onCreated={created} />, { backend });
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Add skill' }));
  return { backend, created, user, card: within(await screen.findByRole('dialog', { name: 'Add a skill' })) };
}

it('creates a skill by name and opens it', async () => {
  const { backend, created, user, card } = await setup();
  expect(card.getByRole('button', { name: 'Create' })).toBeDisabled();
  await user.type(card.getByLabelText('Write one of your own'), ' trip-planner {Enter}');
  expect(backend.asked('create_skill')).toEqual([{ name: 'trip-planner' }]);
  expect(created).toHaveBeenCalledWith('trip-planner');
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('says why a name is invalid, and keeps it', async () => {
  const { backend, created, user, card } = await setup();
  backend.fail('create_skill', { code: 'bad_request', message: 'The id crm is another skill’s.', hint: 'Choose another name.' });
  await user.type(card.getByLabelText('Write one of your own'), 'crm{Enter}');
  expect(await card.findByRole('alert')).toHaveTextContent('The id crm is another skill’s.');
  expect(card.getByLabelText('Write one of your own')).toHaveValue('crm');
  expect(created).not.toHaveBeenCalled();
});

it('shows the folder of skills, or says why not', async () => {
  const { backend, user, card } = await setup();
  await user.click(card.getByRole('button', { name: 'Show the skills folder' }));
  expect(backend.asked('show_skills_folder')).toEqual([{}]);
  backend.fail('show_skills_folder', { code: 'io', message: 'The file manager could not be opened.', hint: 'Look yourself.' });
  await user.click(card.getByRole('button', { name: 'Show the skills folder' }));
  expect(await card.findByRole('alert')).toHaveTextContent('Look yourself.');
});

it('opens the manual', async () => {
  const { user, card } = await setup();
  await user.click(card.getByRole('button', { name: 'Open the manual' }));
  const manual = within(await screen.findByRole('dialog', { name: 'How skills are written' }));
  expect(await manual.findByText('A skill is a folder.')).toBeVisible();
  await user.click(manual.getByRole('button', { name: 'Close' }));
  expect(screen.queryByTestId('skill-manual')).toBeNull();
});
