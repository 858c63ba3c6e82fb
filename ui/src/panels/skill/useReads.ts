// Loads a panel's data from the skill's tools, and reloads it when notes change. Changes during a call cause
// one reload afterwards, not one each.

import { useCallback, useEffect, useReducer, useRef } from 'react';

import { useBackend, userError, type ToolResult } from '../../ipc';
import { useActions, useApp } from '../../state/hooks';
import { dueReads, keyOf, reduceReads, settled, type Asked, type Read, type Reads } from './state';

export interface PanelReads {
  of(asked: Asked): Read | null;
  readonly all: Reads;
  /** Reloads everything. */
  again(): void;
  /** Reloads one request. */
  reread(asked: Asked): void;
}

/**
 * `of`: whether the data comes from notes, from elsewhere, so that changed notes do not matter, or is only
 * reloaded on request. `kept`: data loaded before the panel was closed.
 */
export function useReads(wanted: readonly Asked[], of: 'notes' | 'elsewhere' | 'asked' = 'notes', kept: Reads = {}): PanelReads {
  const backend = useBackend();
  const { watch, unwatch } = useActions();
  const [reads, dispatch] = useReducer(reduceReads, kept, settled);
  const changes = useApp(({ revisions }) => revisions.changes);
  const registry = useApp(({ revisions }) => revisions.registry);
  const vault = useApp(({ status }) => status?.vault?.path);
  const again = useCallback(() => dispatch({ type: 'changed' }), []);
  const reread = useCallback((asked: Asked) => dispatch({ type: 'changed', key: keyOf(asked) }), []);

  const now = of === 'asked' ? '' : `${of === 'notes' ? changes : ''} ${registry} ${vault}`;
  const seen = useRef(now);
  useEffect(() => {
    if (seen.current === now) return;
    seen.current = now;
    again();
  }, [now, again]);

  const key = wanted.map(keyOf).join('\n');
  useEffect(() => {
    for (const asked of dueReads(reads, wanted)) {
      const run = `panel-${crypto.randomUUID()}`;
      dispatch({ type: 'begun', asked, run });
      // A rule may require approval of a read: the question is an event of the run.
      watch(run);
      const ended = (result: ToolResult) => {
        unwatch(run);
        dispatch({ type: 'ended', asked, run, at: new Date().toISOString(), result });
      };
      backend.rpc('call_tool', { ...asked, args: { ...asked.args }, run }).then(ended, (thrown: unknown) => ended(failed(thrown)));
    }
  }, [backend, watch, unwatch, reads, key]); // eslint-disable-line react-hooks/exhaustive-deps -- `key` stands for what is wanted

  return { of: (asked) => reads[keyOf(asked)] ?? null, all: reads, again, reread };
}

export function failed(thrown: unknown): ToolResult {
  return { ok: false, value: null, error: userError(thrown), sources: [], figures: [], changes: [], change_set: null, ms: 0 };
}
