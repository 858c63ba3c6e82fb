import { describe, expect, test } from 'vitest';

import type { SkillRow, ToolRow, ToolSuggestion } from '../../ipc';
import { sampleWorld } from '../../testing/sample';
import { choices, type Offer } from './choices';

const [skillLike] = sampleWorld().skills as [SkillRow];
const [toolLike] = sampleWorld().tools as [ToolRow];

function skill(id: string, more: Partial<SkillRow> = {}): SkillRow {
  const usage = { ...skillLike.usage, last_used: null };
  return { ...skillLike, id, name: id, description: '', state: 'available', reason: null, pinned: false, tools: [], usage, ...more };
}
function tool(name: string, description = '', more: Partial<ToolRow> = {}): ToolRow {
  return { ...toolLike, name, skill: name.slice(0, name.indexOf('.')), description, state: 'available', reason: null, ...more };
}
const used = (last_used: string) => ({ usage: { ...skillLike.usage, last_used } });

/** "crm: follow_ups update_contact | list_deals", a line each. */
function check(offer: Partial<Offer>, ...expected: string[]) {
  const all = choices({ query: '', skills: [], tools: [], suggestions: [], called: new Map(), ...offer });
  const ids = (tools: readonly { id: string }[]) => tools.map(({ id }) => id).join(' ');
  const lines = all.map(({ row, by, fitting, others }) =>
    `${by === 'meaning' ? '~' : ''}${row.id}: ${ids(fitting)} | ${ids(others)}`.replace(/ \| $/, '').replace(/ +/g, ' ').trim(),
  );
  expect(lines).toEqual(expected);
}

const crm = [skill('crm', { name: 'CRM', description: 'Contacts and deals.' })];
const crmTools = [
  tool('crm.list_deals', 'Lists deals.'),
  tool('crm.follow_ups', 'Who to contact, since when, and why.'),
  tool('crm.update_contact', 'Changes properties of one contact.'),
  tool('crm.pipeline', 'Open deals by stage.'),
];

describe('matching tools come first', () => {
  test('prefix, then word start, then substring, then subsequence', () => {
    const tools = ['a.group', 'a.under_par', 'a.follow_up', 'a.update'].map((name) => tool(name));
    check({ query: 'up', skills: [skill('a')], tools }, 'a: update follow_up group under_par');
  });

  test('name before description', () => {
    check({ query: 'contact', skills: [skill('crm')], tools: crmTools }, 'crm: update_contact follow_ups | list_deals pipeline');
  });

  test('a match of their skill’s name matches all of them', () => {
    check({ query: 'crm', skills: crm, tools: crmTools }, 'crm: list_deals follow_ups update_contact pipeline');
    expect(choices({ query: 'crm', skills: crm, tools: crmTools, suggestions: [], called: new Map() })[0]?.first).toBe('skill');
  });

  test('equal ones by their last call in this chat', () => {
    const tools = ['a.list_x', 'a.list_y', 'a.list_z'].map((name) => tool(name));
    const called = new Map([
      ['a.list_y', '2026-11-19T10:00:00Z'],
      ['a.list_z', '2026-11-20T10:00:00Z'],
    ]);
    check({ query: 'list', skills: [skill('a')], tools, called }, 'a: list_z list_y list_x');
  });

  test('skill and tool can be typed together, as shown or in wire format', () => {
    const both = [...crm, skill('mail', { name: 'Mail' })];
    const tools = [...crmTools, tool('mail.pipe_out')];
    check({ query: 'crm.pi', skills: both, tools }, 'crm: pipeline | list_deals follow_ups update_contact');
    check({ query: 'crm__pi', skills: both, tools }, 'crm: pipeline | list_deals follow_ups update_contact');
    check({ query: 'crm.', skills: both, tools }, 'crm: list_deals follow_ups update_contact pipeline');
    check({ query: 'crm.zz', skills: both, tools });
  });
});

