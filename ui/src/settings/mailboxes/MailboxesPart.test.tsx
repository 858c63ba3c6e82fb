import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { MailboxRow } from '../../ipc';
import { violations } from '../../testing/axe';
import { renderInApp } from '../../testing/render';
import { failedTest, foundServers, passedTest, sampleMailbox } from '../../testing/sample/mailboxes';
import { MailboxesPart } from './MailboxesPart';

const setup = (mailboxes: MailboxRow[] = [], problem: string | null = null) => ({
  ...renderInApp(
    <main>
      <h1>Skills</h1>
      <h2>Mail</h2>
      <MailboxesPart problem={problem} />
    </main>,
    { world: { mailboxes } },
  ),
  user: userEvent.setup(),
});
const row = async (name: string) =>
  waitFor(() => within(screen.getAllByTestId('mailbox-row').find((one) => one.dataset['mailbox'] === name)!));

test('each mailbox shows its state, Nova’s rights and the next step', async () => {
  const work = sampleMailbox({ tested: failedTest('sign_in', 'The server does not accept the user and the password: [AUTH] No.', true) }, { name: 'Work', sending: true });
  const club = sampleMailbox({ password: 'not_granted', credential: 'mail/club' }, { name: 'Club', read_only: true });
  setup([sampleMailbox(), work, club, sampleMailbox({ password: 'missing' }, { name: 'Old', smtp: '' })]);
  const home = await row('Home');
  expect(home.getByText(/^Ready · tested/)).toBeVisible();
  expect(home.getByText(/^Sign-in for sending, smtp\.example\.org:465/)).not.toBeVisible();
  const refused = await row('Work');
  expect(refused.getByText(/^Sign-in refused/)).toBeVisible();
  expect(refused.getByTestId('mailbox-test')).toBeVisible();
  expect(refused.getByTestId('mailbox-test')).toHaveTextContent('[AUTH] No. Check the user and the password.');
  expect(refused.getByText(/asks before each mail it sends/)).toBeVisible();
  const notGranted = await row('Club');
  expect(notGranted.getByTestId('mailbox-grant')).toHaveTextContent('May Mail send the password mail/club to imap.example.org:993 and smtp.example.org:465?');
  expect(notGranted.getByText('Not from a read-only mailbox')).toBeVisible();
  const old = await row('Old');
  expect(old.getByRole('button', { name: 'Test Old' })).toBeDisabled();
  expect(old.getByText('Needs an SMTP server')).toBeVisible();
  expect(old.getByRole('radio', { name: 'Ask' })).toBeDisabled();
  expect(await violations()).toEqual([]);
});

test('switches, Test and the grant go to the backend; a refusal is shown in its row', async () => {
  const { backend, user } = setup([sampleMailbox(), sampleMailbox({ password: 'not_granted' }, { name: 'Club' })]);
  backend.on('set_mailbox', () => backend.list_mailboxes()).on('test_mailbox', () => backend.list_mailboxes());
  await user.click((await row('Home')).getByRole('radio', { name: 'Ask' }));
  await user.click((await row('Home')).getByRole('switch', { name: 'Home read only' }));
  await user.click((await row('Home')).getByRole('button', { name: 'Test Home' }));
  await user.click((await row('Club')).getByRole('button', { name: 'Allow and test Club' }));
  await user.click((await row('Home')).getByText('Last test'));
  expect((await row('Home')).getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Encrypted connection, imap.example.org:993: done',
    'Sign-in, imap.example.org:993: done',
    'Folders, imap.example.org:993: done',
    'Encrypted connection for sending, smtp.example.org:465: done',
    'Sign-in for sending, smtp.example.org:465: done',
  ]);
  expect(backend.asked('set_mailbox')).toEqual([
    { name: 'Home', sending: true },
    { name: 'Home', read_only: true },
  ]);
  expect(backend.asked('test_mailbox')).toEqual([
    { name: 'Home', grant: false },
    { name: 'Club', grant: true },
  ]);
  backend.fail('test_mailbox', { message: 'The keychain is locked.' });
  await user.click((await row('Home')).getByRole('button', { name: 'Test Home' }));
  expect(await (await row('Home')).findByRole('alert')).toHaveTextContent('The keychain is locked.');
});

test('removal asks first and keeps the password by default', async () => {
  const { backend, user } = setup([sampleMailbox()]);
  backend.on('remove_mailbox', () => ({ mailboxes: [] }));
  await user.click((await row('Home')).getByRole('button', { name: 'Remove Home' }));
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(backend.asked('remove_mailbox')).toEqual([]);
  await user.click((await row('Home')).getByRole('button', { name: 'Remove Home' }));
  await user.click(screen.getByTestId('mailbox-remove'));
  await user.click((await row('Home')).getByRole('button', { name: 'Remove Home' }));
  await user.click(screen.getByRole('checkbox', { name: /Remove its password/ }));
  await user.click(screen.getByTestId('mailbox-remove'));
  expect(backend.asked('remove_mailbox')).toEqual([
    { name: 'Home', password: false },
    { name: 'Home', password: true },
  ]);
});

