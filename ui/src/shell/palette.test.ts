import { expect, test } from 'vitest';

import { sampleWorld } from '../testing/sample';
import { offersFor } from './palette';

const { sessions, skills } = sampleWorld();
const records = [
  { skill: 'crm', record_type: 'contact', label: 'Contact', folder: 'CRM/People', title: 'name' },
  { skill: 'portfolio', record_type: 'price', label: 'Price', folder: 'Portfolio/Prices', title: null },
];
const labels = (query: string) => offersFor(query, sessions, skills, records).map(({ label, offers }) => `${label}: ${offers.map((offer) => offer.label).join(', ')}`);

test('a chat is found by the beginning of a word of its title', () => {
  expect(labels('lisb')).toEqual(['Chats: Trip costs, Lisbon offsite']);
});

test('commands, chats and skills stand in groups, that of the best fit first', () => {
  expect(offersFor('crm', sessions, skills, records)[0]?.label).toBe('Skills');
  expect(labels('new c')[0]).toMatch(/^Commands: New chat/);
  expect(offersFor('crm', sessions, skills, records).find(({ label }) => label === 'Skills')?.offers[0]?.line).toMatchObject({ kind: 'skill', skill: 'crm', able: true });
});

test('each kind of record is offered as a new one, with the skill that keeps it', () => {
  expect(offersFor('new pri', sessions, skills, records)[0]).toMatchObject({
    label: 'New',
    offers: [{ label: 'New price', line: { kind: 'record', skill: 'portfolio', type: 'price' } }],
  });
  const offered = offersFor('', sessions, skills, records).find(({ label }) => label === 'New');
  expect(offered?.offers.map(({ label, note }) => [label, note])).toEqual([['New contact', 'CRM'], ['New price', 'Portfolio']]);
});

test('nothing fits, nothing is offered', () => {
  expect(labels('zzzz')).toEqual([]);
});
