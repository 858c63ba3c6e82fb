import { expect, test } from 'vitest';

import { covered, secretsIn } from './secrets';

const shown = (text: string, lines = false) =>
  secretsIn(text, lines).reduceRight((all, span) => all.slice(0, span.from) + covered(text, span) + all.slice(span.to), text);

test.each([
  ['a value of JSON', '{"env": {"PARCEL_TOKEN": "pt_7709b2c141c"}}', '{"env": {"PARCEL_TOKEN": "pt_••••••••41c"}}'],
  ['before its quote is closed', '{"API_KEY": "pt_77', '{"API_KEY": "•••••'],
  ['over an escaped quote', '{"password": "a\\"b", "x": "y"}', '{"password": "••••", "x": "y"}'],
  ['on the next line', '"apiKey":\n  "short"', '"apiKey":\n  "•••••"'],
  ['without its scheme', '{"Authorization": "Bearer abcdefghijkl"}', '{"Authorization": "Bearer abc••••••jkl"}'],
  ['a value of TOML', "DB_PASS = 'hunter2'\nMODE = 'x'", "DB_PASS = '•••••••'\nMODE = 'x'"],
  ['a header of a command', 'claude mcp add a --header "X-Api-Key: abcd"', 'claude mcp add a --header "X-Api-Key: ••••"'],
  ['a variable of a command', 'env GITHUB_TOKEN=abc npx -y octo', 'env GITHUB_TOKEN=••• npx -y octo'],
  ['a flag with its value', 'npx a --token abcd --verbose', 'npx a --token •••• --verbose'],
  ['a flag in a list', '"args": ["--api-key", "abcd", "b"]', '"args": ["--api-key", "••••", "b"]'],
  ['a query', '{"url": "https://a.example/?token=abcd&x=1"}', '{"url": "https://a.example/?token=••••&x=1"}'],
  ['a known key under any name', '{"X": "ghp_0123456789"}', '{"X": "ghp••••••••789"}'],
])('masks %s', (_what, text, expected) => {
  expect(shown(text)).toBe(expected);
});

test.each([
  '{"mcpServers": {"auth": {"command": "npx", "args": ["-y", "a"]}}}',
  '{"TOKEN": "${credentials:a/TOKEN}", "AUTHORIZATION": "Bearer ${TOKEN}"}',
  '{"TOKEN": "<your token>", "KEY": "YOUR_KEY", "SECRET": "xxx", "PASS": "..."}',
  '{"max_tokens": 4096, "token": true, "secret": null, "keyboard": "de"}',
  'npx -y monkey-mcp --auth\nnext',
  '',
])('leaves %s visible', (text) => {
  expect(shown(text)).toBe(text);
});

test('masks the rest of a line if each line is a value', () => {
  expect(shown('PASSWORD=a b c\nMODE=a b', true)).toBe('PASSWORD=• • •\nMODE=a b');
});
