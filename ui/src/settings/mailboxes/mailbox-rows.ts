// Texts of the mailbox page: state, test steps, and Nova's rights.

import type { MailboxEntry, MailboxRow, MailboxStep, MailboxTest } from '../../ipc';
import { counted, whenText } from '../../shared';

export interface MailboxState {
  /** Classes of the dot. */
  readonly dot: string;
  readonly text: string;
}

export function stateOf(row: MailboxRow, now: Date = new Date()): MailboxState {
  if (row.servers.length === 0) return { dot: 'bg-danger', text: 'Not used: its IMAP server is invalid. Edit it' };
  if (row.password === 'needs_sign_in') return { dot: 'bg-warn', text: `Needs sign-in: ${row.reason ?? 'nobody has signed in yet'}` };
  if (row.mailbox.sign_in !== null && row.password === 'missing') return { dot: 'bg-warn', text: 'Needs sign-in' };
  if (row.password === 'missing') return { dot: 'bg-warn', text: 'Password missing' };
  if (row.password === 'unknown') return { dot: 'bg-warn', text: `Password not readable: ${row.reason ?? 'the credentials cannot be reached'}` };
  if (row.password === 'not_granted') return { dot: 'bg-warn', text: `${row.mailbox.sign_in === null ? 'Password' : 'Sign-in'} not allowed for these servers yet` };
  if (row.tested === null) return { dot: 'border border-fg-3', text: 'Not tested yet' };
  const at = whenText(row.tested.at, now);
  const failed = firstFailed(row.tested);
  if (failed) return { dot: failed.dot, text: `${failed.text} · tested ${at}` };
  const unread = row.tested.unread === null ? '' : `, ${counted(row.tested.unread, 'unread message')} then`;
  return { dot: 'bg-ok', text: `Ready · tested ${at}${unread}` };
}

/** What proves to its servers who the user is. */
export function secretOf({ sign_in }: Pick<MailboxEntry, 'sign_in'>): string {
  return sign_in === null ? 'password' : 'sign-in';
}

function firstFailed({ steps }: MailboxTest): MailboxState | null {
  const failed = steps.find(({ problem }) => problem !== null);
  if (!failed?.problem) return null;
  const sends = failed.step === 'connect_to_send' || failed.step === 'sign_in_to_send';
  if (failed.problem.refused) return { dot: 'bg-danger', text: sends ? 'Can be read; sign-in to send refused' : 'Sign-in refused' };
  if (failed.step === 'connect') return { dot: 'bg-danger', text: 'Not reached' };
  return { dot: 'bg-danger', text: sends ? 'Can be read; the SMTP server does not work' : 'Does not work' };
}

const steps: Record<MailboxStep['step'], string> = {
  connect: 'Encrypted connection',
  sign_in: 'Sign-in',
  folders: 'Folders',
  connect_to_send: 'Encrypted connection for sending',
  sign_in_to_send: 'Sign-in for sending',
};

export function stepText({ step, server }: MailboxStep): string {
  return `${steps[step]}, ${server}`;
}

export function hasPassed(test: MailboxTest): boolean {
  return test.steps.every(({ problem }) => problem === null);
}

/** What the skill does by itself, what it asks for, and what it never does. */
export function mayText({ read_only, sending }: Pick<MailboxEntry, 'read_only' | 'sending'>): string {
  if (read_only) return 'Nova reads it. It changes nothing and sends nothing.';
  const sends = sending ? 'asks before each mail it sends' : 'sends nothing';
  return `Nova reads it, asks before it moves, marks or deletes messages or saves a draft, and ${sends}.`;
}

/** Why sending is impossible regardless of the switch; null if it is possible. */
export function cannotSend({ read_only, smtp }: Pick<MailboxEntry, 'read_only' | 'smtp'>): string | null {
  if (read_only) return 'Not from a read-only mailbox';
  return smtp === '' ? 'Needs an SMTP server' : null;
}
