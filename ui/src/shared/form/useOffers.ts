// Loads what a form's fields offer from the vault: used values, and notes by name.

import { useCallback, useMemo } from 'react';

import { useBackend, type JsonValue } from '../../ipc';
import { useRpc } from '../../state/hooks';
import { noteName } from '../format';
import type { ValuesByField } from './known';
import { valuesIn } from './schema';
import type { Suggest } from './Suggestions';

/** Values of the schema's fields in the skill's records; none until loaded. */
export function useValuesInUse(skill: string, schema: JsonValue): ValuesByField | undefined {
  const fields = useMemo(() => valuesIn(schema), [schema]);
  const { data } = useRpc('values_in_use', fields.length === 0 || skill === '' ? null : { skill, fields });
  return useMemo(() => data?.reduce<Record<string, readonly string[]>>((all, { field, values }) => ({ ...all, [field]: values }), {}), [data]);
}

export function useNoteSearch(skill: string): Suggest {
  const backend = useBackend();
  return useCallback(
    async (field, text, record) => {
      const notes = await backend.rpc('suggest_notes', { skill, field, text, ...(record === undefined ? {} : { record_type: record }) });
      return notes.map(({ name, path, record_type }) => ({ name, detail: record_type ?? noteName(path).folder }));
    },
    [backend, skill],
  );
}
