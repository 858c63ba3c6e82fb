// The messages of a list as conversations. Pure.

import type { Message } from './messages';

/** The newest listed message of a conversation, with the marks of all. */
export interface Conversation extends Message {
  /** Those listed, newest first. */
  readonly messages: readonly Message[];
}

/** One for each conversation, in the order of their newest messages. */
export function conversationsOf(messages: readonly Message[]): Conversation[] {
  const groups = new Map<string, Message[]>();
  for (const message of messages) {
    const key = keyOf(message);
    groups.set(key, [...(groups.get(key) ?? []), message]);
  }
  return [...groups.values()].flatMap((all) => {
    const [newest] = all;
    const any = (mark: 'unread' | 'flagged' | 'attachments' | 'notVerified') => all.some((message) => message[mark]);
    return newest === undefined ? [] : [{ ...newest, messages: all, unread: any('unread'), flagged: any('flagged'), attachments: any('attachments'), notVerified: any('notVerified') }];
  });
}

/** The listed messages of its conversation; itself if it is not listed. */
export function togetherWith(message: Message, messages: readonly Message[]): readonly Message[] {
  const all = messages.filter((other) => keyOf(other) === keyOf(message));
  return all.some(({ id }) => id === message.id) ? all : [message];
}

/** "Ilse Brandvik, Tomasz Wirek": who wrote, newest first. */
export function writersOf({ messages }: Conversation): string {
  return [...new Map(messages.map(({ from }) => [from.address, from.name])).values()].join(', ');
}

/** The conversation after that of `id` that remains without the `gone` messages, else the one before. */
export function neighbourOf(id: string, messages: readonly Message[], gone: readonly string[]): Message | undefined {
  const all = conversationsOf(messages);
  const at = all.findIndex((conversation) => conversation.messages.some((message) => message.id === id));
  const left = ({ messages }: Conversation) => messages.find((message) => !gone.includes(message.id));
  const after = all.slice(at + 1).flatMap((one) => left(one) ?? []);
  const before = all.slice(0, Math.max(at, 0)).flatMap((one) => left(one) ?? []);
  return after[0] ?? before.at(-1);
}

/**
 * A mailbox has its own copy of a message that went to several. A message with another subject is not of the
 * conversation that its headers name: anybody can write them.
 */
const keyOf = ({ mailbox, conversation, subject }: Message) => `${mailbox}\n${conversation}\n${bareSubject(subject)}`;

/** Without the marks of replies and forwards in the usual languages. */
const bareSubject = (subject: string) => subject.replace(/^(\s*(re|aw|sv|vs|fwd?|wg|tr|rv|antw|odp)\s*:)+/i, '').trim().toLowerCase();
