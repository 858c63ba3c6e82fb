import { useEffect, useReducer } from 'react';

import { useBackend, userError, type GlanceView, type JsonValue, type TodayRow, type UndoResult, type UserError } from '../../ipc';
import { useActions } from '../../state/hooks';
import { type DayEvent, type DayState, emptyDay, reduceDay, type Tick } from './day';

export interface Ticks {
  readonly state: DayState;
  send(event: DayEvent): void;
  tick(section: string, row: TodayRow, place: number): void;
  undo(tick: Tick): void;
}

/** The user's completions on the day's page. Each is a call of the skill's tool, and is undone as one. */
export function useTicks(glances: readonly GlanceView[] | null): Ticks {
  const backend = useBackend();
  const { watch, unwatch, undo } = useActions();
  const [state, send] = useReducer(reduceDay, emptyDay);
  useEffect(() => send({ type: 'read' }), [glances]);

  const tick = (section: string, row: TodayRow, place: number) => {
    if (row.tick === null) return;
    const run = `today-${crypto.randomUUID()}`;
    send({ type: 'ticked', section, row, place, run });
    watch(run);
    const args = row.tick.args as { [key: string]: JsonValue };
    backend
      .rpc('call_tool', { tool: row.tick.tool, args, run })
      .then(
        (result) => send({ type: 'tick_ended', run, result }),
        (thrown: unknown) => send({ type: 'tick_ended', run, result: { ok: false, error: userError(thrown), change_set: null } }),
      )
      .finally(() => unwatch(run));
  };

  const undoTick = ({ run, changeSet, state: now }: Tick) => {
    if (changeSet === null || now !== 'done') return;
    send({ type: 'undo_begun', run });
    undo({ change_set: changeSet }).then(
      (result) => send({ type: 'undo_ended', run, problem: notUndone(result) }),
      (thrown: unknown) => send({ type: 'undo_ended', run, problem: userError(thrown) }),
    );
  };

  return { state, send, tick, undo: undoTick };
}

function notUndone({ conflicts }: UndoResult): UserError | null {
  return conflicts.length === 0 ? null : { code: 'conflict', message: 'The note was edited since.', hint: 'Changes shows both versions.' };
}
