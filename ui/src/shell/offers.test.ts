import { expect, test } from 'vitest';

import { sampleWorld } from '../testing/sample';
import { samplePanels } from '../testing/sample-panels';
import type { KeyActionId } from '../state/keys';
import { foldersOf, keyOf, offersFor } from './offers';

const { sessions, skills, tools } = sampleWorld();
const panels = samplePanels;
const records = [
  { skill: 'crm', record_type: 'contact', label: 'Contact', folder: 'CRM/People', title: 'name' },
  { skill: 'portfolio', record_type: 'price', label: 'Price', folder: 'Portfolio/Prices', title: null },
];
const offers = (query: string, can: (id: KeyActionId) => boolean = () => true) => offersFor(query, { sessions, skills, records, tools, panels, notes: [], folders: [], recent: [], can });
const labels = (query: string) => offers(query).map(({ label, offers: found }) => `${label}: ${found.map((offer) => offer.label).join(', ')}`);

test('a chat is found by a word start of its title', () => {
  expect(labels('lisb')).toEqual(['Chats: Trip costs, Lisbon offsite']);
});

test('commands, chats and skills are grouped, the group with the best match first', () => {
  expect(offers('crm')[0]?.label).toBe('Skills');
  expect(labels('new c')[0]).toMatch(/^Commands: New chat/);
  expect(offers('crm').find(({ label }) => label === 'Skills')?.offers[0]?.line).toMatchObject({ kind: 'skill', skill: 'crm', able: true });
});

test('each record type is offered as a new record, with its skill', () => {
  expect(offers('new pri')[0]).toMatchObject({
    label: 'New',
    offers: [{ label: 'New price', line: { kind: 'record', skill: 'portfolio', type: 'price' } }],
  });
  const offered = offers('').find(({ label }) => label === 'New');
  expect(offered?.offers.map(({ label, note }) => [label, note])).toEqual([['New contact', 'CRM'], ['New price', 'Portfolio']]);
});

test('without a match nothing is offered', () => {
  expect(labels('zzzz')).toEqual([]);
});

test('only available commands are offered', () => {
  const commands = (can: (id: KeyActionId) => boolean) => offers('find in', can).find(({ label }) => label === 'Commands')?.offers.map(({ label }) => label) ?? [];
  expect(commands(() => true)).toContain('Find in this chat');
  expect(commands((id) => id !== 'find')).not.toContain('Find in this chat');
});

test('commands for the selection are excluded, as the palette clears it', () => {
  expect(labels('quote what')).toEqual([]);
});

const all = { sessions, skills, records, tools, panels, notes: [], folders: [], recent: [], can: () => true };

test('panels, pages, tools and notes are found by name', () => {
  const notes = [{ name: 'Jane Doe', path: 'CRM/People/Jane Doe.md', record_type: 'contact' }, { name: 'January', path: 'Daily/January.md', record_type: null }];
  const lines = (query: string) => offersFor(query, { ...all, notes }).flatMap(({ offers: found }) => found.map(({ line, note }) => ({ line, note })));
  expect(lines('jan').filter(({ line }) => line.kind === 'note')).toEqual([
    { line: { kind: 'note', path: 'CRM/People/Jane Doe.md' }, note: 'contact' },
    { line: { kind: 'note', path: 'Daily/January.md' }, note: 'Daily' },
  ]);
  expect(lines('portf')).toContainEqual({ line: { kind: 'panel', skill: 'portfolio' }, note: 'panel' });
  expect(lines('vault')).toContainEqual({ line: { kind: 'page', page: 'vault' }, note: '' });
  expect(lines('move_d').map(({ line }) => line)).toContainEqual({ kind: 'run-tool', tool: 'crm.move_deal' });
});

test('chosen notes and tools are offered without a query', () => {
  const recent = [keyOf({ kind: 'note', path: 'CRM/People/Jane Doe.md' }), keyOf({ kind: 'run-tool', tool: 'crm.move_deal' })];
  const [first] = offersFor('', { ...all, recent });
  expect(first).toMatchObject({ label: 'Recent', offers: [{ label: 'Jane Doe', note: 'CRM/People' }, { label: 'crm.move_deal' }] });
  expect(offersFor('', all).map(({ label }) => label)).not.toContain('Tools');
});

test('the last choice comes first', () => {
  const recent = [keyOf({ kind: 'page', page: 'models' }), keyOf({ kind: 'panel', skill: 'portfolio' })];
  const offered = offersFor('', { ...all, recent });
  expect(offered[0]).toMatchObject({ label: 'Recent', offers: [{ label: 'Settings: Models' }, { label: 'Portfolio' }] });
  const pages = (recently: string[]) => offersFor('settings', { ...all, recent: recently }).find(({ label }) => label === 'Commands')?.offers.map(({ label }) => label);
  expect(pages([])?.slice(0, 2)).toEqual(['Settings', 'Settings: Skills']);
  expect(pages(recent)?.[0]).toBe('Settings: Models');
});

test('links are suggested in the folders of the open note, found notes and records', () => {
  const notes = [{ name: 'Minutes', path: 'Meetings/Minutes.md', record_type: null }, { name: 'Loose', path: 'Loose.md', record_type: null }];
  const folders = foldersOf('Meetings/Offsite.md', notes, records);
  expect(folders).toEqual(['Meetings', 'CRM/People', 'Portfolio/Prices']);
  const found = offersFor('suggest links in meet', { ...all, notes, folders }).flatMap(({ offers: rows }) => rows);
  expect(found[0]).toMatchObject({ label: 'Suggest links in Meetings', line: { kind: 'suggest-links', folder: 'Meetings' } });
  expect(offersFor('suggest links', all)).toEqual([]);
});
