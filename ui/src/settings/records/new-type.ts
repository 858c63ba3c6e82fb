// A custom record type while it is defined. Pure; the vault is only read once it is complete.

import type { JsonValue, RecordsFault, RecordTypeRow } from '../../ipc';
import type { Own } from './draft';

export interface NewField {
  readonly name: string;
  readonly kind: string;
  readonly choices: readonly string[];
}

export interface NewType {
  readonly name: string;
  readonly folder: string;
  readonly fields: readonly NewField[];
}

/** The first field names the note. */
export const begin: NewType = { name: '', folder: '', fields: [{ name: 'name', kind: 'text', choices: [] }, { name: '', kind: 'text', choices: [] }] };

/** Problems by the part they concern, in sentences: `name`, `folder`, `fields` or `fields.NAME`. */
export type Problems = { readonly [key: string]: string };

export function problemsOf({ name, folder, fields }: NewType, types: readonly RecordTypeRow[], skillName: (id: string) => string): Problems {
  const problems: { [key: string]: string } = {};
  const is = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase();
  const taken = types.find(({ record_type }) => is(record_type, name));
  if (name.trim() === '') problems['name'] = 'Name the type.';
  else if (taken) problems['name'] = `${skillName(taken.skill)} has a record type \`${taken.record_type}\` already. Choose another name.`;
  if (folder.trim() === '') problems['folder'] = 'Name the folder of new notes.';
  const named = namedFields(fields);
  if (named.length === 0) problems['fields'] = 'Name at least one field.';
  named.forEach((field, at) => {
    if (named.slice(0, at).some((other) => is(other.name, field.name))) problems[`fields.${field.name}`] = `\`${field.name}\` is named twice.`;
  });
  return problems;
}

/** `records.NAME` of the configuration. */
export function ownOf({ folder, fields }: NewType): Own {
  const named = namedFields(fields);
  const declared = named.map(({ name, kind, choices }): [string, JsonValue] => [name, kind === 'choice' ? { kind, choices: [...choices] } : { kind }]);
  const title = named[0]?.kind === 'list' ? undefined : named[0]?.name;
  return { folder: folder.trim().replace(/\/+$/, ''), ...(title === undefined ? {} : { title }), fields: Object.fromEntries(declared) };
}

/** Faults found by the backend, by the part they concern. */
export function problemsIn(faults: readonly RecordsFault[]): Problems {
  const at = ({ key, reason }: RecordsFault) => (key === '' ? (reason.includes('folder') ? 'folder' : 'fields') : key);
  return Object.fromEntries(faults.map((fault) => [at(fault), fault.reason.replace(/^cannot be used: /, 'It cannot be used: ')]));
}

function namedFields(fields: readonly NewField[]): readonly NewField[] {
  return fields.map((field) => ({ ...field, name: field.name.trim() })).filter(({ name }) => name !== '');
}
