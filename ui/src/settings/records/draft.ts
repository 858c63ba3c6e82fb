// A record type's settings while edited: the vault's preview with them, and unsaved changes. Pure; the page
// reloads the preview after each change.

import type { FieldPreview, JsonValue, OwnFieldPreview, RecordsPreview, RulePreview } from '../../ipc';

export type Own = { readonly [key: string]: JsonValue };

export interface Draft {
  /** The last valid preview, with the errors of the newest one. */
  readonly page: RecordsPreview | null;
  /** `records.<type>` of the configuration after the edits. */
  readonly own: Own;
  /** Entries of `match` in display order, used or not; null before the first preview. */
  readonly rules: readonly JsonValue[] | null;
  /** Index of the record shown as a note. */
  readonly note: number;
}

export type DraftEvent =
  | { readonly type: 'read'; readonly page: RecordsPreview }
  | { readonly type: 'rule_switched'; readonly entry: JsonValue; readonly on: boolean }
  | { readonly type: 'rule_added'; readonly entry: JsonValue }
  | { readonly type: 'rule_removed'; readonly entry: JsonValue }
  | { readonly type: 'property_chosen'; readonly field: string; readonly property: string }
  /** `meaning`: one of the choices, null for no value, undefined if undecided. */
  | { readonly type: 'value_chosen'; readonly field: string; readonly value: string; readonly meaning: string | null | undefined }
  /** `kind` null removes the field; `choices` are for a choice field without any. */
  | { readonly type: 'own_field_set'; readonly property: string; readonly kind: string | null; readonly choices?: readonly string[] }
  /** `value` undefined removes the attribute. */
  | { readonly type: 'own_field_said'; readonly property: string; readonly key: FieldKey; readonly value: JsonValue | undefined }
  /** Assigns the matching notes to another type. */
  | { readonly type: 'except_set'; readonly entries: readonly JsonValue[]; readonly on: boolean }
  | { readonly type: 'new_notes_set'; readonly key: 'folder' | 'template'; readonly value: string }
  | { readonly type: 'note_moved'; readonly by: 1 | -1 };

/** Attributes of a field besides its kind. */
export type FieldKey = 'label' | 'help' | 'required' | 'choices';

export const empty: Draft = { page: null, own: {}, rules: null, note: 0 };

export function reduceDraft(draft: Draft, event: DraftEvent): Draft {
  switch (event.type) {
    case 'read':
      return afterReading(draft, event.page);
    case 'rule_switched': {
      const used = usedRules(draft);
      const others = used.filter((entry) => !same(entry, event.entry));
      // In display order: the first rule that can be satisfied marks new notes.
      const wanted = event.on ? [...others, event.entry] : others;
      const ordered = (draft.rules ?? []).filter((entry) => wanted.some((one) => same(one, entry)));
      return withOwn(draft, 'match', ordered);
    }
    case 'rule_added': {
      if ((draft.rules ?? []).some((entry) => same(entry, event.entry))) return reduceDraft(draft, { type: 'rule_switched', entry: event.entry, on: true });
      const rules = [...(draft.rules ?? []), event.entry];
      return withOwn({ ...draft, rules }, 'match', [...usedRules(draft), event.entry]);
    }
    case 'rule_removed': {
      const rest = (entries: readonly JsonValue[]) => entries.filter((entry) => !same(entry, event.entry));
      return withOwn({ ...draft, rules: rest(draft.rules ?? []) }, 'match', rest(usedRules(draft)));
    }
    case 'property_chosen':
      return within(draft, 'names', event.field, event.property);
    case 'value_chosen': {
      const values = objectOf(draft.own['values']);
      const { [event.value]: _, ...others } = objectOf(values[event.field]);
      const field = event.meaning === undefined ? others : { ...others, [event.value]: event.meaning };
      return within(draft, 'values', event.field, Object.keys(field).length === 0 ? undefined : field);
    }
    case 'own_field_set': {
      const before = objectOf(objectOf(draft.own['fields'])[event.property]);
      if (event.kind === null) return within(draft, 'fields', event.property, undefined);
      // Choices are an error for any other kind.
      const { choices, choices_from: _, ...others } = before;
      const field = event.kind === 'choice' ? { ...before, choices: choices ?? [...(event.choices ?? [])] } : others;
      return within(draft, 'fields', event.property, { ...field, kind: event.kind });
    }
    case 'own_field_said': {
      const before = objectOf(objectOf(draft.own['fields'])[event.property]);
      const key = event.key === 'label' && 'title' in before ? 'title' : event.key;
      const { [key]: _, ...others } = before;
      return within(draft, 'fields', event.property, event.value === undefined ? others : { ...others, [key]: event.value });
    }
    case 'except_set': {
      const others = exceptOf(draft).filter((entry) => !event.entries.some((one) => same(one, entry)));
      const except = event.on ? [...others, ...event.entries] : others;
      return withOwn(draft, 'except', except.length === 0 ? undefined : except);
    }
    case 'new_notes_set':
      return withOwn(draft, event.key, event.value.trim() === '' ? undefined : event.value.trim());
    case 'note_moved': {
      const last = Math.max(0, (draft.page?.taken ?? 1) - 1);
      return { ...draft, note: Math.min(last, Math.max(0, draft.note + event.by)) };
    }
  }
}