const begin = async (found = foundServers()) => {
  const rendered = setup();
  const { backend, user } = rendered;
  backend.on('find_mail_servers', () => found);
  await user.click(await screen.findByTestId('mailbox-add'));
  expect(screen.getByLabelText('Address')).toHaveFocus();
  await user.keyboard('jane@example.org{Enter}');
  await screen.findByTestId('found-servers');
  return rendered;
};

test('by keyboard: an address leads to servers, a password, a test and a mailbox', async () => {
  const { backend, user } = await begin(foundServers({ elsewhere: ['smtp.fernhill.example'], smtp: 'smtp.fernhill.example' }));
  expect(backend.asked('find_mail_servers')).toEqual([{ address: 'jane@example.org' }]);
  const found = screen.getByTestId('found-servers');
  expect(found).toHaveTextContent('Fernhill Mail, named by autoconfig.example.org. Nothing is stored yet.');
  expect(found).toHaveTextContent('imap.example.org for reading (IMAP), encrypted from the first byte (TLS)');
  expect(found).toHaveTextContent('smtp.fernhill.example for sending (SMTP), encrypted by STARTTLS');
  expect(screen.getByTestId('found-elsewhere')).toHaveTextContent('smtp.fernhill.example is not at example.org. Your password goes there.');
  expect(screen.getByLabelText('Password')).toHaveFocus();
  expect(screen.getByTestId('mailbox-save')).toBeDisabled();
  expect(await violations()).toEqual([]);

  backend.on('save_mailbox', () => {
    backend.world.mailboxes = [sampleMailbox({}, { name: 'Fernhill Mail' })];
    return { saved: true, test: passedTest };
  });
  await user.keyboard('geheim{Enter}');
  expect(await row('Fernhill Mail')).toBeTruthy();
  expect(screen.queryByTestId('mailbox-form')).toBeNull();
  const mailbox = { name: 'Fernhill Mail', imap: 'imap.example.org', smtp: 'smtp.fernhill.example', user: 'jane@example.org', sign_in: null, address: '', checked_by: '', sending: false, read_only: false };
  expect(backend.asked('save_mailbox')).toEqual([{ mailbox, password: 'geheim', untested: false }]);
  expect(document.body).not.toHaveTextContent('geheim');
});

test('a failed test stores nothing unless the user insists', async () => {
  const { backend, user } = await begin();
  backend.on('save_mailbox', ({ untested }) => ({ saved: untested, test: untested ? null : failedTest('sign_in', 'The server does not accept it.', true) }));
  await user.keyboard('wrong{Enter}');
  expect(await screen.findByText('The test failed. Nothing was stored.')).toBeVisible();
  expect(screen.getByTestId('mailbox-test')).toHaveTextContent('Sign-in, imap.example.org:993: failedThe server does not accept it.');
  await user.type(screen.getByLabelText('Password'), 'x');
  expect(screen.queryByTestId('mailbox-save-anyway')).toBeNull();
  await user.keyboard('{Enter}');
  await user.click(await screen.findByTestId('mailbox-save-anyway'));
  await waitFor(() => expect(screen.queryByTestId('mailbox-form')).toBeNull());
  expect(backend.asked('save_mailbox').map(({ untested }) => untested)).toEqual([false, false, true]);
});

test('a running test can be neither closed nor restarted', async () => {
  const { backend, user } = await begin();
  let end: (saved: { saved: boolean; test: null }) => void = () => undefined;
  backend.on('save_mailbox', () => new Promise((resolve) => (end = resolve)));
  await user.keyboard('geheim{Enter}{Enter}{Escape}');
  expect(screen.getByTestId('mailbox-save')).toBeDisabled();
  expect(screen.getByTestId('mailbox-save')).toHaveTextContent('Testing…');
  expect(screen.getByRole('button', { name: 'Close' })).toBeDisabled();
  end({ saved: true, test: null });
  await waitFor(() => expect(screen.queryByTestId('mailbox-form')).toBeNull());
  expect(backend.asked('save_mailbox')).toHaveLength(1);
});

