import { expect, test } from 'vitest';

import type { SkillRow } from '../ipc';
import { sampleWorld } from '../testing/sample';
import { suggestions } from './suggestions';

function skill(id: string, examples: string[], more: Partial<SkillRow> = {}): SkillRow {
  return { ...sampleWorld().skills[0]!, id, name: id, state: 'available', hidden: false, examples, ...more };
}

const texts = (...skills: SkillRow[]) => suggestions(skills).map(({ text }) => text);

test('each skill gives its first question that names nobody and nothing', () => {
  expect(
    texts(
      skill('crm', ['Who do I know at Fernhill Dairy?', 'Add Sam as a contact', 'Which leads do I have?', 'What does my pipeline look like?']),
      skill('portfolio', ['What is UBER trading at?', 'What is my portfolio worth?']),
      skill('budget', ['I paid 84.20 today', 'Did I pay 3 invoices?', "Where is today's receipt?", 'How much is left this month?']),
      skill('mail', ['Write to Mara']),
    ),
  ).toEqual(['Which leads do I have?', 'What is my portfolio worth?', 'How much is left this month?']);
});

test('a skill that is off, unavailable or hidden gives none, and more than four are not shown', () => {
  const question = ['What is new?'];
  expect(texts(skill('a', question, { state: 'disabled' }), skill('b', question, { hidden: true }), skill('c', question, { state: 'unavailable' }))).toEqual([]);
  expect(texts(...['a', 'b', 'c', 'd', 'e'].map((id) => skill(id, question)))).toHaveLength(4);
});
