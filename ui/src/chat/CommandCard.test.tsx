import { act, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import type { EventBody, JsonValue, SandboxView } from '../ipc';
import { violations } from '../testing/axe';
import { Conversation } from './Conversation';
import { asked, completed, openChat, progress, started, turnStarted } from './fixture';

const sandbox: SandboxView = {
  folder: 'scratch folder of this chat',
  reads: ['papers'],
  writes: ['site'],
  vault: true,
  hosts: [],
  seconds: 120,
  memory: 2 ** 30,
};
const command = 'for f in scans/*.pdf; do pdftotext "$f"; done';

const bash = (args: JsonValue = { command }, more: Partial<SandboxView> = {}): EventBody => ({
  ...started('c', 'core.bash', 'destructive', args),
  sandbox: { ...sandbox, ...more },
});

const card = () => screen.getByTestId('tool-card');
const rows = (element: HTMLElement) =>
  Object.fromEntries(
    [...element.querySelectorAll('dt')].map((term) => [term.textContent, term.nextElementSibling?.textContent]),
  );
const said = (lines: number) => Array.from({ length: lines }, (_, index) => `line ${index + 1}\n`).join('');

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('approval card shows the command and its access', async () => {
  const page = (
    <main>
      <h1>Chat</h1>
      <Conversation />
    </main>
  );
  await openChat(page, [
    turnStarted(),
    bash({ command, timeout_s: 600, background: true }),
    asked('c', { args: { command, timeout_s: 600, background: true }, decisions: ['once', 'deny'], question: 'Run this command?' }),
  ]);
  const approval = screen.getByTestId('approval-card');
  expect(rows(approval)).toEqual({
    Command: command,
    Folder: 'scratch folder of this chat',
    Also: 'site, papers (read only)',
    Network: 'none',
    Guard: 'on, vault read only without private notes, at most 600 s and 1 GB',
    Runs: 'in the background, also after this answer',
  });
  expect(within(approval).getByTestId('approval-once').textContent).toContain('Run once');
  expect(within(approval).queryByTestId('approval-always')).toBeNull();
  expect(within(approval).queryByTestId('approval-session')).toBeNull();
  vi.useRealTimers();
  expect(await violations()).toEqual([]);
});

describe('while it runs', () => {
  test('card is open and shows the last lines, and all of them on request', async () => {
    const { say } = await openChat(<Conversation />, [turnStarted(), bash({ command }, { reads: [], writes: [], vault: false })]);
    expect(rows(card())).toEqual({
      Command: command,
      Folder: 'scratch folder of this chat',
      Network: 'none',
      Guard: 'on, at most 120 s and 1 GB',
    });
    await say(progress('c', { partial: { lines: 214, output: said(20) } }));
    const output = () => within(card()).getByTestId('command-output').textContent;
    expect(output()).toBe('line 16\nline 17\nline 18\nline 19\nline 20');
    fireEvent.click(within(card()).getByText('Show all 214 lines'));
    expect(output()).toMatch(/^line 1\nline 2\n[^]*line 20$/);
    await say(progress('c', { partial: { lines: 215, output: said(21) } }));
    expect(output()).toMatch(/line 21$/);
  });

  test('open card shows the command once', async () => {
    await openChat(<Conversation />, [turnStarted(), bash()]);
    expect(within(card()).getAllByText(command)).toHaveLength(1);
    fireEvent.click(within(card()).getByRole('button', { name: /Close$/ }));
    expect(within(card()).getAllByText(command)).toHaveLength(1);
  });

  test('Stop stops the call', async () => {
    const { backend } = await openChat(<Conversation />, [turnStarted(), bash()]);
    backend.on('stop_call', () => ({}));
    await act(async () => void fireEvent.click(within(card()).getByTestId('stop-call')));
    expect(backend.asked('stop_call')).toHaveLength(1);
  });
});

test.each([
  [{ exit_code: 0, lines: 214, output: said(3) }, '214 lines', 'done'],
  [{ exit_code: 0, lines: 1, output: said(1) }, '1 line', 'done'],
  [{ exit_code: 2, lines: 1, output: 'oops\n' }, 'ended with code 2', 'done'],
  [{ exit_code: 137, lines: 0, output: '', ended: 'It did not end in 120 s.' }, 'ended at a limit', 'done'],
])('the end %j is shown as %s', async (value, line, state) => {
  await openChat(<Conversation />, [turnStarted(), bash(), completed('c', value)]);
  expect(card().dataset['state']).toBe(state);
  expect(card().textContent).toContain(line);
});

test('closed card of a stored chat opens with the end of the output', async () => {
  const value = { exit_code: 1, lines: 900, output: said(9), ended: 'It used more than 1024 MB of memory.', whole_output: 'scratch/output-c.txt', left_out: '2 files of the vault larger than 16 MB' };
  await openChat(<Conversation />, [turnStarted(), bash(), completed('c', value)]);
  fireEvent.click(within(card()).getByRole('button', { name: /Open$/ }));
  expect(card().textContent).toContain('It used more than 1024 MB of memory.');
  expect(card().textContent).toContain('The whole output is in scratch/output-c.txt.');
  expect(card().textContent).toContain('Not given to it: 2 files of the vault larger than 16 MB.');
  expect(within(card()).queryByText('Arguments')).toBeNull();
});

describe('a command that may contact hosts', () => {
  const args = { command: 'curl https://files.example.org', hosts: ['files.example.org'] };
  const request = (host: string, more: object) => ({ host, port: 443, ...more });

  test('approval card names them, also after an edit', async () => {
    const { say } = await openChat(<Conversation />, [
      turnStarted(),
      bash(args, { hosts: ['files.example.org'] }),
      asked('c', { args, decisions: ['once', 'deny'], host: 'files.example.org' }),
    ]);
    expect(rows(screen.getByTestId('approval-card'))['Network']).toBe('files.example.org');
    await say(asked('c', { args, decisions: ['once', 'deny'], host: '*.example.org, other.example.net', revision: 2 }));
    expect(rows(screen.getByTestId('approval-card'))['Network']).toBe('*.example.org, other.example.net');
    await say(asked('c', { args, decisions: ['once', 'deny'], host: null, revision: 3 }));
    expect(rows(screen.getByTestId('approval-card'))['Network']).toBe('none');
  });

  test('card counts requests by host and gives the reasons for refusals', async () => {
    const network = [
      request('files.example.org', { sent: 900, received: 40_000 }),
      request('files.example.org', { sent: 800, received: 2_500_000 }),
      request('files.example.org', { port: 8443, sent: 1, received: 2 }),
      request('evil.example.net', { refused: 'evil.example.net was not contacted.' }),
    ];
    const { say } = await openChat(<Conversation />, [turnStarted(), bash(args, { hosts: ['files.example.org'] })]);
    await say(progress('c', { partial: { lines: 0, output: '', network, network_left_out: 12 } }));
    const items = [...within(card()).getByTestId('command-network').querySelectorAll('li')];
    expect(items.map((item) => item.textContent)).toEqual([
      'files.example.org 2 requests, 1.7 kB sent, 2.5 MB received',
      'files.example.org:8443 1 request, 1 B sent, 2 B received',
      'evil.example.net 1 request refusedevil.example.net was not contacted.',
      '12 more requests',
    ]);
  });

  test('card without requests lists none', async () => {
    await openChat(<Conversation />, [turnStarted(), bash(args, { hosts: ['files.example.org'] })]);
    expect(within(card()).queryByTestId('command-network')).toBeNull();
  });
});

test('control characters in the output are shown, not interpreted', async () => {
  await openChat(<Conversation />, [turnStarted(), bash(), progress('c', { partial: { lines: 1, output: '\u001b[2Jgone\u202e' } })]);
  expect(within(card()).getByTestId('command-output').textContent).not.toContain('\u202e');
});
