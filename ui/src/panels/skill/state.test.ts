import { expect, test } from 'vitest';

import { answer } from '../../testing/panels';
import { dueReads, keyOf, reduceReads, type Reads } from './state';

const asked = { tool: 'crm.pipeline', args: { board: true, month: '2026-11' } };
const at = '2026-11-20T14:33:00Z';

function reading(run = 'r1', before: Reads = {}): Reads {
  return reduceReads(before, { type: 'begun', asked, run });
}

test('the order of arguments makes no other read', () => {
  expect(keyOf({ tool: 'crm.pipeline', args: { month: '2026-11', board: true } })).toBe(keyOf(asked));
});

test('what is wanted twice is due once, and not again while it runs', () => {
  expect(dueReads({}, [asked, { ...asked }])).toEqual([asked]);
  expect(dueReads(reading(), [asked])).toEqual([]);
});

test('changes while it is read make it due once more when it has ended', () => {
  const changed = reduceReads(reduceReads(reading(), { type: 'changed' }), { type: 'changed' });
  expect(dueReads(changed, [asked])).toEqual([]);
  const ended = reduceReads(changed, { type: 'ended', asked, run: 'r1', at, result: answer({}) });
  expect(dueReads(ended, [asked])).toEqual([asked]);
  expect(dueReads(reading('r2', ended), [asked])).toEqual([]);
});

test('an answer is kept while it is read again, and when that fails', () => {
  const done = reduceReads(reading(), { type: 'ended', asked, run: 'r1', at, result: answer({ open: 1 }) });
  const error = { code: 'tool_failed', message: 'No.', hint: 'Try.' } as const;
  const failed = reduceReads(reading('r2', done), {
    type: 'ended',
    asked,
    run: 'r2',
    at: '2026-11-20T14:40:00Z',
    result: { ...answer(null), ok: false, error },
  });
  expect(failed[keyOf(asked)]).toMatchObject({ run: null, at, error, result: { value: { open: 1 } } });
  // A failure alone is no reason to ask again and again.
  expect(dueReads(failed, [asked])).toEqual([]);
});

test('the answer of an older call is not taken', () => {
  const now = reading('r2', reading('r1'));
  expect(reduceReads(now, { type: 'ended', asked, run: 'r1', at, result: answer({}) })).toBe(now);
});