/**
 * A draft with errors has no preview: the previous one stays, with the errors and whatever can still be
 * computed.
 */
function afterReading(draft: Draft, page: RecordsPreview): Draft {
  const first = draft.page === null;
  const faulty = page.faults.length > 0 && draft.page !== null;
  const shown = faulty ? { ...draft.page, faults: page.faults, rules: page.rules, own_fields: page.own_fields } : page;
  return {
    // Proposals for other types are computed once.
    page: draft.page === null ? shown : { ...shown, types: draft.page.types.map((tab) => (tab.record_type === page.record_type && !faulty ? { ...tab, notes: page.taken } : tab)) },
    own: first ? objectOf(page.own) : draft.own,
    rules: first ? page.rules.map(({ entry }) => entry as JsonValue) : draft.rules,
    note: Math.min(draft.note, Math.max(0, page.taken - 1)),
  };
}

/** Without the user's `match`, the skill's default rules. */
export function usedRules({ own, page }: Draft): readonly JsonValue[] {
  const set = own['match'];
  if (Array.isArray(set)) return set;
  return (page?.rules ?? []).filter(({ used }) => used).map(({ entry }) => entry as JsonValue);
}

export function isUsed(draft: Draft, rule: RulePreview): boolean {
  return usedRules(draft).some((entry) => same(entry, rule.entry as JsonValue));
}

export function propertyOf({ own }: Draft, field: FieldPreview): string {
  const set = objectOf(own['names'])[field.field];
  return typeof set === 'string' ? set : field.property;
}

/** One of the choices, null for no value, undefined if not chosen. */
export function meaningOf({ own }: Draft, field: string, value: string): string | null | undefined {
  const set = objectOf(objectOf(own['values'])[field]);
  const found = Object.entries(set).find(([key]) => key.toLowerCase() === value.toLowerCase());
  return found === undefined ? undefined : (found[1] as string | null);
}

/** The kind of a custom field; null for any other property. */
export function kindOf({ own }: Draft, property: string): string | null {
  const set = objectOf(own['fields'])[property];
  if (set === undefined) return null;
  const kind = objectOf(set)['kind'];
  return typeof kind === 'string' ? kind : 'text';
}

/** The attributes of a custom field. */
export function saidOf({ own }: Draft, property: string): { readonly label: string; readonly help: string; readonly required: boolean; readonly choices: readonly string[] } {
  const field = objectOf(objectOf(own['fields'])[property]);
  const text = (key: string) => (typeof field[key] === 'string' ? field[key] : '');
  const { choices, required } = field;
  return { label: text('title') || text('label'), help: text('help'), required: required === true, choices: Array.isArray(choices) ? choices.filter((one) => typeof one === 'string') : [] };
}

