import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { FakeBackend } from '../../testing/fake-backend';
import { alikeImport, importTool, proposedImport } from '../../testing/import';
import { renderInApp } from '../../testing/render';
import { sampleWorld } from '../../testing/sample';
import { Confirmation } from './Confirmation';
import { proposalOf } from './proposal';

function show(answer: typeof alikeImport) {
  const backend = new FakeBackend(sampleWorld());
  backend.on('open_note', () => ({}));
  const proposal = proposalOf(answer, importTool.input_schema, { path: 'a.csv' });
  if (proposal === null) throw new Error('no proposal');
  renderInApp(<Confirmation proposal={proposal} action="Import" busy={false} onRun={() => undefined} />, { backend });
  return backend;
}

test('what looks like an entry that is there stands before the question, each a link to it', async () => {
  const backend = show(alikeImport);
  const twins = within(screen.getByTestId('twins'));
  expect(twins.getByRole('heading')).toHaveTextContent('60 look like entries that are there');
  expect(twins.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    '2026-11-02, 1180.00 EUR, Linden looks like Rent of 2026-11-01, which comes again',
    '2026-11-20, 3.00 EUR looks like Coffee of 2026-11-18',
  ]);
  expect(twins.getByText('The first 2 of 60.')).toBeVisible();
  await userEvent.click(twins.getByRole('button', { name: 'Coffee' }));
  expect(backend.asked('open_note')).toEqual([{ path: 'Budget/Expenses/2026/Coffee.md' }]);
});

test('the number is said no longer once those may be left out', async () => {
  const questions = [{ about: 'decimal', question: 'Leave them out?', choices: ['leave_out', 'import'] }];
  show({ ...(alikeImport as object), questions });
  expect(screen.getByTestId('confirm-proposal')).toHaveTextContent(/^Import 7/);
  await userEvent.click(screen.getByRole('radio', { name: 'Leave out' }));
  expect(screen.getByTestId('confirm-proposal')).not.toHaveTextContent('7');
});

test('nothing is said of entries where none looks like one', () => {
  show(proposedImport);
  expect(screen.queryByTestId('twins')).toBeNull();
});