describe('skills', () => {
  test('are sorted by their best match, equal ones by last use', () => {
    const skills = [skill('late', used('2026-11-20T10:00:00Z')), skill('github'), skill('early', used('2026-10-01T10:00:00Z'))];
    const tools = [tool('late.follow_up'), tool('github.update_issue'), tool('early.uptime')];
    check({ query: 'up', skills, tools }, 'early: uptime', 'github: update_issue', 'late: follow_up');
  });

  test('match by their own description, even without tools', () => {
    const skills = [skill('onboarding', { description: 'Everything for a new employee.' })];
    check({ query: 'employee', skills }, 'onboarding:');
    check({ query: 'invoice', skills });
  });

  test('without a query all are listed: pinned, then by last use, then by name', () => {
    const skills = [skill('b'), skill('a'), skill('used', used('2026-11-20T10:00:00Z')), skill('pin', { pinned: true })];
    check({ skills, tools: [tool('a.x')] }, 'pin:', 'used:', 'a: x', 'b:');
  });

  test('unavailable ones stay in place, with the reason', () => {
    const skills = [
      skill('update', { state: 'unavailable', reason: 'Set FINNHUB_API_KEY.' }),
      skill('a', { name: 'Group', state: 'needs_sign_in', reason: 'Sign-in expired 3 days ago.' }),
      skill('b', { name: 'Setup', state: 'failed', reason: 'npx not found.' }),
    ];
    const all = choices({ query: 'up', skills, tools: [], suggestions: [], called: new Map() });
    expect(all.map(({ row, able, reason }) => [row.id, able, reason])).toEqual([
      ['update', false, 'needs FINNHUB_API_KEY'],
      ['a', false, 'needs sign-in'],
      ['b', false, 'did not start: npx not found'],
    ]);
  });

  test('disabled ones are offered if named', () => {
    const skills = [skill('release', { state: 'disabled' })];
    check({ skills });
    check({ query: 'rel', skills }, 'release:');
  });
});

describe('by meaning', () => {
  const mail = skill('mail', { name: 'Mail' });
  const tools = [...crmTools, tool('mail.list'), tool('mail.draft'), tool('off.x')];
  const suggestion = (name: string): ToolSuggestion => ({ tool: name, skill: name.slice(0, name.indexOf('.')), score: 1 });

  test('skills without a literal match follow, sorted by their best tools', () => {
    const suggestions = ['mail.draft', 'crm.pipeline'].map(suggestion);
    check({ query: 'pipe', skills: [...crm, mail], tools, suggestions }, 'crm: pipeline | list_deals follow_ups update_contact', '~mail: draft | list');
  });

  test('a skill matched literally shows its semantic tools first', () => {
    const suggestions = ['crm.update_contact', 'crm.follow_ups'].map(suggestion);
    const phone = [{ ...crm[0]!, description: 'Phone numbers and more.' }];
    check({ query: 'phone', skills: phone, tools: crmTools, suggestions }, 'crm: update_contact follow_ups | list_deals pipeline');
    expect(choices({ query: 'phone', skills: phone, tools: crmTools, suggestions, called: new Map() })[0]?.first).toBe('skill');
  });

  test('a skill without tools is suggested itself', () => {
    const suggestions = [{ tool: null, skill: 'mail', score: 1 }];
    const [choice] = choices({ query: 'qqq', skills: [mail], tools: [], suggestions, called: new Map() });
    expect([choice?.row.id, choice?.by, choice?.first, choice?.fitting]).toEqual(['mail', 'meaning', 'skill', []]);
  });

  test('removed tools and disabled skills are not suggested', () => {
    const suggestions = ['gone.x', 'off.x', 'mail.gone'].map(suggestion);
    check({ query: 'qqq', skills: [mail, skill('off', { state: 'disabled' })], tools, suggestions }, '~mail: | list draft');
  });
});
