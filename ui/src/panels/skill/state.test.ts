import { expect, test } from 'vitest';

import { answer } from '../../testing/panels';
import { dueReads, keyOf, reduceReads, type Reads } from './state';

const asked = { tool: 'crm.pipeline', args: { board: true, month: '2026-11' } };
const at = '2026-11-20T14:33:00Z';

function reading(run = 'r1', before: Reads = {}): Reads {
  return reduceReads(before, { type: 'begun', asked, run });
}

test('argument order does not matter', () => {
  expect(keyOf({ tool: 'crm.pipeline', args: { month: '2026-11', board: true } })).toBe(keyOf(asked));
});

test('a request wanted twice is due once, and not again while it runs', () => {
  expect(dueReads({}, [asked, { ...asked }])).toEqual([asked]);
  expect(dueReads(reading(), [asked])).toEqual([]);
});

test('changes during a load make it due once more afterwards', () => {
  const changed = reduceReads(reduceReads(reading(), { type: 'changed' }), { type: 'changed' });
  expect(dueReads(changed, [asked])).toEqual([]);
  const ended = reduceReads(changed, { type: 'ended', asked, run: 'r1', at, result: answer({}) });
  expect(dueReads(ended, [asked])).toEqual([asked]);
  expect(dueReads(reading('r2', ended), [asked])).toEqual([]);
});

test('data is kept during a reload and after a failed one', () => {
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
  // A failure alone causes no retries.
  expect(dueReads(failed, [asked])).toEqual([]);
});

test('the response of an older call is ignored', () => {
  const now = reading('r2', reading('r1'));
  expect(reduceReads(now, { type: 'ended', asked, run: 'r1', at, result: answer({}) })).toBe(now);
});
