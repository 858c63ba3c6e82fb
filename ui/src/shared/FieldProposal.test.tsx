import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';

import type { FieldProposal as Proposal } from '../ipc';
import { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { sampleWorld } from '../testing/sample';
import { FieldProposal } from './FieldProposal';

const people: Proposal = {
  skill: 'crm',
  types: [
    {
      record_type: 'contact',
      summary: '12 notes look like contacts (type: person)',
      notes: 12,
      type_values: ['person'],
      examples: ['People/Ada Byron.md'],
      fields: [
        { field: 'email', label: 'Email', property: 'e-mail', notes: 9, examples: ['ada@byron.example'], because: 'is another name for email' },
      ],
      rules: [], left_out: [], not_understood: [], unreadable: [],
    },
  ],
  config: { fields: { contact: { type: ['person', 'contact'], email: 'e-mail' } } },
};

function setup(proposal: Proposal, hideable = false, hiddenProposals = {}) {
  const backend = new FakeBackend({ ...sampleWorld(), proposals: { crm: proposal } });
  backend.on('skill_detail', () => ({
    skill: 'crm', tools: [], config_schema: null, config: {}, own_config: { currency: 'EUR' }, config_problem: null, last_error: null,
  }));
  return { ...renderInApp(<FieldProposal skill="crm" hideable={hideable} />, { backend, app: { hiddenProposals } }), backend, user: userEvent.setup() };
}

it('lists notes that look like records, and the names that suggest it', async () => {
  const { backend, user } = setup(people);
  expect(await screen.findByText('12 notes look like contacts (type: person).')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Show names' }));
  expect(screen.getByRole('row', { name: /Email e-mail is another name for email; 9 notes, such as ada@byron.example/ })).toBeVisible();
  expect(screen.getByText(/Ada Byron and 11 more/)).toBeVisible();
  expect(backend.asked('set_skill')).toEqual([]);
});

it('shows what each rule would match, exclude and fail to read', async () => {
  const [type] = people.types;
  const found = {
    ...type!,
    rules: [
      { rule: 'categories contains [[People]]', notes: 10, more: 10, examples: ['Ilse Brandvik.md'], confidence: 'sure' as const, reason: '9 have e-mail', used: true },
      { rule: '#person', notes: 6, more: 4, examples: ['Monday.md'], confidence: 'unlikely' as const, reason: '6 have no property of its fields', used: false },
    ],
    left_out: [{ what: '#person', notes: 4 }],
    not_understood: [{ field: 'last_contact', property: 'last', notes: 2, needs: 'a date', examples: ['spring', 'Q3'] }],
  };
  const { user } = setup({ ...people, types: [found] });
  await user.click(await screen.findByRole('button', { name: 'Show names' }));
  expect(screen.getByRole('row', { name: 'categories contains [[People]] 10 Ilse Brandvik sure 9 have e-mail' })).toBeVisible();
  expect(screen.getByRole('row', { name: /^#person \(not used\) 6 4 more than above unlikely/ })).toBeVisible();
  expect(screen.getByText('12 notes taken.')).toBeVisible();
  expect(screen.getByText('4 notes left out: #person.')).toBeVisible();
  expect(screen.getByText(/^2 values not understood: last is not a date \(“spring”, “Q3”\)/)).toBeVisible();
});

it('says what stays unreadable before the names are applied', async () => {
  const [type] = people.types;
  const unreadable = [
    { field: 'amount', label: 'Amount', notes: 11, needs: 'a decimal', example: '1.234,50' },
    { field: 'date', label: 'Date', notes: 12, needs: 'a date', example: null },
  ];
  setup({ ...people, types: [{ ...type!, record_type: 'expense', unreadable }] });
  await screen.findByTestId('use-fields');
  expect(screen.getByText(/^11 of 12/)).toHaveTextContent(
    '11 of 12 notes have no amount Nova can read (one says “1.234,50”). An expense needs a decimal.',
  );
  expect(screen.getByText(/^All 12 notes have no date/)).toBeVisible();
});

it('applies the names when confirmed, and reverts them', async () => {
  const { backend, user } = setup(people);
  await user.click(await screen.findByTestId('use-fields'));
  expect(await screen.findByText(/^In use: 12 notes look like contacts/)).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Take back' }));
  expect(await screen.findByTestId('use-fields')).toBeVisible();
  expect(backend.asked('set_skill')).toEqual([
    { skill: 'crm', config: people.config },
    { skill: 'crm', config: { currency: 'EUR' } },
  ]);
});

it('says why the names were not applied', async () => {
  const { backend, user } = setup(people);
  backend.fail('set_skill', { message: 'nova.config.json cannot be written.', hint: 'Make room.' });
  await user.click(await screen.findByTestId('use-fields'));
  expect(await screen.findByRole('alert')).toHaveTextContent('nova.config.json cannot be written.Make room.');
});

it('can be hidden beside other content until the proposal changes', async () => {
  const { backend, store, user, container, unmount } = setup(people, true);
  await user.click(await screen.findByRole('button', { name: 'Hide' }));
  expect(container).toBeEmptyDOMElement();
  expect(backend.asked('set_skill')).toEqual([]);
  const { hiddenProposals } = store.get().app;
  unmount();
  const more = { ...people, types: people.types.map((type) => ({ ...type, summary: '13 notes look like contacts (type: person)' })) };
  setup(more, true, hiddenProposals);
  expect(await screen.findByText(/^13 notes look like contacts/)).toBeVisible();
});

it('is empty without a proposal', async () => {
  const { backend, container } = setup({ ...people, types: [], config: null });
  await expect.poll(() => backend.asked('propose_fields').length).toBe(1);
  expect(container).toBeEmptyDOMElement();
});
