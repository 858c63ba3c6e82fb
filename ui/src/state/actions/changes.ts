// Changes of the vault, and its problems.
import {
  nothing,
  userError,
  type ChangeSetView,
  type FinishResult,
  type PruneResult,
  type ResolveConflict,
  type ResolvedConflict,
  type UndoChanges,
  type UndoResult,
} from '../../ipc';
import { withConflicts, type SetConflict, type Settlement, type SettlementWay } from '../app';
import type { Tools } from './access';

export function changeActions({ backend, setApp, attempt, bump }: Tools) {
  const setConflicts = (change: (old: readonly SetConflict[]) => readonly SetConflict[]) =>
    setApp((app) => ({ ...app, conflicts: change(app.conflicts) }));
  let readingProblems: Promise<void> | null = null;
  let problemsStale = false;

  const actions = {
    loadInterrupted: () =>
      attempt(async () => {
        const interrupted = await backend.rpc('list_changes', { state: 'interrupted' });
        setApp((app) => ({ ...app, interrupted }));
      }),

    /** Loads the vault's problems. Changes during a load cause one more load, not one each. */
    loadProblems(): Promise<void> {
      problemsStale = true;
      readingProblems ??= (async () => {
        while (problemsStale) {
          problemsStale = false;
          try {
            const rows = await backend.rpc('list_problems', nothing);
            setApp((app) => ({ ...app, problems: { rows, error: null } }));
          } catch (thrown) {
            setApp((app) => ({ ...app, problems: { ...app.problems, error: userError(thrown) } }));
          }
        }
        readingProblems = null;
      })();
      return readingProblems;
    },

    /** Rejects with a `UserError`. */
    async undo(what: UndoChanges): Promise<UndoResult> {
      const result = await backend.rpc('undo_changes', what);
      const done = [...result.undone, ...result.merged];
      setConflicts((old) => withConflicts(old, what.change_set, 'undo', { done, conflicts: result.conflicts }));
      bump('changes');
      return result;
    },

    /** Writes the rest of an interrupted change set. Rejects with a `UserError`. */
    async finish(change_set: string): Promise<FinishResult> {
      const result = await backend.rpc('finish_changes', { change_set });
      const { finished: done, conflicts } = result;
      setConflicts((old) => withConflicts(old, change_set, 'finish', { done, conflicts }));
      bump('changes');
      return result;
    },

    /** Finishes or undoes an interrupted change set; the result is added to the settlements. */
    async settle(set: ChangeSetView, way: SettlementWay): Promise<void> {
      const put = (part: Partial<Settlement>) =>
        setApp((app) => {
          const others = app.settlements.filter((old) => old.set.id !== set.id);
          const old = app.settlements.find((one) => one.set.id === set.id);
          return { ...app, settlements: [{ notes: [], busy: false, problem: null, ...old, set, way, ...part }, ...others] };
        });
      put({ busy: true, problem: null });
      try {
        const notes =
          way === 'finish' ? (await actions.finish(set.id)).finished : (await actions.undo({ change_set: set.id })).undone;
        await actions.loadInterrupted();
        put({ busy: false, notes });
      } catch (thrown) {
        put({ busy: false, problem: userError(thrown) });
      }
    },

    dismissSettlement(set: string): void {
      setApp((app) => ({ ...app, settlements: app.settlements.filter((one) => one.set.id !== set) }));
    },

    /**
     * Keeps one side of a conflicting note. If the note was edited again, nothing is written, and the result
     * has its current sides. Rejects with a `UserError`.
     */
    async resolveConflict(what: ResolveConflict): Promise<ResolvedConflict> {
      const result = await backend.rpc('resolve_conflict', what);
      const decided = result.conflict === null ? { keep: what.keep, at: new Date().toISOString() } : null;
      setConflicts((old) =>
        old.map((one) =>
          one.set === what.change_set && one.conflict.path === what.note && one.decided === null
            ? { ...one, decided, conflict: result.conflict ?? one.conflict }
            : one,
        ),
      );
      bump('changes');
      return result;
    },

    /**
     * Discards change sets past their retention; their notes stay as they are. Rejects with a `UserError`.
     */
    async pruneChanges(days: number): Promise<PruneResult> {
      const result = await backend.rpc('prune_changes', { days });
      bump('changes');
      return result;
    },
  };
  return actions;
}
