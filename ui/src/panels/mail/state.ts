// What the panel shows of the mailboxes, as data: pure, no clock of its own.

import type { JsonValue } from '../../ipc';
import type { Asked } from '../skill/state';
import type { Listing, Mailbox, Message } from './messages';

/** How many messages are listed at first, and at most. */
export const FIRST = 50;
export const MOST = 100;

/** A message that is being written. */
export type Writing =
  | { readonly kind: 'new'; readonly mailbox: string | null }
  /** To the message of this id. */
  | { readonly kind: 'reply'; readonly to: Message };

/** The list that was read last, and when each mailbox answered. */
export interface Shown {
  /** Of what was asked. */
  readonly key: string;
  readonly listing: Listing;
  /** By mailbox that does not answer: when its messages were read, RFC 3339. */
  readonly old: Readonly<Record<string, string>>;
  /** RFC 3339 */
  readonly at: string;
}

export interface MailState {
  /** `null`: all of them. */
  readonly mailbox: string | null;
  /** A folder by its name, or by what it is for. */
  readonly folder: string;
  /** What is searched for; empty where nothing is. */
  readonly query: string;
  readonly limit: number;
  /** The message whose conversation is shown. */
  readonly open: Message | null;
  /** Messages of the conversation whose text is shown. */
  readonly unfolded: readonly string[];
  readonly writing: Writing | null;
  readonly shown: Shown | null;
  /** Moved away or deleted, until that is read. */
  readonly gone: readonly string[];
  /** By message: marked so, until that is read. */
  readonly marked: Readonly<Record<string, boolean>>;
  /** By attachment ([attachmentKey]): the file of the vault that it is saved as. */
  readonly saved: Readonly<Record<string, string>>;
}

export type MailChange =
  | { readonly type: 'chose_mailbox'; readonly mailbox: string | null }
  /** `mailbox`: the one that alone has it. */
  | { readonly type: 'chose_folder'; readonly folder: string; readonly mailbox?: string }
  | { readonly type: 'searched'; readonly query: string }
  | { readonly type: 'more' }
  | { readonly type: 'opened'; readonly message: Message }
  | { readonly type: 'closed' }
  | { readonly type: 'folded'; readonly message: string }
  | { readonly type: 'writes'; readonly writing: Writing }
  | { readonly type: 'written' }
  /** A list was read. */
  | { readonly type: 'listed'; readonly key: string; readonly listing: Listing; readonly at: string }
  /** They are in their folder no more: what follows the open one is opened. */
  | { readonly type: 'gone'; readonly ids: readonly string[] }
  | { readonly type: 'marked'; readonly ids: readonly string[]; readonly unread: boolean }
  | { readonly type: 'saved'; readonly attachment: string; readonly path: string }
  /** It was undone. */
  | { readonly type: 'unsaved'; readonly path: string };

export const firstMail: MailState = {
  mailbox: null,
  folder: 'inbox',
  query: '',
  limit: FIRST,
  open: null,
  unfolded: [],
  writing: null,
  shown: null,
  gone: [],
  marked: {},
  saved: {},
};

export function reduceMail(state: MailState, change: MailChange): MailState {
  switch (change.type) {
    case 'chose_mailbox':
      // A folder of one mailbox alone is none of another.
      return { ...state, mailbox: change.mailbox, folder: isRole(state.folder) ? state.folder : 'inbox', limit: FIRST };
    case 'chose_folder':
      return { ...state, folder: change.folder, mailbox: change.mailbox ?? state.mailbox, query: '', limit: FIRST };
    case 'searched':
      return { ...state, query: change.query.trim(), limit: FIRST };
    case 'more':
      return { ...state, limit: MOST };
    case 'opened':
      return { ...state, open: change.message, unfolded: [change.message.id], writing: null };
    case 'closed':
      return state.writing === null ? { ...state, open: null, unfolded: [] } : { ...state, writing: null };
    case 'folded': {
      const { message } = change;
      const unfolded = state.unfolded.includes(message) ? state.unfolded.filter((one) => one !== message) : [...state.unfolded, message];
      return { ...state, unfolded };
    }
    case 'writes':
      return { ...state, writing: change.writing };
    case 'written':
      return { ...state, writing: null };
    case 'listed':
      return { ...state, shown: shownAfter(state.shown, change), gone: [], marked: {} };
    case 'gone': {
      const after = { ...state, gone: [...state.gone, ...change.ids] };
      if (!state.open || !change.ids.includes(state.open.id)) return after;
      const next = neighbourOf(state.open.id, messagesShown(state), change.ids);
      return next ? reduceMail(after, { type: 'opened', message: next }) : { ...after, open: null, unfolded: [] };
    }
    case 'marked':
      return { ...state, marked: { ...state.marked, ...Object.fromEntries(change.ids.map((id) => [id, change.unread])) } };
    case 'saved':
      return { ...state, saved: { ...state.saved, [change.attachment]: change.path } };
    case 'unsaved':
      return { ...state, saved: Object.fromEntries(Object.entries(state.saved).filter(([, path]) => path !== change.path)) };
  }
}

