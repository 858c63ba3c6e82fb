import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { answer } from '../../testing/panels';
import { sampleWorld } from '../../testing/sample';
import { mailRows } from '../../testing/sample/mail-panel';
import { failure, open, rows } from './fixture';

afterEach(() => vi.unstubAllGlobals());

const LOGGED = { ...answer({ path: 'CRM/People/Ilse Brandvik.md' }), change_set: 'set-1' };

describe('in your notes', () => {
  test('the contact with exactly the sender’s address is shown', async () => {
    await open();
    await userEvent.click(rows()[0]!);
    const notes = screen.getByRole('complementary', { name: 'In your notes' });
    expect(within(notes).getByRole('button', { name: 'Ilse Brandvik' })).toBeVisible();
    expect(notes).toHaveTextContent(/Company ?Fernhill Dairy ?Stage ?customer ?Next contact ?.*2020, overdue/);
    expect(notes).toHaveTextContent('email, ilse@fernhill.example');
  });

  test('the open deal with the contact is shown', async () => {
    const deal = { title: 'Fernhill revised quote', stage: 'proposal', value: '28000', currency: 'EUR', close_date: '2020-11-17', late: true, path: 'CRM/Deals/Fernhill revised quote.md' };
    const { asked } = await open({ answers: { 'crm.list_deals': () => answer({ deals: [deal], count: 1, total: [] }) } });
    await userEvent.click(rows()[0]!);
    const deals = await screen.findByRole('region', { name: 'Open deals' });
    expect(deals).toHaveTextContent(/Open deal ?Fernhill revised quote ?€28,000 ?proposal, close date passed on .*2020/);
    expect(asked('crm.list_deals')).toEqual([{ contact: 'Ilse Brandvik', stage: 'open' }]);
  });

  test('without a deal there is no place for one', async () => {
    await open();
    await userEvent.click(rows()[0]!);
    await act(async () => {});
    expect(screen.queryByRole('region', { name: 'Open deals' })).toBeNull();
  });

  test('an unknown sender can be added', async () => {
    const { store } = await open();
    await userEvent.click(rows()[1]!);
    const notes = screen.getByRole('complementary', { name: 'In your notes' });
    expect(notes).toHaveTextContent('No contact has the address mara@lindholt.example.');
    await userEvent.click(within(notes).getByRole('button', { name: 'Add contact' }));
    expect(store.get().app.recordForm).toMatchObject({ skill: 'crm', type: 'contact', values: { name: 'Mara Lindholt', email: 'mara@lindholt.example' } });
  });

  test('a mail is logged with its contact on its own day, and the change is shown', async () => {
    const { asked, press, backend } = await open({ answers: { 'crm.log_interaction': () => LOGGED } });
    const diff = { path: 'CRM/People/Ilse Brandvik.md', kind: 'modified', properties: [], hunks: [] };
    backend.on('list_changes', () => [{ id: 'set-1', kind: 'form', at: '', author: '', label: '', state: 'committed', session: null, undone_at: null, notes: [{ path: diff.path, kind: 'modified', call: null, undone: false, edited_since: false, diff }] }] as never);
    await userEvent.click(rows()[0]!);
    press('l');
    const field = screen.getByLabelText('Log this mail', { selector: 'textarea' });
    expect(field).toHaveFocus();
    await userEvent.type(field, ' agreed');
    expect(screen.getByTestId('mail-log-line')).toHaveTextContent(/Mail: Revised quote, cold store 2 agreed$/);
    await userEvent.click(screen.getByTestId('mail-log'));
    expect(asked('crm.log_interaction')).toEqual([{ name: 'CRM/People/Ilse Brandvik.md', text: 'Mail: Revised quote, cold store 2 agreed', date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string }]);
    expect(await screen.findByTestId('mail-logged')).toHaveTextContent('Logged with Ilse Brandvik');
    expect(screen.getByTestId('diff')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Undo' }));
    expect(backend.asked('undo_changes')).toEqual([{ change_set: 'set-1' }]);
  });

  test('a mail dated tomorrow is logged today', async () => {
    const tomorrow = { ...mailRows[0]!, received: '2031-01-02 10:00 +00:00' };
    const { asked } = await open({ answers: { 'mail.list': () => answer({ total: 1, messages: [tomorrow] }), 'crm.log_interaction': () => LOGGED } });
    await userEvent.click(rows()[0]!);
    await userEvent.click(screen.getByTestId('mail-log'));
    expect(asked('crm.log_interaction')).toMatchObject([{ date: sampleWorld().status.today }]);
  });

  test('a failed log keeps the text', async () => {
    await open({ answers: { 'crm.log_interaction': () => failure('The note cannot be read.') } });
    await userEvent.click(rows()[0]!);
    await userEvent.click(screen.getByTestId('mail-log'));
    expect(screen.getByRole('alert')).toHaveTextContent('The note cannot be read.');
    expect(screen.getByLabelText('Log this mail', { selector: 'textarea' })).toHaveValue('Mail: Revised quote, cold store 2');
    expect(screen.queryByTestId('call-failed')).toBeNull();
  });

  test('without room beside it, Log this is below the sender', async () => {
    await open({ width: 1100 });
    await userEvent.click(rows()[0]!);
    await act(async () => {});
    expect(screen.queryByRole('complementary', { name: 'In your notes' })).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Log this' }));
    expect(screen.getByLabelText('Log this mail', { selector: 'textarea' })).toBeVisible();
  });
});
