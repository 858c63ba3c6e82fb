import { useCallback } from 'react';

import { useBackend } from '../ipc';
import { useActions } from './hooks';

/**
 * Opens the form of a note's record, focused on that field; or the note, if it is no record or cannot be
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
