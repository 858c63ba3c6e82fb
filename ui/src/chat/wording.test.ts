import { describe, expect, test } from 'vitest';

import type { ActivatedBy, EventBody, EventOf, JsonValue } from '../ipc';
import { type CallItem, reduce, emptySession, type SessionState } from '../state/session';
import { envelopes } from '../testing/sample';
import { aroundOf } from './around';
import { activatedWhy, argumentSummary, doneSummary, resultSummary, skillLabel } from './wording';

test.each<[JsonValue, string]>([
  [{ title: 'Harborline rollout', stage: 'won' }, 'Harborline rollout, stage won'],
  [{ stage: 'won', title: 'Harborline rollout' }, 'Harborline rollout, stage won'],
  [{ name: 'Mara Lindholt', text: 'Signed by\nphone' }, 'Mara Lindholt, “Signed by phone”'],
  [{ until: '2019-11-27' }, 'until 27 Nov 2019'],
  [{ until: '2026-13-99' }, 'until 2026-13-99'],
  [{ next_contact: 'soon', tags: ['a', 'b'], dry_run: true }, 'next contact soon, tags a, b, dry_run'],
  [{ stage: null, query: '' }, ''],
  [{ where: [{ a: 1 }] }, 'where [{"a":1}]'],
  [{}, ''],
  [null, ''],
])('arguments %j', (args, line) => {
  expect(argumentSummary(args)).toBe(line);
});

function done(tool: string, value: JsonValue, args: JsonValue = {}, notes = 0): CallItem {
  const changes = Array.from({ length: notes }, (_, index) => ({ path: `${index}.md`, kind: 'modified' as const }));
  return {
    kind: 'call',
    id: 'c',
    call: 'c',
    tool,
    args,
    effect: notes > 0 ? 'write' : 'read',
    within: null,
    principal: { kind: 'user', name: 'user' },
    state: 'done',
    approval: null,
    earlier: [],
    sandbox: null,
    detached: false,
    progress: null,
    result: { value, error: null, sources: [], figures: [], changes, changeSet: null, merged: [], soFar: null, log: [], ms: 1 },
    runningSince: '2026-11-20T14:30:00Z',
    endedAt: '2026-11-20T14:30:01Z',
  };
}

describe('results', () => {
  test.each<[string, JsonValue, string]>([
    ['crm.list_contacts', { contacts: [1, 2, 3, 4], count: 4, unreadable: [1] }, '4 contacts'],
    ['crm.list_contacts', { contacts: [1], count: 1 }, '1 contact'],
    ['crm.list_contacts', { contacts: [], count: 0 }, 'nothing found'],
    ['vault.search', [1, 2], '2 results'],
    ['budget.list', { entries: [1] }, '1 entry'],
    ['crm.follow_ups', { people: [1, 2], until: 'x' }, '2 people'],
    ['crm.pipeline', { open: [1], won: [] }, ''],
    ['crm.get_contact', { name: 'Jane Doe', tags: ['a', 'b'] }, ''],
    ['vault.read_note', 'A text', 'A text'],
    ['portfolio.value', 12.5, '12.5'],
    ['x.y', null, ''],
  ])('%s %j', (tool, value, line) => {
    expect(resultSummary(done(tool, value))).toBe(line);
  });

  test('without a list a computed figure shows its value in each currency', () => {
    const figure = (label: string, value: string, unit: string) => ({ at: '/x', label, value, unit, formula: null, parts: [], sources: [], caution: null });
    const figures = [figure('Open pipeline', '186400', 'EUR'), figure('Open pipeline', '12000', 'USD'), figure('Won', '5', 'EUR')];
    const call = done('crm.pipeline', { stages: [{ stage: 'lead' }], open: [{ amount: '186400' }], won: [{ amount: '5' }] });
    expect(doneSummary({ ...call, result: { ...call.result!, figures } })).toBe('Open pipeline €186,400, $12,000');
  });

  test('a tool’s own summary comes before counts', () => {
    expect(resultSummary(done('budget.import_transactions', { summary: '4 imported, 2 already there', rows: [1] }))).toBe('4 imported, 2 already there');
  });

  test('a read shows its arguments and result, a write of one note its arguments', () => {
    expect(doneSummary(done('crm.list_deals', [1, 2], { stage: 'lead' }))).toBe('stage lead: 2 deals');
    expect(doneSummary(done('crm.move_deal', null, { title: 'Rollout', stage: 'won' }, 1))).toBe('Rollout, stage won');
    expect(doneSummary(done('budget.apply_rules', null, { month: '2026-11' }, 3))).toBe('month 2026-11: 3 notes');
    expect(doneSummary(done('crm.pipeline', [1]))).toBe('1 result');
  });
});

test('names', () => {
  expect(['crm', 'portfolio', 'release-management'].map(skillLabel)).toEqual(['CRM', 'Portfolio', 'Release management']);
});

describe('who activated a skill, and why', () => {
  const turn = (more: Partial<EventOf<'turn_started'>>, ...events: EventBody[]) =>
    aroundOf(
      envelopes('s', 't', [{ type: 'turn_started', text: 'Hi', model: 'm', skills: [], tool: null, ...more }, ...events]).reduce<SessionState>(
        reduce,
        emptySession,
      ).turns[0],
    );
  const by = (by: ActivatedBy) => ({ type: 'activated', skill: 'crm', by, lifetime: 'session' }) as const;
  const call = (tool: string): EventBody => ({ type: 'tool_call_started', call: tool, tool, args: {}, effect: 'read', principal: { kind: 'user', name: 'you' } });

  test('the user, by a tool, by a message, or otherwise', () => {
    expect(activatedWhy(by('user'), turn({ tool: 'crm.move_deal' }))).toBe('by you, for crm.move_deal');
    expect(activatedWhy(by('user'), turn({ tool: 'mail.send', skills: ['crm'] }))).toBe('by you, with this message');
    expect(activatedWhy(by('user'), turn({}))).toBe('by you');
  });

  test('the model, by the first of its tools that it called', () => {
    expect(activatedWhy(by('model'), turn({}, call('crmx.no'), call('crm.get_contact'), call('crm.pipeline')))).toBe('by the model, for crm.get_contact');
    expect(activatedWhy(by('model'), turn({}))).toBe('by the model');
  });

  test('the router and a pin, also before the first turn', () => {
    expect(activatedWhy(by('router'), null)).toBe('because the message is about it');
    expect(activatedWhy(by('pin'), null)).toBe('because it is pinned');
  });
});