/** Which attachment of which message; `at` is its place in the list. */
export const attachmentKey = (message: Pick<Message, 'id'>, at: number): string => `${message.id} ${at}`;

/** Messages of a mailbox that no longer answers stay as they were read. */
function shownAfter(before: Shown | null, { key, listing, at }: { readonly key: string; readonly listing: Listing; readonly at: string }): Shown {
  if (before?.key !== key) return { key, listing, old: {}, at };
  const failed = listing.problems.map(({ mailbox }) => mailbox);
  const kept = before.listing.messages.filter(({ mailbox }) => failed.includes(mailbox));
  if (kept.length === 0) return { key, listing, old: {}, at };
  const messages = [...listing.messages, ...kept].toSorted((a, b) => (whenOf(a) < whenOf(b) ? 1 : -1));
  const old = Object.fromEntries(failed.flatMap((mailbox) => (kept.some((one) => one.mailbox === mailbox) ? [[mailbox, before.old[mailbox] ?? before.at]] : [])));
  return { key, listing: { ...listing, messages, total: listing.total + kept.length }, old, at };
}

/** The message below this one that stays, else the one above it. */
function neighbourOf(id: string, messages: readonly Message[], gone: readonly string[]): Message | undefined {
  const at = messages.findIndex((message) => message.id === id);
  const stays = (message: Message) => !gone.includes(message.id);
  return messages.slice(at + 1).find(stays) ?? messages.slice(0, Math.max(at, 0)).findLast(stays);
}

const whenOf = ({ day, time }: Message) => `${day} ${time}`;

/** The messages as they are to be drawn. */
export function messagesShown({ shown, gone, marked }: MailState): Message[] {
  return (shown?.listing.messages ?? [])
    .filter(({ id }) => !gone.includes(id))
    .map((message) => ({ ...message, unread: marked[message.id] ?? message.unread }));
}

/** The call that lists them. */
export function listAsked({ mailbox, folder, query, limit }: MailState, tools: { readonly list: string; readonly search: string }, args: Readonly<Record<string, JsonValue>>): Asked {
  const where = { ...(mailbox === null ? {} : { mailbox }), ...(folder === 'inbox' ? {} : { folder }) };
  const shown = { limit, preview: true };
  return query === '' ? { tool: tools.list, args: { ...args, ...where, ...shown } } : { tool: tools.search, args: { ...args, query, ...where, ...shown } };
}

/** What folders are for, as one word for those of all mailboxes; in the order in which they are listed. */
export const roles: Readonly<Record<string, string>> = {
  inbox: 'Inbox',
  drafts: 'Drafts',
  sent: 'Sent',
  archive: 'Archive',
  junk: 'Junk',
  trash: 'Trash',
  all: 'All mail',
};

export const isRole = (folder: string) => Object.hasOwn(roles, folder);

/** "Inbox", "Projects" */
export function folderTitle(folder: string): string {
  return roles[folder] ?? folder;
}

/** Unread messages of a folder in these mailboxes. */
export function unreadIn(mailboxes: readonly Mailbox[], folder: string): number {
  const counts = mailboxes.flatMap(({ folders }) => folders.filter(({ role, name }) => (isRole(folder) ? role === folder : name === folder)).map(({ unread }) => unread ?? 0));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Names of all mailboxes, those included that do not answer. */
export function namesOf(mailboxes: readonly Mailbox[], shown: Shown | null): string[] {
  const failed = (shown?.listing.problems ?? []).map(({ mailbox }) => mailbox);
  return [...new Set([...mailboxes.map(({ name }) => name), ...failed])].filter((name) => name !== '');
}
