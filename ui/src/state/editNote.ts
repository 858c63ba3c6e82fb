import { useCallback } from 'react';

import { useBackend } from '../ipc';
import { useActions } from './hooks';

/** Opens the form of the record that a note is; the note itself where it is none, or cannot be read. */
export function useEditNote(): (path: string) => Promise<void> {
  const backend = useBackend();
  const { openNote, openRecordForm } = useActions();
  return useCallback(
    async (path) => {
      const record = await backend.rpc('read_note', { path }).then(
        (note) => note.record ?? null,
        () => null,
      );
      if (record === null) openNote(path);
      else openRecordForm({ skill: record.skill, type: record.record_type, path });
    },
    [backend, openNote, openRecordForm],
  );
}
