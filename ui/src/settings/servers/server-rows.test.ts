import { expect, it } from 'vitest';

import type { ServerRow } from '../../ipc';
import { sampleServer } from '../../testing/sample/servers';
import { needsAttention, serverLine, toolsText } from './server-rows';

it.each<[Partial<ServerRow>, string, string | null]>([
  [{ state: 'off', tools: null }, 'Off, never started', null],
  [{ state: 'off' }, 'Off', null],
  [{ state: 'needs_review' }, 'Not started: approve the command', 'review'],
  [{ state: 'needs_review', host: 'a.example' }, 'Not started: approve the address', 'review'],
  [{ state: 'needs_review', changed: true }, 'Not started: its command changed', 'review'],
  [{ state: 'starting', start: { elapsed: 2_000, limit: 90_000 } }, 'Starting, 0:04 of 1:30: waits for its tool list', 'stop'],
  [{ state: 'ready' }, 'Ready', null],
  [{ state: 'ready', active_in: 2 }, 'Ready, used in 2 chats', null],
  [{ state: 'ready', tools: { listed: 8, on: 7, changed: 1, new: 0, changed_since: null, tokens: 9 } }, 'Needs review: 1 tool changed', 'review'],
  [{ state: 'ready', tools: { listed: 8, on: 7, changed: 1, new: 1, changed_since: '2026-11-09T12:00:00Z', tokens: 9 } }, 'Needs review: 1 new tool blocked since 9 Nov', 'review'],
  [{ state: 'ready', tools: { listed: 9, on: 5, changed: 3, new: 2, changed_since: null, tokens: 9 } }, 'Needs review: 1 tool changed, 2 new tools blocked', 'review'],
  [{ state: 'asleep' }, 'Ready, asleep. Starts with the next call', null],
  [{ state: 'needs_sign_in', reason: 'It asks for a token.' }, 'Needs sign-in: It asks for a token.', 'credentials'],
  [{ state: 'needs_sign_in', host: 'mcp.example.com', reason: 'It asks for a token.' }, 'Needs sign-in: It asks for a token.', 'sign_in'],
  [{ state: 'failed', reason: 'It ended with code 1.', failures: 1 }, 'Failed: It ended with code 1.', 'restart'],
  [
    { state: 'failed', reason: 'github is not running. It ended with code 1. It said: no file / hint. Check its command.', last_lines: ['no file'], failures: 1 },
    'Failed: It ended with code 1.',
    'restart',
  ],
  [{ state: 'failed', reason: 'github did not start in 30 s. It said: hi.', failures: 1 }, 'Failed: github did not start in 30 s. It said: hi.', 'restart'],
  [{ state: 'failed', reason: 'It ended.', failures: 3, next_try: 41_500 }, 'Failed 3 times: It ended. Next try in 40 s.', 'restart'],
])('shows %j as "%s"', (change, text, remedy) => {
  const line = serverLine(sampleServer(change), 2_000);
  expect([line.text, line.remedy?.to ?? null]).toEqual([text, remedy]);
});

it('counts enabled servers that need attention', () => {
  expect(needsAttention(sampleServer({ state: 'failed' }))).toBe(true);
  expect(needsAttention(sampleServer({ tools: { listed: 2, on: 1, changed: 1, new: 0, changed_since: null, tokens: 1 } }))).toBe(true);
  expect(needsAttention(sampleServer({ state: 'off', tools: { listed: 2, on: 1, changed: 1, new: 0, changed_since: null, tokens: 1 } }))).toBe(false);
  expect(needsAttention(sampleServer({ state: 'starting' }))).toBe(false);
});

it('marks the tools of a disconnected server as last known', () => {
  expect(toolsText(sampleServer({ state: 'failed' }))).toEqual({ text: '8', lastKnown: true });
  expect(toolsText(sampleServer({ tools: { listed: 8, on: 7, changed: 0, new: 0, changed_since: null, tokens: 1 } }))).toEqual({ text: '7 of 8', lastKnown: false });
  expect(toolsText(sampleServer({ tools: null })).text).toBe('unknown');
});
