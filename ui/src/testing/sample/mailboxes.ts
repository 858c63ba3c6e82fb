// Mailboxes in the settings, and servers detected for an address.

import type { FoundMailServers, MailboxEntry, MailboxRow, MailboxStep, MailboxTest } from '../../ipc';

export const passedTest: MailboxTest = {
  at: '2026-11-24T14:03:00Z',
  steps: [
    { step: 'connect', server: 'imap.example.org:993', problem: null },
    { step: 'sign_in', server: 'imap.example.org:993', problem: null },
    { step: 'folders', server: 'imap.example.org:993', problem: null },
    { step: 'connect_to_send', server: 'smtp.example.org:465', problem: null },
    { step: 'sign_in_to_send', server: 'smtp.example.org:465', problem: null },
  ],
  unread: 3,
};

/** The same test, failed at this step. */
export function failedTest(step: MailboxStep['step'], message: string, refused = false): MailboxTest {
  const at = passedTest.steps.findIndex((one) => one.step === step);
  const problem = { message, hint: 'Check the user and the password.', refused };
  return { ...passedTest, unread: null, steps: passedTest.steps.slice(0, at + 1).map((one) => (one.step === step ? { ...one, problem } : one)) };
}

export function sampleMailbox(row: Partial<MailboxRow> = {}, entry: Partial<MailboxEntry> = {}): MailboxRow {
  const mailbox = { name: 'Home', imap: 'imap.example.org', smtp: 'smtp.example.org', user: 'jane@example.org', sign_in: null, address: '', checked_by: '', sending: false, read_only: false, ...entry };
  return { mailbox, credential: 'mail/home', password: 'kept', reason: null, sign_in_host: mailbox.sign_in === null ? null : 'accounts.example.org', servers: ['imap.example.org:993', 'smtp.example.org:465'], tested: passedTest, ...row };
}

export function foundServers(change: Partial<NonNullable<FoundMailServers['found']>> = {}): FoundMailServers {
  const found = {
    provider: 'Fernhill Mail',
    from: 'autoconfig.example.org',
    from_database: false,
    imap: 'imap.example.org',
    smtp: 'smtp.example.org:587',
    imap_starttls: false,
    smtp_starttls: true,
    user: 'jane@example.org',
    sign_in: null,
    elsewhere: [],
    left_out: [],
    ...change,
  };
  return { address: 'jane@example.org', domain: 'example.org', found, without: [] };
}
