import { useCallback } from 'react';

import { useBackend } from '../ipc';
import { useActions } from './hooks';

/**
 * Opens the form of the record that a note is, with the focus on that field; the note itself where it is none, or cannot be
 * read.
 */
export function useEditNote(): (path: string, field?: string | null) => Promise<void> {
  const backend = useBackend();
  const { openNote, openRecordForm } = useActions();
  return useCallback(
    async (path, field = null) => {
      const record = await backend.rpc('read_note', { path }).then(
        (note) => note.record ?? null,
        () => null,
      );
      if (record === null) openNote(path);
      else openRecordForm({ skill: record.skill, type: record.record_type, path, ...(field === null ? {} : { field }) });
    },
    [backend, openNote, openRecordForm],
  );
}
