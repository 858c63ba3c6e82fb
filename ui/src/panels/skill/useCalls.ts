// The user's own calls from a panel: a click, a drag or a form of it. What a call changed can be undone
// for a while from the bar below the panel, and afterwards under Changes.

import { useCallback, useEffect, useRef, useState } from 'react';

import { useBackend, userError, type JsonValue, type ToolResult, type UndoResult, type UserError } from '../../ipc';
import { useActions } from '../../state/hooks';
import { isProposal } from '../../shared/confirm';
import { noteOf, problemsIn } from './answer';
import { failed } from './useReads';

/** How long a call that ended well is offered to be undone, ms. */
export const UNDO_FOR = 10_000;

export interface PanelCall {
  /** Of its run; its events carry it as `session`. */
  readonly id: string;
  /** What the user did: "Move Pinecrest second clinic to won". */
  readonly label: string;
  /** `skill.tool` */
  readonly tool: string;
  readonly args: Readonly<Record<string, JsonValue>>;
  /** None while it runs. */
  readonly result: ToolResult | null;
  readonly stopping: boolean;
  readonly undone: boolean;
  /** Why it is not undone. */
  readonly undoProblem: UserError | null;
}

export interface PanelCalls {
  /** Those to be shown, oldest first. */
  readonly calls: readonly PanelCall[];
  /** `run` names it where the caller has to know it before it ends. */
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
    // A failure stays until it is read, and so does what was done in part only, or wants something more.
    const tells = problemsIn([result.value]).length > 0 || noteOf(result.value) !== '' || isProposal(result.value);
    if (result.ok && !tells) dropLater(id);
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
