// Saves or deletes a record from its form, and undoes that.

import type { Dispatch, RefObject } from 'react';

import { useBackend, userError, type RecordFormView, type SavedRecord } from '../ipc';
import { focusProblem, type SchemaFormState } from '../shared/form';
import { useActions } from '../state/hooks';
import { faultsOf, isValues, type Diffs, type SaveEvent, type SaveState } from './save';

interface ToSave {
  readonly view: RecordFormView;
  readonly form: SchemaFormState;
  readonly body: RefObject<HTMLElement | null>;
  readonly state: SaveState;
  readonly say: Dispatch<SaveEvent>;
  readonly run: string;
  readonly blocked: boolean;
}

export function useSaving({ view, form, body, state, say, run, blocked }: ToSave) {
  const backend = useBackend();
  const { watch, unwatch, undo } = useActions();
  /** The diffs are also in the list of changes; without them the save is still reported. */
  const diffsOf = async ({ result }: SavedRecord): Promise<Diffs> => {
    if (result?.change_set == null) return {};
    const sets = await backend.rpc('list_changes', { limit: 8 }).catch(() => []);
    const notes = sets.find(({ id }) => id === result.change_set)?.notes ?? [];
    return Object.fromEntries(notes.map(({ path, diff }) => [path, diff]));
  };
  return {
    save: async (another = false) => {
      const values = form.submit();
      if (values === null) focusProblem(body.current, form.problems);
      if (!isValues(values) || blocked) return;
      say({ type: 'save_started', values });
      watch(run);
      try {
        const saved = await backend.rpc('save_record', {
          skill: view.skill,
          record_type: view.record_type,
          ...(view.path === null ? {} : { path: view.path }),
          before: state.before,
          values,
          ...(another ? { another } : {}),
          run,
        });
        form.tell(faultsOf(saved));
        say({ type: 'save_answered', saved, diffs: await diffsOf(saved) });
      } catch (thrown) {
        say({ type: 'failed', problem: userError(thrown) });
      } finally {
        unwatch(run);
      }
    },
    /** Asks first, like every deletion: the card shows what is deleted. */
    remove: async (id: string) => {
      if (view.path === null || blocked) return;
      say({ type: 'delete_started' });
      watch(id);
      try {
        const result = await backend.rpc('call_tool', { tool: 'vault.delete_note', args: { path: view.path }, run: id });
        say({ type: 'save_answered', saved: { errors: [], result }, diffs: {} });
      } catch (thrown) {
        say({ type: 'failed', problem: userError(thrown) });
      } finally {
        unwatch(id);
      }
    },
    takeBack: async () => {
      const set = state.result?.change_set;
      if (set == null) return;
      try {
        const { conflicts, change_set } = await undo({ change_set: set });
        if (conflicts.length === 0 && change_set !== null) say({ type: 'undone', at: new Date().toISOString() });
      } catch (thrown) {
        say({ type: 'failed', problem: userError(thrown) });
      }
    },
  };
}
