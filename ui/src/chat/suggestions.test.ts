import { expect, test } from 'vitest';

import type { GlanceView, SkillRow } from '../ipc';
import { sampleWorld } from '../testing/sample';
import { suggestions } from './suggestions';

function skill(id: string, examples: string[], more: Partial<SkillRow> = {}): SkillRow {
  return { ...sampleWorld().skills[0]!, id, name: id, state: 'available', hidden: false, examples, ...more };
}

const texts = (...skills: SkillRow[]) => suggestions(skills, []).map(({ text }) => text);

function glance(id: string, ask: string | null, overdue = 0): GlanceView {
  const says = overdue === 0 ? [] : [{ value: overdue, format: 'text' as const, unit: '', words: 'overdue' }];
  return { skill: id, name: id, icon: null, late: false, ask, says, badge: says, today: null };
}

test('each skill suggests its first question without names', () => {
  expect(
    texts(
      skill('crm', ['Who do I know at Fernhill Dairy?', 'Add Sam as a contact', 'Which leads do I have?', 'What does my pipeline look like?']),
      skill('portfolio', ['What is UBER trading at?', 'What is my portfolio worth?']),
      skill('budget', ['I paid 84.20 today', 'Did I pay 3 invoices?', "Where is today's receipt?", 'How much is left this month?']),
      skill('mail', ['Write to Mara']),
    ),
  ).toEqual(['Which leads do I have?', 'What is my portfolio worth?', 'How much is left this month?']);
});

test('hidden or unusable skills suggest nothing; at most three are shown', () => {
  const question = ['What is new?'];
  expect(texts(skill('a', question, { state: 'disabled' }), skill('b', question, { hidden: true }), skill('c', question, { state: 'unavailable' }))).toEqual([]);
  expect(texts(...['a', 'b', 'c', 'd', 'e'].map((id) => skill(id, question)))).toHaveLength(3);
});

test('due items come first and replace the question of their skill', () => {
  const skills = [skill('budget', ['How much is left this month?']), skill('crm', ['Which leads do I have?'], { name: 'CRM' }), skill('vault', ['What is new?'])];
  const rows = suggestions(skills, [glance('crm', 'Follow-ups due this week', 2), glance('crm', null, 3)]);
  expect(rows.map(({ text, detail }) => [text, detail])).toEqual([
    ['Follow-ups due this week', '2 overdue'],
    ['How much is left this month?', 'budget'],
    ['What is new?', 'vault'],
  ]);
});

test('without due items the question is shown with the name of its skill', () => {
  const [row] = suggestions([skill('crm', [], { name: 'CRM' })], [glance('crm', 'Follow-ups due this week')]);
  expect(row).toMatchObject({ text: 'Follow-ups due this week', detail: 'CRM' });
});

test('questions never displace due items, and come after them', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const rows = suggestions(ids.map((id) => skill(id, [])), ids.map((id) => glance(id, `Due of ${id}`, id === 'c' || id === 'e' ? 1 : 0)));
  expect(rows.map(({ skill: { id }, due }) => `${id} ${due}`)).toEqual(['c true', 'e true', 'a false']);
});

test('a hidden skill suggests nothing', () => {
  expect(suggestions([skill('crm', [], { hidden: true })], [glance('crm', 'Follow-ups due this week', 2)])).toEqual([]);
});
