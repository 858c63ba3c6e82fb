// The form's calls since the page was opened, newest first. Questions and progress are events with the run
// id; the result is the command's.

import { useCallback, useState } from 'react';

import { useBackend, userError, type JsonValue, type ToolResult, type UserError } from '../ipc';
import { useActions } from '../state/hooks';

export type Run = {
  /** Generated here; the call's events carry it as `session`. */
  readonly id: string;
  /** `skill.tool` */
  readonly tool: string;
  readonly args: JsonValue;
  /** RFC 3339 */
  readonly at: string;
  /** Null while running. */
  readonly result: ToolResult | null;
  readonly stopping: boolean;
  /** When its changes were undone, RFC 3339. */
  readonly undoneAt: string | null;
  /** Why its changes were not, or not completely, undone. */
  readonly undoProblem: UserError | null;
};

export interface Runs {
  readonly runs: readonly Run[];
  start(tool: string, args: JsonValue): Promise<void>;
  stop(run: Run): Promise<void>;
  undo(run: Run): Promise<void>;
}

export function useRuns(now: () => Date = () => new Date()): Runs {
  const backend = useBackend();
  const actions = useActions();
  const [runs, setRuns] = useState<readonly Run[]>([]);
  const change = useCallback(
    (id: string, part: Partial<Run>) => setRuns((old) => old.map((run) => (run.id === id ? { ...run, ...part } : run))),
    [],
  );

  const start = async (tool: string, args: JsonValue) => {
    const id = `run-${crypto.randomUUID()}`;
    const run: Run = {
      id,
      tool,
      args,
      at: now().toISOString(),
      result: null,
      stopping: false,
      undoneAt: null,
      undoProblem: null,
    };
    setRuns((old) => [run, ...old]);
    actions.watch(id);
    try {
      change(id, { result: await backend.rpc('call_tool', { tool, args, run: id }) });
    } catch (thrown) {
      change(id, { result: failed(userError(thrown)) });
    } finally {
      actions.unwatch(id);
    }
  };

  const stop = async ({ id }: Run) => {
    change(id, { stopping: true });
    try {
      await backend.rpc('stop_tool', { run: id });
    } catch (thrown) {
      change(id, { stopping: false, undoProblem: userError(thrown) });
    }
  };

  const undo = async ({ id, result }: Run) => {
    if (result?.change_set == null) return;
    try {
      const { change_set, conflicts } = await actions.undo({ change_set: result.change_set });
      change(id, { undoneAt: conflicts.length === 0 && change_set !== null ? now().toISOString() : null, undoProblem: null });
    } catch (thrown) {
      change(id, { undoProblem: userError(thrown) });
    }
  };

  return { runs, start, stop, undo };
}

function failed(error: UserError): ToolResult {
  return { ok: false, value: null, error, sources: [], figures: [], changes: [], change_set: null, ms: 0 };
}
