// What every part of the mail panel needs of it.

import { createContext, useContext, type Dispatch } from 'react';

import type { PanelReads } from '../skill/useReads';
import type { Mailbox, Message } from './messages';
import type { MailChange, MailState } from './state';
import type { MailActs } from './useActs';

export interface MailContext {
  readonly state: MailState;
  readonly dispatch: Dispatch<MailChange>;
  /** Those that answered. */
  readonly mailboxes: readonly Mailbox[];
  /** Of all mailboxes, those included that do not answer. */
  readonly names: readonly string[];
  /** As they are to be drawn. */
  readonly messages: readonly Message[];
  /** The user's addresses, in lower case. */
  readonly own: readonly string[];
  /** In the user's zone, `YYYY-MM-DD`. */
  readonly today: string;
  /** The list is being read. */
  readonly reading: boolean;
  /** The panel has the conversation's place. */
  readonly wide: boolean;
  readonly acts: MailActs;
  /** Lists, folders and conversations. */
  readonly reads: PanelReads;
  /** Whether there is a tool of that name. */
  has(tool: string): boolean;
  /** The whole name of one of the skill's tools. */
  nameOf(tool: string): string;
}

const Context = createContext<MailContext | null>(null);

export const MailProvider = Context.Provider;

export function useMail(): MailContext {
  const mail = useContext(Context);
  if (!mail) throw new Error('A part of the mail panel stands outside of it');
  return mail;
}

/** Whether messages of a mailbox may be marked, moved and deleted. */
export function isWritable({ mailboxes }: Pick<MailContext, 'mailboxes'>, { mailbox }: Pick<Message, 'mailbox'>): boolean {
  return mailboxes.find(({ name }) => name === mailbox)?.readOnly !== true;
}
