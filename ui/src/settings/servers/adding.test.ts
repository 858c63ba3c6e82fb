import { expect, it } from 'vitest';

import { offeredServer } from '../../testing/sample/servers';
import { addable, emptyAdding, reduceAdding, textOf, type Adding, type AddingAction } from './adding';

const after = (...actions: AddingAction[]): Adding => actions.reduce(reduceAdding, emptyAdding);
const wrong = { code: 'bad_request', message: 'Line 2: It is not JSON.', hint: '' } as const;

it('only applies the response for the current text', () => {
  const offers = [offeredServer({ name: 'a' })];
  const old = after({ type: 'text', text: ' one ' }, { type: 'text', text: 'two' }, { type: 'read', text: 'one', offers });
  expect(old.offers).toBeNull();
  expect(reduceAdding(old, { type: 'unreadable', text: 'one', problem: wrong }).problem).toBeNull();
  expect(reduceAdding(old, { type: 'read', text: 'two', offers }).offers).toBe(offers);
});

it('discards a response when the text changes', () => {
  const read = after({ type: 'text', text: 'one' }, { type: 'unreadable', text: 'one', problem: wrong });
  expect(read.problem).toBe(wrong);
  expect(reduceAdding(read, { type: 'text', text: 'one ' }).problem).toBeNull();
  expect(reduceAdding(read, { type: 'way', way: 'form' }).problem).toBeNull();
});

it('converts the form to a configuration block', () => {
  const form = (runs: string, values = '') => textOf(after({ type: 'way', way: 'form' }, { type: 'form', change: { name: ' git ', runs, values } }));
  expect(JSON.parse(form('uvx mcp-server-git', 'A=1\n\n B = x=y '))).toEqual({
    mcpServers: { git: { command: 'uvx mcp-server-git', env: { A: '1', B: 'x=y' } } },
  });
  expect(JSON.parse(form('https://a.example/mcp', 'X-Team=me'))).toEqual({
    mcpServers: { git: { url: 'https://a.example/mcp', headers: { 'X-Team': 'me' } } },
  });
  expect(form('')).toBe('');
});

it('adds valid servers with free names, once', () => {
  const offers = [offeredServer({ name: 'a' }), offeredServer({ name: 'b', taken: true }), offeredServer({ name: 'c', problem: 'It is wrong.' })];
  const read = after({ type: 'text', text: 'x' }, { type: 'read', text: 'x', offers });
  expect(addable(read)).toEqual(['a']);
  expect(addable(reduceAdding(read, { type: 'add', enabled: true }))).toEqual([]);
  expect(addable(reduceAdding(reduceAdding(read, { type: 'add', enabled: true }), { type: 'refused', problem: wrong }))).toEqual(['a']);
});
