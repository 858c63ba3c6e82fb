import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { violations } from '../../testing/axe';
import { reviewValue } from '../../testing/import-review';
import { answer, panelOf } from '../../testing/panels';
import { mailFolders, mailRead, mailRows } from '../../testing/sample/mail-panel';
import { done, EVERY, failure, open, rows } from './fixture';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const openFirst = async () => userEvent.click(rows()[0]!);

describe('the list', () => {
  test('shows messages of all mailboxes by day, unread ones marked', async () => {
    const { asked } = await open();
    expect(asked('mail.list')).toEqual([{ limit: 50, preview: true }]);
    expect(asked('mail.folders')).toEqual([{ counts: true }]);
    expect(rows()[0]).toHaveAccessibleName(/^Ilse Brandvik.*Revised quote, cold store 2 ?Work ?Hello Sam.* unread, with attachments$/);
    expect(rows()[2]).toHaveTextContent('not verified');
    expect(rows()[3]).toHaveAccessibleName(/set aside for you\.$/);
    expect(screen.getByRole('radio', { name: 'All 3 unread' })).toBeChecked();
    expect(screen.getByRole('radio', { name: 'Work 2 unread' })).toBeVisible();
    // The surrounding page is missing here.
    expect((await violations()).filter((one) => !/^(landmark-one-main|page-has-heading-one)/.test(one)).join('\n')).toBe('');
  });

  test('a segment and the folder menu choose the list', async () => {
    const { asked } = await open();
    await userEvent.click(screen.getByRole('radio', { name: /^Work/ }));
    await userEvent.click(screen.getByTestId('mail-folder'));
    await userEvent.click(await screen.findByRole('menuitemcheckbox', { name: /^Sent/ }));
    await userEvent.click(screen.getByTestId('mail-folder'));
    await userEvent.click(await screen.findByRole('menuitemcheckbox', { name: /^Projects/ }));
    expect(asked('mail.list').slice(1)).toEqual(['inbox', 'sent', 'Projects'].map((folder) => ({ mailbox: 'Work', ...(folder === 'inbox' ? {} : { folder }), limit: 50, preview: true })));
  });

  test('the server searches on Enter, and Esc ends the search', async () => {
    const { asked, press } = await open();
    press('/');
    expect(screen.getByLabelText('Search mail')).toHaveFocus();
    await userEvent.keyboard('kick-off');
    expect(asked('mail.search')).toEqual([]);
    await userEvent.keyboard('{Enter}');
    expect(asked('mail.search')).toEqual([{ query: 'kick-off', limit: 50, preview: true }]);
    expect(rows()).toHaveLength(1);
    await userEvent.keyboard('{Escape}');
    expect(rows()).toHaveLength(4);
  });

  test('older messages are loaded, up to a hundred', async () => {
    const { asked } = await open({ answers: { 'mail.list': () => answer({ total: 240, messages: mailRows }) } });
    await userEvent.click(screen.getByRole('button', { name: 'Show more' }));
    expect(asked('mail.list').at(-1)).toEqual({ limit: 100, preview: true });
    expect(screen.getByText('236 older are found by searching.')).toBeVisible();
  });

  test('an empty folder says so', async () => {
    await open({ answers: { 'mail.list': () => answer({ total: 0, messages: [] }) } });
    expect(screen.getByText('Nothing in this folder.')).toBeVisible();
  });
});

describe('while the panel is open', () => {
  test('the inboxes are watched and a change reloads the list', async () => {
    const { asked, backend, unmount } = await open();
    expect(backend.asked('watch_mail')).toEqual([{ open: true }]);
    act(() => void backend.emit({ type: 'mail_changed', mailbox: 'Work' }));
    await vi.waitFor(() => expect(asked('mail.list')).toHaveLength(2));
    expect(asked('mail.folders')).toHaveLength(2);
    expect(backend.asked('watch_mail')).toEqual([{ open: true }]);
    unmount();
    await vi.waitFor(() => expect(backend.asked('watch_mail')).toEqual([{ open: true }, { open: false }]));
  });

  test('nothing is watched before a list was read', async () => {
    const { backend } = await open({ answers: { 'mail.list': () => failure('Home refused the sign-in.') } });
    expect(backend.asked('watch_mail')).toEqual([]);
  });
});

