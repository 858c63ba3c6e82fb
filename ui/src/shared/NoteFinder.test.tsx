import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';

import { renderInApp } from '../testing/render';
import { NoteFinder } from './NoteFinder';

const setup = () => {
  const onChoose = vi.fn();
  renderInApp(<NoteFinder label="Open a note" onChoose={onChoose} onClose={() => undefined} />);
  return { onChoose, user: userEvent.setup() };
};

test('marked note is chosen by Enter', async () => {
  const { onChoose, user } = setup();
  await user.type(screen.getByRole('combobox', { name: 'Name of the note' }), 'il');
  expect(await screen.findByRole('option', { name: /Brandvik/ })).toHaveAttribute('aria-selected', 'true');
  await user.keyboard('{Enter}');
  expect(onChoose).toHaveBeenCalledWith('CRM/People/Ilse Brandvik.md');
});

test('a name without a note says so and chooses nothing', async () => {
  const { onChoose, user } = setup();
  await user.type(screen.getByRole('combobox', { name: 'Name of the note' }), 'zzz');
  expect(await screen.findByText('No note named “zzz”.')).toBeVisible();
  await user.keyboard('{Enter}');
  expect(onChoose).not.toHaveBeenCalled();
});
