import { expect, it } from 'vitest';

import { sampleRecordsPage } from '../../testing/sample/records';
import { clash, empty, faultsAt, isChanged, isUsed, kindOf, meaningOf, ownFieldsOf, propertyOf, reduceDraft, saidOf, withoutType, type Draft, type DraftEvent } from './draft';

const page = sampleRecordsPage();
const read: DraftEvent = { type: 'read', page };
const after = (...events: DraftEvent[]): Draft => events.reduce(reduceDraft, reduceDraft(empty, read));
const field = (name: string) => page.fields.find((one) => one.field === name)!;

it('begins with the proposal, which is not applied yet', () => {
  const draft = after();
  expect(draft.own).toEqual(page.own);
  expect(isChanged(draft)).toBe(true);
  expect(isChanged(after({ type: 'read', page: { ...page, in_force: page.own } }))).toBe(false);
});

it('keeps the displayed order of rules', () => {
  const draft = after({ type: 'rule_switched', entry: { folder: 'People' }, on: false }, { type: 'rule_switched', entry: { tag: 'person' }, on: true }, { type: 'rule_switched', entry: { folder: 'People' }, on: true });
  expect(draft.own['match']).toEqual([{ where: 'categories contains [[People]]' }, { folder: 'People' }, { tag: 'person' }]);
  expect(isUsed(draft, page.rules[2]!)).toBe(true);
});

it('starts with the skill’s rules if the user has none', () => {
  const own = { names: {} };
  const begun = reduceDraft(empty, { type: 'read', page: { ...page, own } });
  const draft = reduceDraft(begun, { type: 'rule_switched', entry: { tag: 'person' }, on: true });
  expect(draft.own['match']).toEqual([{ where: 'categories contains [[People]]' }, { folder: 'People' }, { tag: 'person' }]);
});

it('adds a rule once, and removes it', () => {
  const rule = { type: 'rule_added', entry: { tag: 'friend' } } as const;
  const draft = after(rule, rule);
  expect(draft.rules).toHaveLength(4);
  expect(draft.own['match']).toHaveLength(3);
  expect(reduceDraft(draft, { type: 'rule_removed', entry: { tag: 'friend' } }).own['match']).toHaveLength(2);
});

it('maps fields to properties', () => {
  const draft = after({ type: 'property_chosen', field: 'phone', property: 'tel' });
  expect(propertyOf(draft, field('phone'))).toBe('tel');
  expect(propertyOf(draft, field('company'))).toBe('org');
  expect(draft.own['names']).toEqual({ name: '$file', company: 'org', email: 'mail', phone: 'tel' });
});

it('maps a value to a stage, to nothing, and back to undecided', () => {
  const draft = after({ type: 'value_chosen', field: 'stage', value: 'warm?', meaning: 'lead' });
  expect(['active', 'dormant', 'warm?'].map((value) => meaningOf(draft, 'stage', value))).toEqual(['customer', null, 'lead']);
  const open = ['active', 'dormant', 'warm?'].reduce((before, value) => reduceDraft(before, { type: 'value_chosen', field: 'stage', value, meaning: undefined }), draft);
  expect(open.own['values']).toBeUndefined();
});

it('adds, changes and removes custom fields', () => {
  const added = after({ type: 'own_field_set', property: 'spouse', kind: 'text' });
  expect(ownFieldsOf(added).map(({ property, used }) => [property, used])).toEqual([['spouse', true], ['birthday', true], ['met_at', false], ['mood', false]]);
  const changed = reduceDraft(added, { type: 'own_field_set', property: 'spouse', kind: 'link' });
  expect(kindOf(changed, 'spouse')).toBe('link');
  const none = ['spouse', 'birthday'].reduce((before, property) => reduceDraft(before, { type: 'own_field_set', property, kind: null }), changed);
  expect(none.own['fields']).toBeUndefined();
});

it('keeps other attributes of a custom field when its kind changes', () => {
  const own = { fields: { birthday: { kind: 'date', title: 'Born' } } };
  const begun = reduceDraft(empty, { type: 'read', page: { ...page, own } });
  expect(reduceDraft(begun, { type: 'own_field_set', property: 'birthday', kind: 'text' }).own['fields']).toEqual({ birthday: { kind: 'text', title: 'Born' } });
});

it('keeps the last valid preview while the settings have errors', () => {
  const faults = [{ key: 'match[2]', reason: 'cannot be used: the condition `stage is` has no operator.' }, { key: 'names', reason: 'gives the fields a and b the same property `x`.' }];
  const draft = after({ type: 'read', page: { ...page, faults, taken: 0, fields: [] } });
  expect(draft.page?.taken).toBe(184);
  expect(draft.page?.fields).toHaveLength(6);
  expect(faultsAt(draft, 'match')).toEqual(['It cannot be used: the condition `stage is` has no operator.']);
  expect(faultsAt(draft, 'name')).toEqual([]);
  expect(after({ type: 'read', page: { ...page, faults } }, read).page?.faults).toEqual([]);
});

it('keeps the counts of other types, which are computed once', () => {
  const again = { ...page, taken: 12, types: page.types.map((tab) => ({ ...tab, notes: 0 })) };
  expect(after({ type: 'read', page: again }).page?.types.map(({ notes }) => notes)).toEqual([12, 61, 0]);
});

it('moves between notes and stops at the ends', () => {
  const move = (by: 1 | -1): DraftEvent => ({ type: 'note_moved', by });
  expect(after(move(-1)).note).toBe(0);
  expect(after(move(1), move(1), move(-1)).note).toBe(1);
  expect(after(move(1), move(1), { type: 'read', page: { ...page, taken: 1 } }).note).toBe(0);
});

it('keeps the key used for a label', () => {
  const own = { fields: { birthday: { kind: 'date', title: 'Born' } } };
  const begun = reduceDraft(empty, { type: 'read', page: { ...page, own } });
  const draft = reduceDraft(begun, { type: 'own_field_said', property: 'birthday', key: 'label', value: 'Birth' });
  expect(draft.own['fields']).toEqual({ birthday: { kind: 'date', title: 'Birth' } });
  expect(saidOf(draft, 'birthday').label).toBe('Birth');
});

it('assigns notes to another type once, and reverts that', () => {
  const event = { type: 'except_set', entries: [{ type: 'company' }], on: true } as const;
  const draft = after(event, event);
  expect(draft.own['except']).toEqual([{ type: 'company' }]);
  expect(reduceDraft(draft, { ...event, on: false }).own['except']).toBeUndefined();
});

it('says why a field name is invalid', () => {
  const draft = after({ type: 'own_field_set', property: 'spouse', kind: 'text' });
  expect(clash(draft, 'EMAIL', 'CRM')).toBe('`email` is a field of CRM already: a text. Choose another name.');
  expect(clash(draft, 'mail', 'CRM')).toBe('`mail` is read as the field `email` already. Choose another name.');
  expect(clash(draft, 'Spouse', 'CRM')).toBe('`Spouse` is a field of yours already.');
  expect(clash(draft, 'hobby', 'CRM')).toBeNull();
});

it('removes a type from the configuration and nothing else', () => {
  expect(withoutType({ currency: 'EUR', records: { supplier: {}, contact: { folder: 'x' } } }, 'supplier')).toEqual({ currency: 'EUR', records: { contact: { folder: 'x' } } });
  expect(withoutType({ records: { supplier: {} } }, 'supplier')).toEqual({});
  expect(withoutType(null, 'supplier')).toEqual({});
});
