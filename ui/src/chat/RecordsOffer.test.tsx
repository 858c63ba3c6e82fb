import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';

import type { FieldProposal } from '../ipc';
import { FakeBackend } from '../testing/fake-backend';
import { contactForm } from '../testing/record-form';
import { renderInApp } from '../testing/render';
import { sampleWorld } from '../testing/sample';
import { RecordsOffer } from './RecordsOffer';

const people: FieldProposal = {
  skill: 'crm',
  types: [{ record_type: 'contact', summary: '12 notes look like contacts (#person)', notes: 12, type_values: [], examples: [], fields: [], rules: [], left_out: [], not_understood: [], unreadable: [] }],
  config: {},
};

function setup(offersRecords = true) {
  const backend = new FakeBackend({ ...sampleWorld(), recordForms: [contactForm], proposals: { crm: people } });
  return { ...renderInApp(<RecordsOffer />, { backend, app: { offersRecords } }), backend, user: userEvent.setup() };
}

it('opens the records page in one click', async () => {
  const { store, user, backend } = setup();
  await user.click(await screen.findByRole('button', { name: 'Review: 12 notes look like contacts (#person)' }));
  expect(store.get().app.view).toEqual({ kind: 'settings', page: 'skills', skill: 'crm', records: 'contact' });
  expect(backend.asked('set_skill')).toEqual([]);
});

it('can be hidden', async () => {
  const { container, user } = setup();
  await user.click(await screen.findByRole('button', { name: /^Hide/ }));
  expect(container.querySelector('[data-testid=records-offer]')).toBeNull();
});

it('reads nothing before a vault was chosen', () => {
  const { backend } = setup(false);
  expect(backend.asked('propose_fields')).toEqual([]);
});

it('is offered once a vault was chosen', async () => {
  const { store } = setup(false);
  await store.actions.openVault({ choice: { kind: 'folder', path: '/notes' }, model: null });
  expect(await screen.findByText('12 notes look like contacts (#person)')).toBeVisible();
});
