import { expect, test } from 'vitest';

import { sampleWorld } from '../testing/sample';
import { offersFor } from './palette';

const { sessions, skills } = sampleWorld();
const labels = (query: string) => offersFor(query, sessions, skills).map(({ label, offers }) => `${label}: ${offers.map((offer) => offer.label).join(', ')}`);

test('a chat is found by the beginning of a word of its title', () => {
  expect(labels('lisb')).toEqual(['Chats: Trip costs, Lisbon offsite']);
});

test('commands, chats and skills stand in groups, that of the best fit first', () => {
  expect(offersFor('crm', sessions, skills)[0]?.label).toBe('Skills');
  expect(labels('new c')[0]).toMatch(/^Commands: New chat/);
  expect(offersFor('crm', sessions, skills).find(({ label }) => label === 'Skills')?.offers[0]?.line).toMatchObject({ kind: 'skill', skill: 'crm', able: true });
});

test('nothing fits, nothing is offered', () => {
  expect(labels('zzzz')).toEqual([]);
});
