// Parses the output of the skill `mail`. Pure.

import type { JsonValue } from '../../ipc';
import { isRow, type Row } from '../skill/answer';

export interface Person {
  /** The sender's display name, or the address without one. */
  readonly name: string;
  /** In lower case. */
  readonly address: string;
}

/** A message in a list or a conversation. */
export interface Message {
  readonly id: string;
  readonly mailbox: string;
  /** Equal for all messages of a conversation. */
  readonly conversation: string;
  readonly from: Person;
  /** Recipients, as far as listed. */
  readonly to: string;
  readonly subject: string;
  /** `YYYY-MM-DD`, in the user's zone; empty if unknown. */
  readonly day: string;
  /** `HH:MM` */
  readonly time: string;
  /** The beginning of its text. */
  readonly text: string;
  readonly unread: boolean;
  readonly flagged: boolean;
  readonly answered: boolean;
  readonly attachments: boolean;
  readonly notVerified: boolean;
}

/** A mailbox that did not respond. */
export interface MailProblem {
  readonly mailbox: string;
  readonly code: string;
  readonly problem: string;
  readonly remedy: string;
}

export interface Listing {
  readonly messages: readonly Message[];
  /** Number of matches, including unlisted ones. */
  readonly total: number;
  readonly problems: readonly MailProblem[];
}

export interface Folder {
  readonly name: string;
  /** Its role: `inbox`, `sent`. */
  readonly role: string | null;
  /** `null` if not counted. */
  readonly unread: number | null;
}

export interface Mailbox {
  readonly name: string;
  /** The user's own, in lower case. */
  readonly address: string | null;
  readonly readOnly: boolean;
  readonly sends: boolean;
  readonly folders: readonly Folder[];
}

export interface Attachment {
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  /** `attachment`, `inline image`, `calendar`, `message`, `winmail` */
  readonly kind: string;
  /** The event of a calendar file. */
  readonly event: AttachedEvent | null;
}

/** An event to be added, or an invitation to one. */
export interface AttachedEvent {
  readonly uid: string;
  readonly title: string;
  /** `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM`, in `zone`. */
  readonly start: string;
  /** Like `start`; the last day of several. */
  readonly end: string;
  /** The user's if `null`. */
  readonly zone: string | null;
  readonly rule: string | null;
  readonly exceptions: boolean;
  readonly location: string;
  /** Further events of the file. */
  readonly more: number;
}

/** A link of the HTML part; `text` as in the message's text. */
export interface MailLink {
  readonly text: string;
  readonly url: string;
}

/** The HTML of a message, sanitised. */
export interface MailPage {
  /** The content of a body. */
  readonly html: string;
  /** Whether it sets colours. */
  readonly colours: boolean;
  readonly cut: boolean;
  readonly picturesNotLoaded: number;
  /** Hosts of those images. */
  readonly hosts: readonly string[];
  /** Hosts whose images could not be loaded, each with the reason. */
  readonly failed: readonly string[];
}

/** An opened message. */
export interface ReadMessage {
  readonly from: Person;
  /** Reply address in place of the sender; empty if unset. */
  readonly replyTo: string;
  readonly to: string;
  readonly cc: string;
  readonly moreRecipients: number;
  /** The verdict of the user's server on the sender, in one sentence. */
  readonly sender: string;
  /** `null` without evidence either way. */
  readonly verified: boolean | null;
  readonly warnings: readonly string[];
  readonly attachments: readonly Attachment[];
  readonly moreAttachments: number;
  readonly linesLeftOut: number;
  readonly isCut: boolean;
  readonly imagesNotLoaded: number;
  readonly text: string;
  readonly links: readonly MailLink[];
  /** `null` for a plain mail. */
  readonly page: MailPage | null;
}

/** `mailboxes` are all names, to find the mailbox of an id. */
export function listingIn(answer: JsonValue | null | undefined, mailboxes: readonly string[]): Listing {
  const messages = rows(answer, 'messages').flatMap((row) => messageIn(row, mailboxes) ?? []);
  const total = number(isRow(answer) ? answer['total'] : null);
  return { messages, total: Math.max(total, messages.length), problems: problemsOf(answer) };
}

export function problemsOf(answer: JsonValue | null | undefined): MailProblem[] {
  return rows(answer, 'problems').map((row) => ({ mailbox: text(row, 'mailbox'), code: text(row, 'code'), problem: text(row, 'problem'), remedy: text(row, 'remedy') }));
}

export function mailboxesIn(answer: JsonValue | null | undefined): Mailbox[] {
  return rows(answer, 'mailboxes').map((row) => ({
    name: text(row, 'mailbox'),
    address: text(row, 'address').toLowerCase() || null,
    readOnly: row['read_only'] === true,
    sends: row['sending'] === 'ask',
    folders: rows(row, 'folders').map((folder) => ({
      name: text(folder, 'folder'),
      role: text(folder, 'for') || null,
      unread: typeof folder['unread'] === 'number' ? folder['unread'] : null,
    })),
  }));
}

