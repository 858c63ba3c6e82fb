import { describe, expect, it } from 'vitest';

import type { JsonValue } from '../ipc';
import { ownAfter } from './own-config';

describe("the user's own configuration after an edit", () => {
  it.each<[string, { own: JsonValue; before: JsonValue; now: JsonValue; after: JsonValue }]>([
    ['holds what was changed and nothing else', { own: null, before: { most: 20, folder: 'CRM' }, now: { most: 5, folder: 'CRM' }, after: { most: 5 } }],
    ['keeps what was set before', { own: { folder: 'People' }, before: { most: 20, folder: 'People' }, now: { most: 5, folder: 'People' }, after: { folder: 'People', most: 5 } }],
    ['keeps keys that the form does not know', { own: { other: [1] }, before: { most: 20 }, now: { most: 5 }, after: { other: [1], most: 5 } }],
    ['lets an emptied value go back to its default', { own: { folder: 'People' }, before: { folder: 'People' }, now: {}, after: {} }],
    ['means an emptied list as one without values', { own: {}, before: { stages: ['lead'] }, now: {}, after: { stages: [] } }],
    ['goes into parts', { own: { at: { day: 'Mon' } }, before: { at: { day: 'Mon', hour: 9 } }, now: { at: { day: 'Mon', hour: 8 } }, after: { at: { day: 'Mon', hour: 8 } } }],
    ['is a switch that was moved off', { own: null, before: { on: true }, now: { on: false }, after: { on: false } }],
  ])('%s', (_, { own, before, now, after }) => expect(ownAfter(own, before, now)).toEqual(after));

  it('is unchanged without an edit', () => {
    const own = { most: 3 };
    expect(ownAfter(own, { most: 3, folder: 'CRM' }, { folder: 'CRM', most: 3 })).toEqual(own);
  });
});
