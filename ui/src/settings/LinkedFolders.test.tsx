import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import { renderInApp } from '../testing/render';
import { LinkedFolders } from './LinkedFolders';

const site = { path: '/home/mara/Code/site', shown: '~/Code/site', name: 'site', access: 'read', problem: null } as const;
const keys = { ...site, path: '/home/mara/.ssh', shown: '~/.ssh', name: '.ssh', problem: '/home/mara/.ssh is a place for keys and passwords.' };

const setup = async () => {
  const rendered = renderInApp(<LinkedFolders />, { world: { workspaces: [site, keys] } });
  await screen.findByRole('button', { name: 'Link a folder…' });
  return { ...rendered, user: userEvent.setup() };
};

test('picked folder is linked to read', async () => {
  const { backend, user } = await setup();
  backend.on('pick_folder', () => ({ path: '/home/mara/Scans', shown: '~/Scans', notes: 0 }));
  await user.click(screen.getByTestId('workspace-add'));
  await waitFor(() => expect(backend.asked('add_workspace')).toEqual([{ path: '/home/mara/Scans', access: 'read' }]));
  expect(await screen.findByText('/home/mara/Scans')).toBeVisible();
});

test('access is changed and a folder is removed by Del', async () => {
  const { backend, user } = await setup();
  const group = await screen.findByRole('radiogroup', { name: 'What tools may do in ~/Code/site' });
  await user.click(within(group).getByRole('radio', { name: 'Read and write' }));
  expect(backend.asked('add_workspace')).toEqual([{ path: '/home/mara/Code/site', access: 'write' }]);
  (await screen.findByRole('button', { name: 'Remove ~/Code/site from the linked folders' })).focus();
  await user.keyboard('{Delete}');
  await waitFor(() => expect(screen.queryByText('~/Code/site')).toBeNull());
  expect(backend.asked('remove_workspace')).toEqual([{ path: '/home/mara/Code/site' }]);
});

test('folder that is not open says why', async () => {
  await setup();
  expect(await screen.findByText('/home/mara/.ssh is a place for keys and passwords.')).toBeVisible();
});

test('refused folder is explained', async () => {
  const { backend, user } = await setup();
  backend.on('pick_folder', () => ({ path: '/etc', shown: '/etc', notes: 0 }));
  backend.fail('add_workspace', { message: '/etc is a system folder.', hint: 'Choose another.' });
  await user.click(screen.getByTestId('workspace-add'));
  expect(await screen.findByRole('alert')).toHaveTextContent('/etc is a system folder.');
});
