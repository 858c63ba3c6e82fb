import { act, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

import type { JsonValue } from '../../ipc';
import { violations } from '../../testing/axe';
import { answer } from '../../testing/panels';
import { mailRead } from '../../testing/sample/mail-panel';
import { failure, open, rows } from './fixture';
import { frameDocument, isBlocked } from './frame';

const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const html = '<p>The board <b>agrees</b>.</p><p><a href="https://files.fernhill.example/2">site folder</a><span class="host"> files.fernhill.example</span></p>';
const page = { html, colours: false, cut: false, pictures_not_loaded: 2, hosts: ['a.example', 'b.example'], failed: [] };
const show = (more: object = {}) => ({ 'mail.show': () => answer({ ...mailRead, page: { ...page, ...more } } as JsonValue) });

const frame = () => screen.getByTestId<HTMLIFrameElement>('mail-page');

test('HTML is drawn in a frame without scripts or remote loads, its text a click away', async () => {
  await open({ answers: show() });
  await userEvent.click(rows()[0]!);
  expect(frame()).toHaveAttribute('sandbox', 'allow-same-origin');
  expect(frame()).toHaveAccessibleName('Mail from Ilse Brandvik');
  expect(frame().srcdoc).toContain("default-src 'none'; img-src data:; style-src 'unsafe-inline'");
  expect(frame().srcdoc).toContain(html);
  expect(screen.getByTestId('mail-message').querySelector('b')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Show as text' }));
  expect(screen.queryByTestId('mail-page')).toBeNull();
  expect(screen.getByTestId('mail-text')).toHaveTextContent('The board agrees.');
  // axe cannot look into a frame here.
  expect((await violations()).filter((one) => !/^(landmark-one-main|page-has-heading-one)/.test(one)).join('\n')).toBe('');
  await userEvent.click(screen.getByRole('button', { name: 'Show as HTML' }));
  expect(frame()).toBeVisible();
});

test('a plain mail is shown as text', async () => {
  await open();
  await userEvent.click(rows()[0]!);
  expect(screen.getByTestId('mail-text')).toBeVisible();
  expect(screen.queryByRole('button', { name: /^Show as/ })).toBeNull();
});

test('a link that the policy blocks opens in the browser', async () => {
  const { backend } = await open({ answers: show() });
  await userEvent.click(rows()[0]!);
  const document = new DOMParser().parseFromString(frame().srcdoc, 'text/html');
  const link = document.querySelector('a')!;
  Object.defineProperty(document, 'activeElement', { value: link });
  Object.defineProperty(frame(), 'contentDocument', { value: document });
  const blocked = (directive: string, uri: string) => {
    const event = new Event('securitypolicyviolation');
    fireEvent(window.document, Object.assign(event, { effectiveDirective: directive, blockedURI: uri }));
  };
  blocked('frame-src', 'https://files.fernhill.example');
  frame().focus();
  blocked('img-src', 'https://files.fernhill.example');
  blocked('frame-src', 'https://evil.example');
  expect(backend.asked('open_link')).toEqual([]);
  blocked('frame-src', 'https://files.fernhill.example');
  expect(backend.asked('open_link')).toEqual([{ url: 'https://files.fernhill.example/2' }]);
});

test('remote images load once, after a click that names their hosts', async () => {
  const loaded = { ...page, html: `<img src="${PNG}">`, pictures_not_loaded: 0, hosts: [], failed: ['b.example: it answered 404'] };
  const answers = { 'mail.show': ({ args }: { args: unknown }) => answer({ ...mailRead, page: 'pictures_from' in (args as object) ? loaded : page } as JsonValue) };
  const { asked } = await open({ answers });
  await userEvent.click(rows()[0]!);
  const strip = screen.getByTestId('mail-pictures');
  expect(strip).toHaveTextContent('2 remote images not loaded. Loading tells a.example and b.example that this was read.');
  expect(asked('mail.show')).toEqual([{ id: 'Work/INBOX/1.9' }]);
  await userEvent.click(within(strip).getByRole('button', { name: 'Load once' }));
  await act(async () => {});
  expect(asked('mail.show').at(-1)).toEqual({ id: 'Work/INBOX/1.9', pictures_from: ['a.example', 'b.example'] });
  expect(frame().srcdoc).toContain(PNG);
  expect(screen.queryByTestId('mail-pictures')).toBeNull();
  expect(screen.getByText(/b\.example: it answered 404/)).toBeVisible();

  // Opened again, nothing is loaded.
  await userEvent.click(rows()[1]!);
  await userEvent.click(rows()[0]!);
  expect(await screen.findByTestId('mail-pictures')).toBeVisible();
  expect(frame().srcdoc).not.toContain(PNG);
});

test('refused images leave the mail as it was, and can be asked for again', async () => {
  let denied = true;
  const answers = {
    'mail.show': ({ args }: { args: unknown }) => ('pictures_from' in (args as object) && denied ? failure('You denied it.') : answer({ ...mailRead, page } as JsonValue)),
  };
  const { asked } = await open({ answers });
  await userEvent.click(rows()[0]!);
  await userEvent.click(screen.getByRole('button', { name: 'Load once' }));
  expect(await screen.findByText(/You denied it\./)).toBeVisible();
  expect(frame().srcdoc).toContain(html);
  denied = false;
  await userEvent.click(screen.getByRole('button', { name: 'Load once' }));
  expect(asked('mail.show')).toHaveLength(3);
});

test('a document has white paper for a mail with colours', () => {
  expect(frameDocument('', true)).toContain('<html class="paper">');
  expect(frameDocument('', false)).not.toContain('paper">');
});

test.each([
  ['https://a.example/x#y', 'https://a.example/x', true],
  ['https://a.example/x', 'https://a.example', true],
  ['https://a.example/x', 'https://b.example', false],
  ['x', 'inline', false],
])('%s is what %s reports: %s', (link, blocked, expected) => {
  expect(isBlocked(link, blocked)).toBe(expected);
});
