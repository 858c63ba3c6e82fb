// Texts of the mail panel.

import { parts, weekdayOf } from '../../shared/form/date-words';
import { addDays, MONTHS } from '../../shared/form/dates';
import { counted } from '../../shared/format';
import { revealed } from '../../shared/invisible';
import type { Conversation } from './conversations';
import { peopleIn, type Attachment, type Message, type ReadMessage } from './messages';

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

export interface Group<T> {
  readonly title: string;
  readonly messages: readonly T[];
}

/** "Today", "Yesterday", "Last week", then months; in message order. `today`: YYYY-MM-DD. */
export function groupsOf<T extends Pick<Message, 'day'>>(messages: readonly T[], today: string): Group<T>[] {
  const groups: { title: string; messages: T[] }[] = [];
  for (const message of messages) {
    const title = groupTitle(message.day, today);
    const last = groups.at(-1);
    if (last?.title === title) last.messages.push(message);
    else groups.push({ title, messages: [message] });
  }
  return groups;
}

function groupTitle(day: string, today: string): string {
  if (day === '') return 'Without a date';
  if (day >= today) return 'Today';
  if (day === addDays(today, -1)) return 'Yesterday';
  const monday = addDays(today, -weekdayOf(today));
  if (day >= monday) return 'This week';
  if (day >= addDays(monday, -7)) return 'Last week';
  const { year, month } = parts(day);
  return year === parts(today).year ? (MONTHS[month - 1] ?? '') : `${MONTHS[month - 1]} ${year}`;
}

/** "14:12" today and yesterday, otherwise "Fri 20 Nov", or "20 Nov 2025" in another year. */
export function timeText({ day, time }: Pick<Message, 'day' | 'time'>, today: string): string {
  return day === '' || day >= addDays(today, -1) ? time : dateText(day, today);
}

/** "Fri 20 Nov", "20 Nov 2025" in another year. */
function dateText(day: string, today: string): string {
  const { year, month, day: number } = parts(day);
  const date = `${number} ${MONTHS[month - 1]?.slice(0, 3)}`;
  return year === parts(today).year ? `${WEEKDAYS[weekdayOf(day)]} ${date}` : `${date} ${year}`;
}

/** "16 Nov" for an older message of a conversation, "14:12" for one of today. */
export function shortDate(message: Pick<Message, 'day' | 'time'>, today: string): string {
  return message.day === today ? message.time : dateText(message.day || today, today).replace(/^\w{3} (?=\d)/, '');
}

/** The subject, or a placeholder without one. */
export function subjectText(subject: string): string {
  return subject === '' ? '(no subject)' : subject;
}

/** "to you and 1 more", "to Mara Lindholt"; `own`: the user's addresses. */
export function recipientsText({ to, cc, moreRecipients }: ReadMessage, own: readonly string[]): string {
  const people = [...peopleIn(to), ...peopleIn(cc)];
  const [first] = people;
  if (!first) return '';
  const isMine = people.some(({ address }) => own.includes(address));
  const others = people.length - 1 + moreRecipients;
  return `to ${isMine ? 'you' : revealed(first.name)}${others > 0 ? ` and ${others} more` : ''}`;
}

/** Hosts listed by name. */
const HOSTS = 4;

/** "a.example", "a.example and b.example", "a.example, b.example, c.example, d.example and 3 more" */
export function hostsText(hosts: readonly string[]): string {
  const named = hosts.slice(0, HOSTS);
  const more = hosts.length - named.length;
  const last = more > 0 ? `${more} more` : named.length > 1 ? named.pop() : undefined;
  return last === undefined ? named.join(', ') : `${named.join(', ')} and ${last}`;
}

/** 290816 → "284 KB" */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte');
  const kilobytes = bytes / 1024;
  return kilobytes < 1000 ? `${Math.round(kilobytes)} KB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}

const kinds: Readonly<Record<string, string>> = {
  calendar: 'invitation',
  message: 'forwarded mail',
  winmail: 'Outlook container, contents hidden',
  'inline image': 'image in the text',
};

/** The kind of a part that is not a plain file. */
export function kindText({ kind }: Attachment): string {
  return kinds[kind] ?? '';
}

/** Whether the user has to sign in again, or to correct the password. */
export function isSignIn(code: string): boolean {
  return code === 'sign_in_refused' || code === 'needs_sign_in' || code === 'credential_needed';
}

/** Additional screen reader text of a message in the list. */
export function spokenMarks({ messages, unread, flagged, answered, attachments, notVerified }: Conversation): string {
  const marks = [messages.length > 1 && `${messages.length} mails`, unread && 'unread', flagged && 'flagged', answered && 'answered', attachments && 'with attachments', notVerified && 'sender not verified'];
  return marks.filter((mark) => mark !== false).join(', ');
}

/** Maximum code units of a subject in a question or a log. */
const SUBJECT = 80;

/** An untrusted subject as a short quotation. */
export function quotedSubject(subject: string): string {
  const line = revealed(subject.replaceAll(/\s+/g, ' ')).trim();
  return line.length > SUBJECT ? `${line.slice(0, SUBJECT)}…` : line;
}

/** The start of a question about a message, with the id for the assistant to read it by. */
export function aboutText({ id, subject, from }: Message): string {
  return `About the mail “${quotedSubject(subject)}” from ${revealed(from.address)} (${id}): `;
}
