// Context shared by all parts of the mail panel.

import { createContext, useContext, type Dispatch } from 'react';

import type { PanelReads } from '../skill/useReads';
import type { Mailbox, Message } from './messages';
import type { MailChange, MailState } from './state';
import type { MailActs } from './useActs';

export interface MailContext {
  readonly state: MailState;
  readonly dispatch: Dispatch<MailChange>;
  /** Mailboxes that responded. */
  readonly mailboxes: readonly Mailbox[];
  /** Names of all mailboxes, including those that did not respond. */
  readonly names: readonly string[];
  /** Messages to render. */
  readonly messages: readonly Message[];
  /** The user's addresses, in lower case. */
  readonly own: readonly string[];
  /** In the user's zone, `YYYY-MM-DD`. */
  readonly today: string;
  /** Whether the list is loading. */
  readonly reading: boolean;
  /** Whether the panel replaces the conversation. */
  readonly wide: boolean;
  readonly acts: MailActs;
  /** Requests for lists, folders and conversations. */
  readonly reads: PanelReads;
  /** Whether a tool of that name exists. */
  has(tool: string): boolean;
  /** The full name of one of the skill's tools. */
  nameOf(tool: string): string;
}

const Context = createContext<MailContext | null>(null);

export const MailProvider = Context.Provider;

export function useMail(): MailContext {
  const mail = useContext(Context);
  if (!mail) throw new Error('A part of the mail panel is rendered outside it');
  return mail;
}

/** Whether messages of a mailbox may be marked, moved and deleted. */
export function isWritable({ mailboxes }: Pick<MailContext, 'mailboxes'>, { mailbox }: Pick<Message, 'mailbox'>): boolean {
  return mailboxes.find(({ name }) => name === mailbox)?.readOnly !== true;
}
