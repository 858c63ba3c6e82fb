import { execFileSync } from 'node:child_process';

import { expect, it } from 'vitest';

import type { JsonValue } from '../ipc';
import { commandLine } from './command-line';

it('is the call as typed in a terminal', () => {
  expect(commandLine('crm.add_contact', { name: 'Jane Doe', stage: 'lead' })).toBe(
    `nova tool call crm.add_contact --args '{"name":"Jane Doe","stage":"lead"}'`,
  );
});

it('omits empty arguments', () =>
  expect(commandLine('crm.pipeline', {})).toBe('nova tool call crm.pipeline'));

it.each<JsonValue>([
  { text: "it's 5 o'clock" },
  { text: `'$(touch x)' "\`id\`" !! \\ \\' $HOME * ; & | > <` },
  { text: 'two\nlines\tand a tab' },
  { text: 'Grüße, 日本語 🙂 \u200b' },
  { text: "'" },
])('reaches the program unchanged through a shell: %j', (args) => {
  const line = commandLine('x.y', args).replace('nova tool call x.y --args', 'printf %s');
  expect(JSON.parse(execFileSync('/bin/sh', ['-c', line], { encoding: 'utf8' }))).toEqual(args);
});

it('doubles the backslashes before a quote on Windows', () => {
  expect(commandLine('x.y', { path: 'a\\b "c"' }, 'windows')).toBe(
    'nova tool call x.y --args "{\\"path\\":\\"a\\\\b \\\\\\"c\\\\\\"\\"}"',
  );
});
