import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { renderInApp } from '../testing/render';
import { RouterSwitch } from './RouterSwitch';

test('explains each position of the switch', async () => {
  const { backend } = renderInApp(<RouterSwitch />);
  const router = await screen.findByTestId('router');
  expect(router).toHaveTextContent('activates it before the assistant answers');
  await userEvent.click(screen.getByRole('switch', { name: 'Activate skills by your message' }));
  expect(await screen.findByText(/decides by itself which skill to load/)).toBeVisible();
  expect(backend.asked('set_router')).toEqual([{ on: false }]);
});

test('an unwritable configuration is reported, and the switch stays', async () => {
  const { backend } = renderInApp(<RouterSwitch />);
  backend.on('set_router', () => Promise.reject({ code: 'io', message: 'The disk is full.', hint: 'Make room.' }));
  await userEvent.click(await screen.findByTestId('router-switch'));
  expect(await screen.findByText(/The disk is full/)).toBeVisible();
  expect(screen.getByTestId('router-switch')).toBeChecked();
});
