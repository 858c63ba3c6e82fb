import { expect, test } from 'vitest';

import { labelled } from './panel-tabs';

const own = [
  { tab: 'changes', label: 'Changes', count: 3, keepsLabel: true },
  { tab: 'activity', label: 'Activity', keepsLabel: true },
  { tab: 'subagents', label: 'Sub-agents', count: 2, keepsLabel: true },
] as const;
const skills = [
  { tab: 'skill:budget', label: 'Budget' },
  { tab: 'skill:crm', label: 'CRM' },
  { tab: 'skill:portfolio', label: 'Portfolio' },
] as const;

test.each([
  ['all of a kind, where they fit', own, 'subagents', 304, ['changes', 'activity', 'subagents']],
  ['icons of others beside them', [...own.slice(0, 2), ...skills], 'changes', 304, ['changes', 'activity']],
  ['only the chosen one, where icons take the room', [...own, ...skills], 'subagents', 304, ['subagents']],
  ['all of them in a wide panel', [...own, ...skills], 'subagents', 500, ['changes', 'activity', 'subagents']],
  ['only the chosen one, which is of another kind', [...own, ...skills], 'skill:crm', 500, ['skill:crm']],
] as const)('labels: %s', (_what, tabs, chosen, room, labels) => {
  expect([...labelled(tabs, chosen, room)]).toEqual(labels);
});

test('no tab is chosen if there is none', () => {
  expect(labelled([], undefined, 304).size).toBe(0);
});