/** Why a new field cannot have the name; null if it can. */
export function clash(draft: Draft, name: string, skill: string): string | null {
  const is = (other: string) => other.toLowerCase() === name.toLowerCase();
  const field = draft.page?.fields.find((one) => is(one.field));
  if (field) return `\`${field.field}\` is a field of ${skill} already: ${field.needs}. Choose another name.`;
  const read = draft.page?.fields.find((one) => is(propertyOf(draft, one)));
  if (read) return `\`${name}\` is read as the field \`${read.field}\` already. Choose another name.`;
  if (Object.keys(objectOf(draft.own['fields'])).some(is)) return `\`${name}\` is a field of yours already.`;
  return null;
}

export function exceptOf({ own }: Draft): readonly JsonValue[] {
  const set = own['except'];
  return Array.isArray(set) ? set : [];
}

/** A skill's configuration without a type. */
export function withoutType(config: JsonValue, type: string): JsonValue {
  const { records, ...others } = objectOf(config);
  const { [type]: _, ...types } = objectOf(records);
  return Object.keys(types).length === 0 ? others : { ...others, records: types };
}

/** Custom fields, including those that no note has yet. */
export function ownFieldsOf(draft: Draft): readonly OwnFieldPreview[] {
  const rows = draft.page?.own_fields ?? [];
  const known = new Set(rows.map(({ property }) => property.toLowerCase()));
  const more = Object.keys(objectOf(draft.own['fields'])).filter((name) => !known.has(name.toLowerCase()));
  return [...more.map((property) => ({ property, kind: kindOf(draft, property) ?? 'text', used: true, notes: 0, examples: [], odd: 0, values: [] })), ...rows];
}

/** Errors at a key or below it. */
export function faultsAt({ page }: Draft, key: string): readonly string[] {
  const below = (other: string) => other === key || other.startsWith(`${key}.`) || other.startsWith(`${key}[`);
  return (page?.faults ?? []).filter((fault) => below(fault.key)).map(({ reason }) => sentence(reason));
}

/** Whether applying the draft would change the settings. */
export function isChanged({ own, page }: Draft): boolean {
  return page !== null && text(own) !== text(objectOf(page.in_force as JsonValue));
}

/** Number of invalid values in matched records. */
export function notUnderstood(page: RecordsPreview): number {
  return page.not_understood.reduce((sum, { notes }) => sum + notes, 0);
}

export function leftOut(page: RecordsPreview): number {
  return page.left_out.reduce((sum, { notes }) => sum + notes, 0);
}

function within(draft: Draft, key: string, name: string, value: JsonValue | undefined): Draft {
  const { [name]: _, ...others } = objectOf(draft.own[key]);
  const next = value === undefined ? others : { ...others, [name]: value };
  return withOwn(draft, key, Object.keys(next).length === 0 ? undefined : next);
}

function withOwn(draft: Draft, key: string, value: JsonValue | readonly JsonValue[] | undefined): Draft {
  const { [key]: _, ...others } = draft.own;
  return { ...draft, own: value === undefined ? others : { ...others, [key]: value as JsonValue } };
}

function objectOf(value: JsonValue | undefined): { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

export function same(a: JsonValue, b: JsonValue): boolean {
  return text(a) === text(b);
}

/** Comparison ignores the order of keys. */
function text(value: JsonValue | Own): string {
  return JSON.stringify(value, (_, inner: JsonValue) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

/** "is no name" as "It is no name." */
function sentence(reason: string): string {
  const clause = /^(is|has|must|cannot|gives|names|does)\b/.test(reason) ? `It ${reason}` : reason;
  return clause.charAt(0).toUpperCase() + clause.slice(1);
}
