import { expect, test } from 'vitest';

import type { SourceView } from '../ipc';
import { replay } from '../state/session';
import { envelopes } from '../testing/sample';
import { completed, started, turnStarted } from './fixture';
import { outgoingRequests } from './outgoing';

const web = (url: string, at = '2099-01-01T00:00:00Z'): SourceView => ({ kind: 'web', url, at });

function check(...sources: SourceView[][]) {
  const calls = sources.flatMap((of, at) => [started(`${at}`, 'portfolio.refresh_prices', 'external'), completed(`${at}`, 1, { sources: of })]);
  const [turn] = replay(envelopes('s', 't', [turnStarted(), ...calls]), true).turns;
  return outgoingRequests(turn!);
}

test('requests of all calls are counted, the most requested host first', () => {
  expect(check([web('https://a.example/1'), web('https://b.example/x')], [web('https://b.example/y')])).toEqual({
    requests: 3,
    hosts: ['b.example', 'a.example'],
  });
});

test('notes and cached pages do not count', () => {
  expect(check([{ kind: 'note', path: 'A.md' }, web('https://a.example/1', '2001-01-01T00:00:00Z')])).toBeNull();
});

test('a page read in parts is one request', () => {
  const page: SourceView = { kind: 'web', url: 'https://a.example/1', at: '2099-01-01T00:00:00Z', title: 'A' };
  expect(check([page], [page], [{ ...page, at: '2099-01-01T00:00:01Z' }])).toEqual({ requests: 2, hosts: ['a.example'] });
});
