// Converts a mail being written to tool arguments. Pure.

import type { Row } from '../skill/answer';
import type { Writing } from './state';

export interface Written {
  readonly mailbox: string;
  readonly to: string;
  readonly cc: string;
  readonly bcc: string;
  readonly subject: string;
  readonly text: string;
  /** Paths of files in the vault, one per line. */
  readonly attachments: string;
  /** Reply to all recipients. */
  readonly all: boolean;
  /** The draft of an attempt to send it that may have succeeded. */
  readonly draft: string | null;
}

export const emptyWritten = (mailbox: string): Written => ({ mailbox, to: '', cc: '', bcc: '', subject: '', text: '', attachments: '', all: false, draft: null });

/** Typed addresses: `Jane <jane@a.example>, joe@b.example`. A comma within quotes is part of a name. */
export function addressesIn(typed: string): string[] {
  const parts = typed.match(/(?:"[^"]*"|[^,;\n"])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

export function pathsIn(typed: string): string[] {
  return typed
    .split('\n')
    .map((path) => path.trim().replace(/^!?\[\[(.+)\]\]$/, '$1'))
    .filter((path) => path !== '');
}

/** Why it cannot be sent yet; empty if it can. */
export function missingIn(written: Written, writing: Writing): string {
  if (written.text.trim() === '') return 'Enter a text.';
  if (writing.kind === 'reply') return '';
  const all = [...addressesIn(written.to), ...addressesIn(written.cc), ...addressesIn(written.bcc)];
  const wrong = all.find((one) => !/^[^\s@]+@[^\s@]+$/.test(/<([^<>]*)>$/.exec(one)?.[1] ?? one));
  if (wrong !== undefined) return `“${wrong}” is not an address.`;
  if (addressesIn(written.to).length === 0) return 'Add a recipient.';
  return written.subject.trim() === '' ? 'Add a subject.' : '';
}

/** Arguments of `mail.reply`, or of `mail.send`. */
export function sendArgs(written: Written, writing: Writing): Row {
  const rest = { ...filesOf(written), ...(written.draft === null ? {} : { draft: written.draft }) };
  if (writing.kind === 'reply') return { id: writing.to.id, text: written.text, ...(written.all ? { all: true } : {}), ...rest };
  return { ...addressed(written), subject: written.subject.trim(), text: written.text, ...rest };
}

/** Arguments of `mail.draft`. */
export function draftArgs(written: Written, writing: Writing): Row {
  const { to, ...rest } = addressed(written);
  const files = filesOf(written);
  if (writing.kind === 'reply') return { reply_to: writing.to.id, text: written.text, ...(written.all ? { all: true } : {}), ...files };
  return { ...rest, ...(Array.isArray(to) && to.length > 0 ? { to } : {}), ...(written.subject.trim() === '' ? {} : { subject: written.subject.trim() }), text: written.text, ...files };
}

function filesOf({ attachments }: Written): Row {
  const paths = pathsIn(attachments);
  return paths.length === 0 ? {} : { attachments: paths };
}

function addressed({ mailbox, to, cc, bcc }: Written): Row {
  const [copies, blind] = [addressesIn(cc), addressesIn(bcc)];
  return {
    ...(mailbox === '' ? {} : { mailbox }),
    to: addressesIn(to),
    ...(copies.length === 0 ? {} : { cc: copies }),
    ...(blind.length === 0 ? {} : { bcc: blind }),
  };
}