test('an invalid edit shows the reason, and Escape closes the form', async () => {
  const { backend, user } = await begin({ ...foundServers(), found: null, without: [{ host: 'example.org', reason: 'It answered 404.' }] });
  expect(screen.getByTestId('found-servers')).toHaveTextContent('No servers found for example.org.');
  expect(screen.getByText('example.org: It answered 404.')).toBeInTheDocument();
  expect(screen.getByLabelText('IMAP server')).toHaveFocus();
  await user.keyboard('imap example');
  await user.type(screen.getByLabelText('Password'), 'geheim');
  backend.fail('save_mailbox', { message: '"imap example" is not an IMAP server.' });
  await user.keyboard('{Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent('"imap example" is not an IMAP server.');
  await user.keyboard('{Escape}');
  expect(screen.queryByTestId('mailbox-form')).toBeNull();
});

test('an invalid address, and servers entered manually', async () => {
  const { backend, user } = setup();
  backend.fail('find_mail_servers', { message: '"jane@x" is not a mailbox address.' });
  await user.click(await screen.findByTestId('mailbox-add'));
  await user.keyboard('jane@x{Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent('is not a mailbox address.');
  await user.click(screen.getByRole('button', { name: 'Enter them myself' }));
  expect(screen.getByLabelText('User')).toHaveValue('jane@x');
  await user.click(screen.getByRole('button', { name: 'Another address' }));
  expect(screen.getByLabelText('Address')).toHaveValue('jane@x');
});

test('a locked store asks for its passphrase and continues', async () => {
  const { backend, user } = await begin();
  backend.fail('save_mailbox', { code: 'passphrase_needed', message: 'The file is locked.' });
  await user.keyboard('geheim{Enter}');
  await user.type(await screen.findByTestId('passphrase'), 'correct horse');
  backend.on('unlock_credentials', () => backend.list_credentials()).on('save_mailbox', () => ({ saved: true, test: null }));
  await user.keyboard('{Enter}');
  await waitFor(() => expect(screen.queryByTestId('mailbox-form')).toBeNull());
});

test('an edit keeps the password unless a new one is entered', async () => {
  const { backend, user } = setup([sampleMailbox()]);
  backend.on('save_mailbox', () => ({ saved: true, test: null }));
  await user.click((await row('Home')).getByRole('button', { name: 'Edit Home' }));
  const name = screen.getByLabelText('Name');
  await user.clear(name);
  await user.type(name, 'House{Enter}');
  const mailbox = { ...sampleMailbox().mailbox, name: 'House' };
  await waitFor(() => expect(backend.asked('save_mailbox')).toEqual([{ before: 'Home', mailbox, untested: false }]));
});

test('without a mailbox and with a broken file the section says so', async () => {
  setup([], 'The mailboxes are not used: 1 is not of type "array".');
  expect(await screen.findByText(/No mailboxes yet\./)).toBeVisible();
  expect(screen.getByText(/is not of type "array"/)).toBeVisible();
});

test('a mailbox at Google is added, signed in to and tested', async () => {
  const { backend, user } = await begin(foundServers({ provider: 'Gmail', sign_in: 'google' }));
  expect(screen.getByRole('radio', { name: 'Google' })).toBeChecked();
  expect(screen.queryByLabelText('Password')).toBeNull();
  expect(screen.getByTestId('sign-in-needs')).toHaveTextContent('set sign-in/GOOGLE_MAIL_CLIENT_ID and sign-in/GOOGLE_MAIL_CLIENT_SECRET in Credentials');
  expect(await violations()).toEqual([]);
  backend.on('save_mailbox', ({ mailbox }) => {
    backend.world.mailboxes = [sampleMailbox({ password: 'needs_sign_in', reason: 'mail/home needs a sign-in: nobody has signed in yet.', sign_in_host: 'accounts.google.com', tested: null }, mailbox)];
    return { saved: true, test: null };
  });
  await user.click(screen.getByTestId('mailbox-save'));
  const added = await row('Gmail');
  expect(added.getByText(/^Needs sign-in: /)).toBeVisible();
  expect(added.getByTestId('mailbox-sign-in')).toHaveTextContent('Your browser opens accounts.google.com');
  expect(backend.asked('save_mailbox')).toEqual([expect.not.objectContaining({ password: expect.anything() as unknown })]);

  backend.fail('sign_in', { message: 'The credential sign-in/GOOGLE_MAIL_CLIENT_ID is missing.' });
  await user.click(added.getByRole('button', { name: 'Sign in with Google: Gmail' }));
  expect(await (await row('Gmail')).findByRole('alert')).toHaveTextContent('sign-in/GOOGLE_MAIL_CLIENT_ID is missing');
  expect(backend.asked('test_mailbox')).toEqual([]);

  backend
    .on('sign_in', () => backend.list_credentials())
    .on('test_mailbox', () => {
      backend.world.mailboxes = [sampleMailbox({ sign_in_host: 'accounts.google.com' }, { name: 'Gmail', sign_in: 'google' })];
      return backend.list_mailboxes();
    });
  await user.click((await row('Gmail')).getByRole('button', { name: 'Sign in with Google: Gmail' }));
  expect(await (await row('Gmail')).findByText('Signed in with Google.')).toBeVisible();
  expect(backend.asked('sign_in').at(-1)).toEqual({ name: 'mail/home', host: 'accounts.google.com' });
  expect(backend.asked('test_mailbox')).toEqual([{ name: 'Gmail', grant: true }]);
  expect(await violations()).toEqual([]);

  backend.on('remove_credential', () => backend.list_credentials());
  await user.click((await row('Gmail')).getByRole('button', { name: 'Sign out of Gmail' }));
  await waitFor(() => expect(backend.asked('remove_credential')).toEqual([{ name: 'mail/home' }]));
});
