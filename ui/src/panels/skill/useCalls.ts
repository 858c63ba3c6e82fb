// The user's own calls from a panel: by a click, a drag or a form. Their changes can be undone for a while
// from the bar below the panel, and later under Changes.

import { useCallback, useEffect, useRef, useState } from 'react';

import { useBackend, userError, type JsonValue, type ToolResult, type UndoResult, type UserError } from '../../ipc';
import { useActions } from '../../state/hooks';
import { isProposal } from '../../shared/confirm';
import { noteOf, problemsIn } from './answer';
import { failed } from './useReads';

/** How long Undo is offered after success, ms. */
export const UNDO_FOR = 10_000;

export interface PanelCall {
  /** The run id; the `session` of its events. */
  readonly id: string;
  /** The user's action: "Move Pinecrest second clinic to won". */
  readonly label: string;
  /** `skill.tool` */
  readonly tool: string;
  readonly args: Readonly<Record<string, JsonValue>>;
  /** None while running. */
  readonly result: ToolResult | null;
  readonly stopping: boolean;
  readonly undone: boolean;
  /** Why undo failed. */
  readonly undoProblem: UserError | null;
}

export interface PanelCalls {
  /** The calls to show, oldest first. */
  readonly calls: readonly PanelCall[];
  /** `run` sets its id if the caller needs it in advance. */
  call(label: string, tool: string, args: Readonly<Record<string, JsonValue>>, run?: string): Promise<ToolResult>;
  stop(call: PanelCall): void;
  undo(call: PanelCall): void;
  dismiss(call: Pick<PanelCall, 'id'>): void;
}

export function useCalls(): PanelCalls {
  const backend = useBackend();
  const { watch, unwatch, undo } = useActions();
  const [calls, setCalls] = useState<readonly PanelCall[]>([]);
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>());
  const change = useCallback(
    (id: string, part: Partial<PanelCall>) => setCalls((old) => old.map((one) => (one.id === id ? { ...one, ...part } : one))),
    [],
  );
  const drop = useCallback((id: string) => setCalls((old) => old.filter((one) => one.id !== id)), []);
  const dropLater = useCallback(
    (id: string) => {
      const timer = setTimeout(() => {
        timers.current.delete(timer);
        drop(id);
      }, UNDO_FOR);
      timers.current.add(timer);
    },
    [drop],
  );
  useEffect(() => {
    const running = timers.current;
    return () => running.forEach(clearTimeout);
  }, []);

  const call = async (label: string, tool: string, args: PanelCall['args'], id = `panel-${crypto.randomUUID()}`): Promise<ToolResult> => {
    setCalls((old) => [...old, { id, label, tool, args, result: null, stopping: false, undone: false, undoProblem: null }]);
    watch(id);
    const result = await backend.rpc('call_tool', { tool, args: { ...args }, run: id }).catch(failed);
    unwatch(id);
    change(id, { result });
    // Failures, partial results and follow-ups stay until dismissed.
    const hasOutput = problemsIn([result.value]).length > 0 || noteOf(result.value) !== '' || isProposal(result.value);
    if (result.ok && !hasOutput) dropLater(id);
    return result;
  };

  const stop = ({ id }: PanelCall) => {
    change(id, { stopping: true });
    backend.rpc('stop_tool', { run: id }).catch(() => change(id, { stopping: false }));
  };

  const undoCall = ({ id, result }: PanelCall) => {
    if (!result?.change_set) return;
    undo({ change_set: result.change_set }).then(
      ({ conflicts }) => change(id, conflicts.length === 0 ? { undone: true, undoProblem: null } : { undoProblem: leftAsItIs(conflicts) }),
      (thrown: unknown) => change(id, { undoProblem: userError(thrown) }),
    );
  };

  return { calls, call, stop, undo: undoCall, dismiss: ({ id }) => drop(id) };
}

function leftAsItIs(conflicts: UndoResult['conflicts']): UserError {
  const unread = conflicts.find(({ unreadable }) => unreadable);
  if (unread) return { code: 'io', message: `${unread.what.join(' ')}.`, hint: 'The note was not touched. Once it can be read, it can be undone.' };
  return { code: 'conflict', message: 'The note was edited since.', hint: 'Changes shows both versions.' };
}
