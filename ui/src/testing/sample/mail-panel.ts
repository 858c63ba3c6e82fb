// The sample's mail: two mailboxes, one of them unresponsive, and a conversation with a contact.

import type { JsonValue, Params, Result } from '../../ipc';
import { answer, panelOf } from '../panels';
import { day } from './time';

export const mailPanel = panelOf('mail', 'Mail', [{ parts: [{ kind: 'mail', tool: 'list', args: {} }] }], { icon: 'mail' });

type Row = Record<string, JsonValue>;

const row = (id: string, from: string, subject: string, received: string, text: string, more: Row = {}): Row => ({ id, from, subject, received: `${received} +00:00`, text, ...more });

export const mailRows: Row[] = [
  row('Work/INBOX/1.9', 'Ilse Brandvik <ilse@fernhill.example>', 'Revised quote, cold store 2', `${day} 14:12`, 'Hello Sam, Thank you for version 2. The board agrees with the layout.', { unread: true, attachments: true }),
  row('Work/INBOX/1.8', 'Mara Lindholt <mara@lindholt.example>', 'Kick-off on 11 January', `${day} 11:40`, 'The room is booked for twelve.', { unread: true, attachments: true }),
  row('Home/INBOX/1.3', 'Parcel desk <desk@parcels.example>', 'Your parcel could not be delivered', `${day} 08:20`, 'Confirm your address within 24 hours.', { unread: true, not_verified: true }),
  row('Home/INBOX/1.2', 'Mill Lane Bakery <shop@mill.example>', 'Order for Saturday', '2026-11-01 09:31', 'Two rye loaves are set aside for you.'),
];

const thread: Row[] = [
  row('Work/Sent/1.1', 'Sam Okell <sam@okell.example>', 'Quote, cold store 2', '2026-11-12 09:05', 'Here is the first version of the quote.'),
  row('Work/Sent/1.2', 'Sam Okell <sam@okell.example>', 'Re: Quote, cold store 2', '2026-11-16 16:40', 'Version 2, with the changed layout.'),
];

export const mailRead: Row = {
  id: 'Work/INBOX/1.9',
  from: 'Ilse Brandvik <ilse@fernhill.example>',
  reply_to: 'orders@fernhill-sales.example',
  to: 'Sam Okell <sam@okell.example>, Ida <ida@okell.example>',
  subject: 'Revised quote, cold store 2',
  sender: 'Sent by fernhill.example, SPF and DKIM passed.',
  verified: true,
  warnings: ['A reply would go to orders@fernhill-sales.example, not to ilse@fernhill.example.'],
  attachments: [{ name: 'Loads, cold store 2.pdf', type: 'application/pdf', bytes: 290_816, kind: 'attachment' }],
  remote_images_not_loaded: 2,
  text: 'Hello Sam,\n\nThe board agrees. Older ones are in the site folder (files.fernhill.example).\n\nRegards, Ilse',
  links: [{ text: 'site folder (files.fernhill.example)', url: 'https://files.fernhill.example/2' }],
};

/** A mail with HTML, as its sanitiser leaves it. */
export const mailDrawn: Row = {
  id: 'Work/INBOX/1.8',
  from: 'Mara Lindholt <mara@lindholt.example>',
  to: 'Sam Okell <sam@okell.example>',
  subject: 'Kick-off on 11 January',
  sender: 'Sent by lindholt.example, DKIM passed.',
  verified: true,
  attachments: [{ name: 'Room.png', type: 'image/png', bytes: 48_210, kind: 'attachment' }],
  text: 'The room is booked for twelve.\n\nAgenda (lindholt.example)',
  page: {
    html: '<h2>Kick-off</h2><p>The room is booked for <b>twelve</b>. Could you send the agenda?</p><ul><li>10:00 Welcome</li><li>10:30 Plan</li></ul><p><a href="https://www.lindholt.example/agenda" rel="noopener noreferrer">Agenda</a><span class="host"> www.lindholt.example</span></p><p><img alt="Logo" width="120"></p>',
    colours: false,
    cut: false,
    pictures_not_loaded: 1,
    hosts: ['www.lindholt.example'],
    failed: [],
  },
};

const folder = (name: string, role: string | null, unread: number): Row => ({ folder: name, ...(role === null ? {} : { for: role }), messages: 40, unread });

export const mailFolders: Row[] = [
  { mailbox: 'Work', address: 'sam@okell.example', sending: 'ask', folders: [folder('INBOX', 'inbox', 2), folder('Sent', 'sent', 0), folder('Archive', 'archive', 0), folder('Projects', null, 1)] },
  { mailbox: 'Home', address: 'sam@home.example', folders: [folder('INBOX', 'inbox', 1), folder('Trash', 'trash', 0)] },
];

export function mailAnswer({ tool, args }: Params<'call_tool'>): Result<'call_tool'> | null {
  const { id, from } = args as { id?: string; from?: string };
  switch (tool) {
    case 'mail.list':
      return answer({ total: mailRows.length, messages: mailRows });
    case 'mail.search':
      return answer(from === undefined ? { total: 1, messages: mailRows.slice(1, 2) } : { total: 1, messages: mailRows.slice(0, 1) });
    case 'mail.folders':
      return answer({ mailboxes: mailFolders });
    case 'mail.thread': {
      const own = mailRows.find((one) => one['id'] === id);
      const all = own === mailRows[0] ? [...thread, own] : [own];
      return answer({ total: all.length, messages: all.flatMap((one) => one ?? []) });
    }
    case 'mail.read':
    case 'mail.show': {
      const own = mailRows.find((one) => one['id'] === id) ?? mailRows[0];
      if (own === mailRows[1] && tool === 'mail.show') return answer(mailDrawn);
      return answer(own === mailRows[0] ? mailRead : { id: own?.['id'] ?? '', from: own?.['from'] ?? '', to: 'sam@home.example', sender: 'Not checked: your server gives no result.', text: own?.['text'] ?? '' });
    }
    default:
      return null;
  }
}
