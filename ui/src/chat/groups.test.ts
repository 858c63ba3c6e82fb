import { expect, test } from 'vitest';

import { emptySession, reduce, type SessionState } from '../state/session';
import { envelopes } from '../testing/sample';
import { asked, block, completed, progress, started, turnStarted } from './fixture';
import { groupItems, waitingCards } from './groups';

function state(...events: Parameters<typeof envelopes>[2]): SessionState {
  return envelopes('s', 't1', [turnStarted(), ...events]).reduce(reduce, emptySession);
}

/** Groups as `kind(item item)`. */
function groups(...events: Parameters<typeof envelopes>[2]): string[] {
  const [turn] = state(...events).turns;
  return groupItems(turn?.items ?? []).map((group) => `${group.kind}(${group.items.map((item) => (item.kind === 'call' ? item.call : item.kind)).join(' ')})`);
}

test('consecutive cards share one border until something comes between', () => {
  expect(groups(started('a', 'x.y', 'read'), started('b', 'x.y', 'read'), block('m', 0, 'text'), started('c', 'x.y', 'read'))).toEqual([
    'calls(a b)',
    'single(message)',
    'calls(c)',
  ]);
});

test('a card larger than its line, or with an answer above it, is a group by itself', () => {
  expect(
    groups(
      started('a', 'x.y', 'read'),
      started('big', 'x.y', 'external'),
      progress('big', { partial: [{ n: 1 }] }),
      started('b', 'x.y', 'read'),
      started('w', 'x.w', 'write'),
      asked('w'),
      { type: 'approval_decided', call: 'w', decision: 'once', by: 'you', reason: null },
      completed('w', null),
      started('c', 'x.y', 'read'),
    ),
  ).toEqual(['calls(a)', 'calls(big)', 'calls(b)', 'calls(w)', 'calls(c)']);
});

test('only writes of one tool with the same answers share a question', () => {
  const events = [
    started('a', 'x.w', 'write'),
    asked('a'),
    started('b', 'x.w', 'write'),
    asked('b'),
    started('c', 'x.w', 'write'),
    asked('c', { decisions: ['once', 'deny'] }),
    started('d', 'x.other', 'write'),
    asked('d', { decisions: ['once', 'deny'] }),
    started('e', 'x.e', 'external'),
    asked('e'),
    started('f', 'x.e', 'external'),
    asked('f'),
  ];
  expect(groups(...events)).toEqual(['approval(a b)', 'approval(c)', 'approval(d)', 'approval(e)', 'approval(f)']);
  expect(waitingCards(state(...events))).toEqual(['call-a', 'call-c', 'call-d', 'call-e', 'call-f']);
});