describe('errors', () => {
  const problem = { mailbox: 'Home', problem: 'Home: the server did not answer in 30 s.', remedy: 'Try again later.' };

  test('a failing mailbox keeps its messages, with the reason and the remedy', async () => {
    let answers = 0;
    const list = () => (++answers === 1 ? answer({ total: 4, messages: mailRows }) : answer({ total: 2, messages: mailRows.slice(0, 2), problems: [problem] }));
    const { asked } = await open({ answers: { 'mail.list': list } });
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
    expect(rows()).toHaveLength(4);
    expect(screen.getByText(/Home: the server did not answer in 30 s\./)).toHaveTextContent(/Its mails are shown as of \d\d:\d\d\. Try again later\./);
    expect(screen.getByRole('radio', { name: /^Home.*does not answer$/ })).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(asked('mail.list')).toHaveLength(3);
  });

  test('a refused sign-in links to the settings, and loaded messages stay', async () => {
    const error = { code: 'sign_in_refused' as const, message: 'Work refused the sign-in.', hint: 'Set the password.' };
    let refused = false;
    const { store } = await open({ answers: { 'mail.list': () => (refused ? { ...failure(''), error } : answer({ total: 4, messages: mailRows })) } });
    refused = true;
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
    expect(screen.getByRole('alert')).toHaveTextContent('Work refused the sign-in.');
    expect(rows()).toHaveLength(4);
    await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
    expect(store.get().app.view).toEqual({ kind: 'settings', page: 'skills', skill: 'mail' });
  });

  test('a refused sign-in is distinguished from a mailbox that does not answer', async () => {
    const problems = [{ mailbox: 'Home', code: 'sign_in_refused', problem: 'Home refused the sign-in: no.', remedy: 'Set the password.' }];
    const { store } = await open({ answers: { 'mail.list': () => answer({ total: 2, messages: mailRows.slice(0, 2), problems }) } });
    expect(screen.getByText(/^Home refused the sign-in: no\./)).toHaveTextContent(/^Home refused the sign-in: no\. Set the password\./);
    expect(screen.getByRole('radio', { name: /^Home.*sign-in refused$/ })).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
    expect(store.get().app.view).toEqual({ kind: 'settings', page: 'skills', skill: 'mail' });
  });

  test('offline the time of the list is shown', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    await open();
    expect(screen.getByText(/^Offline\. Mails as of \d\d:\d\d\.$/)).toBeVisible();
  });

  test('without a mailbox nothing is requested, and one can be added', async () => {
    const { asked, store } = await open({ skill: { state: 'unavailable', reason: 'It needs mailboxes.' } });
    expect(asked('mail.list')).toEqual([]);
    await userEvent.click(screen.getByRole('button', { name: 'Add a mailbox' }));
    expect(store.get().app.view).toEqual({ kind: 'settings', page: 'skills', skill: 'mail' });
  });
});

