// State of a mailbox form: an address, its detected servers, the entry, its password and its test.

import type { FoundMailServers, MailboxEntry, MailboxTest, UserError } from '../../ipc';

export interface Editing {
  /** The name of the edited mailbox; none for a new one. */
  readonly before: string | null;
  /** `address` until servers were detected or are to be entered. */
  readonly step: 'address' | 'servers';
  readonly address: string;
  readonly found: FoundMailServers | null;
  readonly entry: MailboxEntry;
  readonly password: string;
  readonly busy: 'finding' | 'saving' | null;
  /** The failed test of the current entry. */
  readonly test: MailboxTest | null;
  readonly problem: UserError | null;
}

export type EditingAction =
  | { readonly type: 'address'; readonly address: string }
  | { readonly type: 'find' }
  | { readonly type: 'found'; readonly found: FoundMailServers }
  /** Skips the detection. */
  | { readonly type: 'by hand' }
  | { readonly type: 'back' }
  | { readonly type: 'entry'; readonly change: Partial<MailboxEntry> }
  | { readonly type: 'password'; readonly password: string }
  | { readonly type: 'save' }
  | { readonly type: 'failed'; readonly test: MailboxTest | null }
  | { readonly type: 'refused'; readonly problem: UserError };

const emptyEntry: MailboxEntry = { name: '', imap: '', smtp: '', user: '', sign_in: null, address: '', checked_by: '', sending: false, read_only: false };

export const newMailbox: Editing = {
  before: null,
  step: 'address',
  address: '',
  found: null,
  entry: emptyEntry,
  password: '',
  busy: null,
  test: null,
  problem: null,
};

export function editingOf(entry: MailboxEntry): Editing {
  return { ...newMailbox, before: entry.name, step: 'servers', entry };
}

export function reduceEditing(state: Editing, action: EditingAction): Editing {
  switch (action.type) {
    case 'address':
      return { ...state, address: action.address, problem: null };
    case 'find':
      return { ...state, busy: 'finding', problem: null };
    case 'found':
      return { ...state, busy: null, step: 'servers', found: action.found, entry: entryFor(action.found) };
    case 'by hand': {
      const address = state.address.trim();
      return { ...state, step: 'servers', found: null, problem: null, entry: { ...emptyEntry, name: domainOf(address), user: address } };
    }
    case 'back':
      return { ...newMailbox, address: state.address };
    case 'entry':
      return { ...state, entry: { ...state.entry, ...action.change }, test: null, problem: null };
    case 'password':
      return { ...state, password: action.password, test: null, problem: null };
    case 'save':
      return { ...state, busy: 'saving', test: null, problem: null };
    case 'failed':
      return { ...state, busy: null, test: action.test };
    case 'refused':
      return { ...state, busy: null, problem: action.problem };
  }
}

function entryFor({ address, domain, found }: FoundMailServers): MailboxEntry {
  const user = found?.user ?? address;
  return {
    ...emptyEntry,
    name: (found?.provider ?? domain).slice(0, 60),
    imap: found?.imap ?? '',
    smtp: found?.smtp ?? '',
    user,
    sign_in: found?.sign_in ?? null,
    address: user === address ? '' : address,
  };
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).slice(0, 60);
}

/** Whether the entry can be tested or saved; the backend validates it. */
export function isComplete({ before, entry, password, busy }: Editing): boolean {
  const filled = [entry.name, entry.imap, entry.user].every((text) => text.trim() !== '');
  return busy === null && filled && (before !== null || entry.sign_in !== null || password !== '');
}

/** Not where the servers that were found are of no provider that is known. */
export function offersProviders({ entry, found }: Editing): boolean {
  return entry.sign_in !== null || found === null || found.found === null || found.found.sign_in !== null;
}

/** What a save does first: with a sign-in there is nothing to test yet. */
export function saveLabel({ before, busy, entry, password }: Editing): string {
  if (entry.sign_in !== null) return busy === 'saving' ? 'Saving…' : before === null ? 'Add' : 'Save';
  if (busy === 'saving') return 'Testing…';
  if (before === null) return 'Test and add';
  return password === '' ? 'Save' : 'Test and save';
}

/** The encryption is only known for detected servers; otherwise it follows from `port`. */
export function encryptionOf(found: FoundMailServers['found'], kind: 'imap' | 'smtp'): string {
  const starttls = kind === 'imap' ? found?.imap_starttls : found?.smtp_starttls;
  return starttls === true ? 'encrypted by STARTTLS' : 'encrypted from the first byte (TLS)';
}
