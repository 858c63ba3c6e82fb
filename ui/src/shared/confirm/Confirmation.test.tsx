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

test('possible duplicates come before the question, each with a link', async () => {
  const backend = show(alikeImport);
  const twins = within(screen.getByTestId('twins'));
  expect(twins.getByRole('heading')).toHaveTextContent('60 may be duplicates');
  expect(twins.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    '2026-11-02, 1180.00 EUR, Linden: may be Rent, 1 Nov, repeats',
    '2026-11-20, 3.00 EUR: may be Coffee, 18 Nov',
  ]);
  expect(twins.getByText('The first 2 of 60.')).toBeVisible();
  await userEvent.click(twins.getByRole('button', { name: 'Coffee' }));
  expect(await screen.findByTestId('note-popover')).toBeVisible();
  expect(backend.asked('read_note')).toEqual([{ path: 'Budget/Expenses/2026/Coffee.md' }]);
});

test('a single possible duplicate is shown with its day', () => {
  const looks_like = [{ date: '2026-11-14', amount: '95.00', currency: 'EUR', payee: 'Quillon', looks_like: 'Quillon Labs', on: '2026-11-13', path: 'Budget/Q.md' }];
  show({ ...(alikeImport as object), looks_like, alike: 1 });
  expect(within(screen.getByTestId('twins')).getByRole('heading')).toHaveTextContent(/^1 may be a duplicate: Quillon Labs, 13 Nov( 2026)?$/);
});

test('the count is omitted once duplicates may be skipped', async () => {
  const questions = [{ about: 'decimal', question: 'Leave them out?', choices: ['leave_out', 'import'] }];
  show({ ...(alikeImport as object), questions });
  expect(screen.getByTestId('confirm-proposal')).toHaveTextContent(/^Import 7/);
  await userEvent.click(screen.getByRole('radio', { name: 'Leave out' }));
  expect(screen.getByTestId('confirm-proposal')).not.toHaveTextContent('7');
});

test('without duplicates none are mentioned', () => {
  show(proposedImport);
  expect(screen.queryByTestId('twins')).toBeNull();
});
