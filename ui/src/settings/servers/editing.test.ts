import { expect, test } from 'vitest';

import type { ServerEntry } from '../../ipc';
import { blockOf, formOf } from './editing';

const command: ServerEntry = { command: 'npx', args: ['-y', 'parcel mcp'], cwd: null, url: null, values: { TOKEN: '${credentials:parcel/TOKEN}', MODE: 'a=b' } };
const address: ServerEntry = { command: null, args: [], cwd: null, url: 'https://mcp.example/mcp', values: {} };

function block(entry: ServerEntry, change: Partial<ReturnType<typeof formOf>> = {}) {
  const text = blockOf('parcel', entry, { ...formOf(entry), ...change });
  return text === null ? null : (JSON.parse(text) as { mcpServers: { parcel: unknown } }).mcpServers.parcel;
}

test('an unchanged form gives the same entry', () => {
  expect(block(command)).toEqual({ command: 'npx', args: ['-y', 'parcel mcp'], env: command.values });
  expect(block(address)).toEqual({ url: 'https://mcp.example/mcp', headers: {} });
});

test('each line is one argument or one variable', () => {
  expect(block(command, { args: '-y\nother mcp\n', values: 'LEVEL=debug', cwd: '/tmp' })).toEqual({
    command: 'npx',
    args: ['-y', 'other mcp'],
    env: { LEVEL: 'debug' },
    cwd: '/tmp',
  });
});

test('a multi-line value is kept', () => {
  const entry = { ...command, values: { KEY: 'a\nb', MODE: 'x' } };
  expect(formOf(entry).values).toBe('MODE=x');
  expect(block(entry, { values: 'MODE=y' })).toEqual({ command: 'npx', args: command.args, env: { KEY: 'a\nb', MODE: 'y' } });
});

test('a server needs a command or an address', () => expect(block(address, { runs: ' ' })).toBeNull());
