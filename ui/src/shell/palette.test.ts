import { expect, test } from 'vitest';

import { sampleWorld } from '../testing/sample';
import type { KeyActionId } from '../state/keys';
import { offersFor } from './palette';

const { sessions, skills } = sampleWorld();
const records = [
  { skill: 'crm', record_type: 'contact', label: 'Contact', folder: 'CRM/People', title: 'name' },
  { skill: 'portfolio', record_type: 'price', label: 'Price', folder: 'Portfolio/Prices', title: null },
];
const offers = (query: string, can: (id: KeyActionId) => boolean = () => true) => offersFor(query, { sessions, skills, records, can });
const labels = (query: string) => offers(query).map(({ label, offers: found }) => `${label}: ${found.map((offer) => offer.label).join(', ')}`);

test('a chat is found by the beginning of a word of its title', () => {
  expect(labels('lisb')).toEqual(['Chats: Trip costs, Lisbon offsite']);
});

test('commands, chats and skills stand in groups, that of the best fit first', () => {
  expect(offers('crm')[0]?.label).toBe('Skills');
  expect(labels('new c')[0]).toMatch(/^Commands: New chat/);
  expect(offers('crm').find(({ label }) => label === 'Skills')?.offers[0]?.line).toMatchObject({ kind: 'skill', skill: 'crm', able: true });
});

test('each kind of record is offered as a new one, with the skill that keeps it', () => {
  expect(offers('new pri')[0]).toMatchObject({
    label: 'New',
    offers: [{ label: 'New price', line: { kind: 'record', skill: 'portfolio', type: 'price' } }],
  });
  const offered = offers('').find(({ label }) => label === 'New');
  expect(offered?.offers.map(({ label, note }) => [label, note])).toEqual([['New contact', 'CRM'], ['New price', 'Portfolio']]);
});

test('nothing fits, nothing is offered', () => {
  expect(labels('zzzz')).toEqual([]);
});

test('only what can be done now is offered', () => {
  const commands = (can: (id: KeyActionId) => boolean) => offers('find in', can).find(({ label }) => label === 'Commands')?.offers.map(({ label }) => label) ?? [];
  expect(commands(() => true)).toContain('Find in this chat');
  expect(commands((id) => id !== 'find')).not.toContain('Find in this chat');
});

test('what is done to the selection is left to its key: the field of the palette takes the selection', () => {
  expect(labels('quote what')).toEqual([]);
});
