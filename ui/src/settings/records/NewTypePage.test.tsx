import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';

import type { RecordTypeRow } from '../../ipc';
import { FakeBackend } from '../../testing/fake-backend';
import { setWindow } from '../../testing/media';
import { renderInApp } from '../../testing/render';
import { sampleWorld } from '../../testing/sample';
import { sampleRecordsPage } from '../../testing/sample/records';
import { NewTypePage } from './NewTypePage';

beforeEach(() => setWindow({}));

function setup(faults = sampleRecordsPage().faults) {
  const backend = new FakeBackend({ ...sampleWorld(), recordsPage: { ...sampleRecordsPage(), faults } });
  backend.on('list_record_types', () => [{ skill: 'crm', record_type: 'contact', label: 'Contact', folder: 'CRM/People' } as RecordTypeRow]);
  const [onBegin, onClose] = [vi.fn(), vi.fn()];
  renderInApp(<NewTypePage skill="crm" name="CRM" onBegin={onBegin} onClose={onClose} />, { backend });
  return { backend, user: userEvent.setup(), onBegin, onClose };
}

const name = () => screen.findByRole('textbox', { name: 'Name' });

it('creates a type with its folder and fields', async () => {
  const { user, onBegin } = setup();
  await user.type(await name(), 'supplier');
  await user.type(screen.getByRole('textbox', { name: 'Folder of new notes' }), 'CRM/Suppliers');
  await user.type(screen.getByRole('textbox', { name: 'Field 2' }), 'state');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Kind of field 2' }), 'choice');
  await user.type(screen.getByRole('textbox', { name: 'Choices of field 2, one on each line' }), 'new\nold');
  await user.click(screen.getByTestId('new-type-next'));
  const own = { folder: 'CRM/Suppliers', title: 'name', fields: { name: { kind: 'text' }, state: { kind: 'choice', choices: ['new', 'old'] } } };
  await expect.poll(() => onBegin.mock.lastCall).toEqual(['supplier', own]);
});

it('refuses an existing name', async () => {
  const { backend, user, onBegin } = setup();
  await user.type(await name(), 'Contact');
  await user.type(screen.getByRole('textbox', { name: 'Folder of new notes' }), 'Firms{Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent('CRM has a record type contact already. Choose another name.');
  expect([backend.asked('preview_records'), onBegin.mock.calls]).toEqual([[], []]);
});

it('shows each error at its field', async () => {
  const { user, onBegin } = setup([{ key: '', reason: 'cannot be used: the folder `../x` leaves the vault.' }]);
  await user.type(await name(), 'supplier');
  await user.type(screen.getByRole('textbox', { name: 'Folder of new notes' }), '../x{Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent('the folder ../x leaves the vault');
  expect(screen.getByRole('textbox', { name: 'Folder of new notes' })).toBeInvalid();
  expect(onBegin).not.toHaveBeenCalled();
});

it('Esc closes it outside of a field', async () => {
  const { user, onClose } = setup();
  await user.click(await name());
  await user.keyboard('{Escape}');
  expect(onClose).not.toHaveBeenCalled();
  await user.keyboard('{Escape}');
  expect(onClose).toHaveBeenCalledOnce();
});