export function readIn(answer: JsonValue | null | undefined): ReadMessage | null {
  if (!isRow(answer) || typeof answer['text'] !== 'string') return null;
  const verified = answer['verified'];
  return {
    from: personIn(text(answer, 'from')),
    replyTo: text(answer, 'reply_to'),
    to: text(answer, 'to'),
    cc: text(answer, 'cc'),
    moreRecipients: number(answer['more_recipients']),
    sender: text(answer, 'sender'),
    verified: typeof verified === 'boolean' ? verified : null,
    warnings: texts(answer, 'warnings'),
    attachments: rows(answer, 'attachments').map((row) => ({ name: text(row, 'name'), type: text(row, 'type'), bytes: number(row['bytes']), kind: text(row, 'kind'), event: eventIn(row['event']) })),
    moreAttachments: number(answer['more_attachments']),
    linesLeftOut: number(answer['earlier_lines_left_out']),
    isCut: answer['cut'] !== undefined,
    imagesNotLoaded: number(answer['remote_images_not_loaded']),
    text: answer['text'],
    links: rows(answer, 'links').map((row) => ({ text: text(row, 'text'), url: text(row, 'url') })),
    page: pageIn(answer['page']),
  };
}

/** `null` also for a cancelled event and for an answer to an invitation: there is nothing to add. */
function eventIn(event: JsonValue | undefined): AttachedEvent | null {
  if (!isRow(event) || event['cancelled'] === true || !['', 'request', 'publish', 'add'].includes(text(event, 'method'))) return null;
  const [start, end] = [text(event, 'start'), text(event, 'end')];
  if (!TIME.test(start) || !TIME.test(end)) return null;
  return {
    uid: text(event, 'uid'),
    title: text(event, 'title'),
    start,
    end,
    zone: text(event, 'timezone') || null,
    rule: text(event, 'rrule') || null,
    exceptions: event['exceptions'] === true,
    location: text(event, 'location'),
    more: number(event['more_events']),
  };
}

const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2})?$/;

function pageIn(page: JsonValue | undefined): MailPage | null {
  if (!isRow(page) || typeof page['html'] !== 'string') return null;
  return {
    html: page['html'],
    colours: page['colours'] === true,
    cut: page['cut'] === true,
    picturesNotLoaded: number(page['pictures_not_loaded']),
    hosts: texts(page, 'hosts'),
    failed: texts(page, 'failed'),
  };
}

/**
 * The sender in header notation, `Name <address>`. Whatever the name contains, the address is in the last
 * brackets.
 */
export function personIn(header: string): Person {
  const [, name = '', address = ''] = /^(.*?)\s*<([^<>]*)>$/s.exec(header) ?? [];
  if (address === '') return { name: header, address: header.toLowerCase() };
  return { name: name === '' ? address : name, address: address.toLowerCase() };
}

/** Names and addresses in header notation. Also splits at commas in names, so only for display. */
export function peopleIn(header: string): Person[] {
  return header
    .split(/,\s+/)
    .filter((one) => one !== '')
    .map(personIn);
}

/** The mailbox of an id, `mailbox/folder/numbers`; names may contain slashes. */
export function mailboxOf(id: string, mailboxes: readonly string[]): string {
  const fitting = mailboxes.filter((name) => id.startsWith(`${name}/`)).toSorted((a, b) => b.length - a.length);
  return fitting[0] ?? id.slice(0, Math.max(0, id.indexOf('/')));
}

function messageIn(row: Row, mailboxes: readonly string[]): Message | null {
  const id = text(row, 'id');
  if (id === '') return null;
  const received = text(row, 'received');
  const known = /^\d{4}-\d\d-\d\d \d\d:\d\d/.test(received);
  return {
    id,
    mailbox: mailboxOf(id, mailboxes),
    conversation: text(row, 'conversation') || id,
    from: personIn(text(row, 'from')),
    to: text(row, 'to'),
    subject: text(row, 'subject'),
    day: known ? received.slice(0, 10) : '',
    time: known ? received.slice(11, 16) : '',
    text: text(row, 'text'),
    unread: row['unread'] === true,
    flagged: row['flagged'] === true,
    answered: row['answered'] === true,
    attachments: row['attachments'] === true,
    notVerified: row['not_verified'] === true,
  };
}

function rows(value: JsonValue | null | undefined, key: string): Row[] {
  const list = isRow(value) ? value[key] : null;
  return Array.isArray(list) ? list.filter(isRow) : [];
}

function texts(row: Row, key: string): string[] {
  const list = row[key];
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}

function text(row: Row, key: string): string {
  const value = row[key];
  return typeof value === 'string' ? value : '';
}

function number(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}