describe('a conversation', () => {
  test('J and K move, Enter opens, Esc goes back', async () => {
    const { press } = await open();
    press('j');
    press('j');
    expect(rows()[1]).toHaveFocus();
    press('k');
    await userEvent.keyboard('{Enter}');
    const shown = screen.getByTestId('mail-conversation');
    expect(shown).toHaveTextContent('3 mails');
    expect(within(shown).getByRole('button', { name: /^You.*first version of the quote.*12 Nov$/ })).toHaveAttribute('aria-expanded', 'false');
    expect(within(shown).getByTestId('mail-text')).toHaveTextContent('Hello Sam,');
    press('Escape');
    expect(screen.queryByTestId('mail-conversation')).toBeNull();
  });

  test('the sender is verified, and the reply address is shown', async () => {
    await open();
    await openFirst();
    const message = screen.getByTestId('mail-message');
    expect(message).toHaveTextContent('Ilse Brandvik ilse@fernhill.example to you and 1 more');
    expect(screen.getByTestId('mail-trust')).toHaveTextContent('Sent by fernhill.example, SPF and DKIM passed');
    expect(screen.getByTestId('mail-trust')).toHaveClass('text-ok');
    expect(screen.getByTestId('mail-warning')).toHaveTextContent('A reply would go to orders@fernhill-sales.example');
    expect(message).toHaveTextContent('Loads, cold store 2.pdf 284 KB');
    expect(message).toHaveTextContent('2 remote images not loaded.');
    expect((await violations()).filter((one) => !/^(landmark-one-main|page-has-heading-one)/.test(one)).join('\n')).toBe('');
  });

  test('an unverified sender is red, with one warning', async () => {
    const read = { ...mailRead, verified: false, sender: 'Not verified: DKIM failed for fernhill.example.', warnings: ['Your server could not verify that fernhill.example sent it.'] };
    await open({ answers: { 'mail.show': () => answer(read) } });
    await openFirst();
    expect(screen.getByTestId('mail-trust')).toHaveClass('text-danger');
    expect(screen.queryByTestId('mail-warning')).toBeNull();
  });

  test('untrusted content is text, and a link opens outside', async () => {
    const html = '<img src="x" onerror="y"><script>x</script>';
    const read = { ...mailRead, text: `${html}\n\nsite folder (files.fernhill.example)` };
    const { backend } = await open({ answers: { 'mail.show': () => answer(read) } });
    await openFirst();
    const text = screen.getByTestId('mail-text');
    expect(text).toHaveTextContent(html);
    expect(text.querySelector('img, script')).toBeNull();
    await userEvent.click(within(text).getByRole('button', { name: 'site folder' }));
    expect(text).toHaveTextContent('site folder files.fernhill.example');
    expect(backend.asked('open_link')).toEqual([{ url: 'https://files.fernhill.example/2' }]);
  });

  test('beside the chat it replaces the list', async () => {
    const { press } = await open({ wide: false });
    await openFirst();
    expect(rows()).toHaveLength(0);
    await userEvent.click(screen.getByRole('button', { name: 'Back to the list' }));
    expect(rows()).toHaveLength(4);
    await openFirst();
    press('Escape', screen.getByTestId('skill-panel'));
    expect(rows()).toHaveLength(4);
  });

  test('a question about it is started in the composer', async () => {
    const { store } = await open();
    await openFirst();
    await userEvent.click(screen.getByRole('button', { name: 'More for this mail' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Ask about it' }));
    const draft = Object.values(store.get().app.drafts)[0];
    expect(draft?.text).toBe('About the mail “Revised quote, cold store 2” from ilse@fernhill.example (Work/INBOX/1.9): ');
    expect(draft?.skills).toEqual(['mail']);
  });
});

describe('actions on a message', () => {
  test('are hidden without their tools', async () => {
    const { press, asked } = await open();
    await openFirst();
    for (const name of ['Reply', 'Archive', 'Move', 'New mail']) expect(screen.queryByRole('button', { name })).toBeNull();
    expect(screen.queryByRole('button', { name: /to vault/ })).toBeNull();
    for (const key of ['e', '#', 'u', 'r']) press(key);
    expect(['mail.archive', 'mail.delete', 'mail.mark'].flatMap(asked)).toEqual([]);
  });

  test('E archives, # deletes, U marks, and the next message is shown', async () => {
    const { press, asked } = await open({ tools: EVERY, answers: { 'mail.archive': done, 'mail.delete': done, 'mail.mark': done, 'mail.list': () => answer({ total: 4, messages: mailRows }) } });
    await openFirst();
    press('u');
    await act(async () => {});
    expect(asked('mail.mark')).toEqual([{ ids: ['Work/INBOX/1.9'], as: 'read' }]);
    press('e');
    await act(async () => {});
    expect(asked('mail.archive')).toEqual([{ ids: ['Work/INBOX/1.9'] }]);
    expect(within(screen.getByTestId('mail-conversation')).getByText('Kick-off on 11 January')).toBeVisible();
    press('#', undefined, { shiftKey: true });
    await act(async () => {});
    expect(asked('mail.delete')).toEqual([{ ids: ['Work/INBOX/1.8'] }]);
    expect(screen.getAllByTestId('undo-bar').at(-1)).toHaveTextContent('Deleted Kick-off on 11 January');
  });

  test('that are refused leave the message in place', async () => {
    const { press } = await open({ tools: EVERY, answers: { 'mail.archive': () => failure('There is no archive.') } });
    await openFirst();
    press('e');
    await act(async () => {});
    expect(rows()).toHaveLength(4);
    expect(screen.getByTestId('call-failed')).toHaveTextContent('Archive Revised quote, cold store 2: There is no archive.');
    expect(within(screen.getByTestId('call-failed')).queryByRole('button', { name: /^Edit/ })).toBeNull();
  });

  test('include moving to a folder of its own mailbox', async () => {
    const { asked } = await open({ tools: EVERY, answers: { 'mail.move': done } });
    await openFirst();
    await userEvent.click(screen.getByRole('button', { name: 'Move' }));
    const menu = await screen.findByRole('menu');
    expect(within(menu).queryByText('Trash')).toBeNull();
    await userEvent.click(within(menu).getByText('Projects'));
    expect(asked('mail.move')).toEqual([{ ids: ['Work/INBOX/1.9'], to: 'Projects' }]);
  });

  test('are unavailable in a read-only mailbox', async () => {
    const folders = [{ ...mailFolders[0]!, read_only: true }, mailFolders[1]!];
    const { press, asked } = await open({ tools: EVERY, answers: { 'mail.folders': () => answer({ mailboxes: folders }) } });
    await openFirst();
    for (const key of ['e', '#', 'u']) press(key);
    expect(screen.queryByRole('button', { name: 'Archive' })).toBeNull();
    expect(['mail.archive', 'mail.delete', 'mail.mark'].flatMap(asked)).toEqual([]);
  });

  test.each([
    ['run', [{ ids: ['Work/INBOX/1.9'], as: 'read' }]],
    ['ask', []],
    ['deny', []],
  ] as const)('an opened message is marked as read if the rules %s', async (verdict, marked) => {
    const { backend, asked } = await open({ tools: EVERY, answers: { 'mail.mark': done } });
    backend.on('try_rule', ({ tool }) => ({ tool, effect: 'external', verdict, decisions: [], rule: null, policy: null, reason: '' }));
    await openFirst();
    await act(async () => {});
    expect(asked('mail.mark')).toEqual(marked);
    expect(screen.queryByTestId('approval-card')).toBeNull();
  });
});

describe('an attachment', () => {
  const saved = ({ args }: { args: unknown }) => ({ ...answer({ path: `Files/${(args as { name: string }).name}`, link: '', bytes: 1 }), change_set: 'set1' });
  const withParts = (...names: string[]) => ({
    'mail.show': () => answer({ ...mailRead, attachments: names.map((name) => ({ name, type: 'text/csv', bytes: 4_096, kind: 'attachment' })) }),
    'mail.save_attachment': saved,
  });

  test('is saved to the vault with S, and opens from there', async () => {
    const { press, asked, backend } = await open({ tools: EVERY, answers: { 'mail.save_attachment': saved } });
    backend.on('open_note', () => ({}));
    await openFirst();
    press('s');
    const said = await screen.findByTestId('mail-saved');
    expect(asked('mail.save_attachment')).toEqual([{ id: 'Work/INBOX/1.9', name: 'Loads, cold store 2.pdf' }]);
    expect(said).toHaveTextContent('Saved as Files/Loads, cold store 2.pdf');
    expect(screen.queryByRole('button', { name: /to vault/ })).toBeNull();
    press('s');
    expect(asked('mail.save_attachment')).toHaveLength(1);
    await userEvent.click(within(said).getByRole('button', { name: 'Files/Loads, cold store 2.pdf' }));
    expect(backend.asked('open_note')).toEqual([{ path: 'Files/Loads, cold store 2.pdf' }]);
  });

  test('is saved once, even by a double click', async () => {
    let end = () => {};
    const slow = (call: { args: unknown }) => new Promise<ReturnType<typeof saved>>((done) => (end = () => done(saved(call))));
    const { press, asked } = await open({ tools: EVERY, answers: { 'mail.save_attachment': slow } });
    await openFirst();
    press('s');
    press('s');
    expect(screen.getByRole('button', { name: /to vault$/ })).toBeDisabled();
    await act(async () => end());
    expect(screen.getByTestId('mail-saved')).toBeVisible();
    expect(asked('mail.save_attachment')).toHaveLength(1);
  });

  test('can be saved again after undo', async () => {
    const { press } = await open({ tools: EVERY, answers: { 'mail.save_attachment': saved } });
    await openFirst();
    press('s');
    await screen.findByTestId('mail-saved');
    await userEvent.click(screen.getByRole('button', { name: /^Undo/ }));
    expect(await screen.findByRole('button', { name: 'Save Loads, cold store 2.pdf to vault' })).toBeVisible();
    expect(screen.queryByTestId('mail-saved')).toBeNull();
  });

  test('is identified by its index if names repeat', async () => {
    const { asked } = await open({ tools: EVERY, answers: withParts('a.csv', 'b.csv', 'a.csv') });
    await openFirst();
    for (const button of screen.getAllByRole('button', { name: /to vault$/ })) await userEvent.click(button);
    const id = 'Work/INBOX/1.9';
    expect(asked('mail.save_attachment')).toEqual([
      { id, name: 'a.csv', number: 1 },
      { id, name: 'b.csv' },
      { id, name: 'a.csv', number: 2 },
    ]);
  });

  test('says why it was not saved', async () => {
    await open({ tools: EVERY, answers: { 'mail.save_attachment': () => failure('a.exe is a program.', 'Do not open it.') } });
    await openFirst();
    await userEvent.click(screen.getByRole('button', { name: 'Save Loads, cold store 2.pdf to vault' }));
    expect(await screen.findByTestId('call-failed')).toHaveTextContent(/a\.exe is a program\..*Do not open it\./);
    expect(screen.queryByTestId('mail-saved')).toBeNull();
  });

  test('is imported into the budget if it is a bank’s file', async () => {
    const budget = panelOf('budget', 'Budget', [{ title: 'Month', actions: [{ label: 'Import', tool: 'import_transactions', import: true }], parts: [] }]);
    const review = { 'budget.import_transactions': () => answer(reviewValue()) };
    const { asked } = await open({ tools: EVERY, answers: { ...withParts('Statement.csv', 'Offer.pdf'), ...review }, beside: [budget] });
    await openFirst();
    expect(screen.getAllByRole('button', { name: /^Import / })).toHaveLength(1);
    await userEvent.click(screen.getByRole('button', { name: 'Import Statement.csv into Budget' }));
    expect(within(await screen.findByTestId('import-sheet')).getByText('Statement.csv')).toBeVisible();
    expect(asked('mail.save_attachment')).toEqual([{ id: 'Work/INBOX/1.9', name: 'Statement.csv' }]);
    expect(asked('budget.import_transactions')[0]).toEqual({ path: 'Files/Statement.csv', review: true });
  });

  test('cannot be imported without an importing skill', async () => {
    await open({ tools: EVERY, answers: withParts('Statement.csv') });
    await openFirst();
    expect(screen.queryByRole('button', { name: /^Import / })).toBeNull();
  });
});
