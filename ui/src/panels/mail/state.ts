// State of the mail panel. Pure, without a clock.

import type { JsonValue } from '../../ipc';
import type { Asked } from '../skill/state';
import { neighbourOf } from './conversations';
import type { Listing, Mailbox, Message } from './messages';

/** Messages listed at first, and at most. */
export const FIRST = 50;
export const MOST = 100;

/** A message being written. */
export type Writing =
  | { readonly kind: 'new'; readonly mailbox: string | null }
  /** Replies to this message. */
  | { readonly kind: 'reply'; readonly to: Message };

/** The last list, and the load time of each mailbox. */
export interface Shown {
  /** Identifies the request. */
  readonly key: string;
  readonly listing: Listing;
  /** Load time of outdated messages, by unresponsive mailbox, RFC 3339. */
  readonly old: Readonly<Record<string, string>>;
  /** RFC 3339 */
  readonly at: string;
}

export interface MailState {
  /** `null` for all. */
  readonly mailbox: string | null;
  /** A folder's name or role. */
  readonly folder: string;
  /** The search text; empty without a search. */
  readonly query: string;
  readonly limit: number;
  /** The message whose conversation is open. */
  readonly open: Message | null;
  /** Expanded messages of the conversation. */
  readonly unfolded: readonly string[];
  readonly writing: Writing | null;
  readonly shown: Shown | null;
  /** Ids of moved or deleted messages, until reloaded. */
  readonly gone: readonly string[];
  /** Read marks by message id, until reloaded. */
  readonly marked: Readonly<Record<string, boolean>>;
  /** File in the vault by attachment ([attachmentKey]). */
  readonly saved: Readonly<Record<string, string>>;
}

export type MailChange =
  | { readonly type: 'chose_mailbox'; readonly mailbox: string | null }
  /** `mailbox`: set if only that one has the folder. */
  | { readonly type: 'chose_folder'; readonly folder: string; readonly mailbox?: string }
  | { readonly type: 'searched'; readonly query: string }
  | { readonly type: 'more' }
  | { readonly type: 'opened'; readonly message: Message }
  | { readonly type: 'closed' }
  | { readonly type: 'folded'; readonly message: string }
  | { readonly type: 'writes'; readonly writing: Writing }
  | { readonly type: 'written' }
  /** A list was loaded. */
  | { readonly type: 'listed'; readonly key: string; readonly listing: Listing; readonly at: string }
  /** They left their folder: opens the message after the open one. */
  | { readonly type: 'gone'; readonly ids: readonly string[] }
  | { readonly type: 'marked'; readonly ids: readonly string[]; readonly unread: boolean }
  | { readonly type: 'saved'; readonly attachment: string; readonly path: string }
  /** The saving was undone. */
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
      // A folder of one mailbox does not exist in another.
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

/** Identifies an attachment by message and index. */
export const attachmentKey = (message: Pick<Message, 'id'>, at: number): string => `${message.id} ${at}`;

/** Keeps messages of a mailbox that no longer responds. */
function shownAfter(before: Shown | null, { key, listing, at }: { readonly key: string; readonly listing: Listing; readonly at: string }): Shown {
  if (before?.key !== key) return { key, listing, old: {}, at };
  const failed = listing.problems.map(({ mailbox }) => mailbox);
  const kept = before.listing.messages.filter(({ mailbox }) => failed.includes(mailbox));
  if (kept.length === 0) return { key, listing, old: {}, at };
  const messages = [...listing.messages, ...kept].toSorted((a, b) => (whenOf(a) < whenOf(b) ? 1 : -1));
  const old = Object.fromEntries(failed.flatMap((mailbox) => (kept.some((one) => one.mailbox === mailbox) ? [[mailbox, before.old[mailbox] ?? before.at]] : [])));
  return { key, listing: { ...listing, messages, total: listing.total + kept.length }, old, at };
}

const whenOf = ({ day, time }: Message) => `${day} ${time}`;

/** Messages to render. */
export function messagesShown({ shown, gone, marked }: MailState): Message[] {
  return (shown?.listing.messages ?? [])
    .filter(({ id }) => !gone.includes(id))
    .map((message) => ({ ...message, unread: marked[message.id] ?? message.unread }));
}

/** The call that loads the list. */
export function listAsked({ mailbox, folder, query, limit }: MailState, tools: { readonly list: string; readonly search: string }, args: Readonly<Record<string, JsonValue>>): Asked {
  const where = { ...(mailbox === null ? {} : { mailbox }), ...(folder === 'inbox' ? {} : { folder }) };
  const shown = { limit, preview: true };
  return query === '' ? { tool: tools.list, args: { ...args, ...where, ...shown } } : { tool: tools.search, args: { ...args, query, ...where, ...shown } };
}

/** Folder roles with their labels, in display order. */
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

/** Unread messages in a folder of these mailboxes. */
export function unreadIn(mailboxes: readonly Mailbox[], folder: string): number {
  const counts = mailboxes.flatMap(({ folders }) => folders.filter(({ role, name }) => (isRole(folder) ? role === folder : name === folder)).map(({ unread }) => unread ?? 0));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Names of all mailboxes, including unresponsive ones. */
export function namesOf(mailboxes: readonly Mailbox[], shown: Shown | null): string[] {
  const failed = (shown?.listing.problems ?? []).map(({ mailbox }) => mailbox);
  return [...new Set([...mailboxes.map(({ name }) => name), ...failed])].filter((name) => name !== '');
}
