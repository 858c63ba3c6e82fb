// Answers an approval card: once it is armed, one answer at a time, for all its calls.

import { useLayoutEffect, useRef, useState, type RefObject } from 'react';

import { useBackend, userError, type Decision, type JsonValue, type UserError } from '../ipc';
import { focusIsLost } from '../shared/focus';
import { useArmed } from '../shared/useArmed';
import { useActions } from '../state/hooks';
import type { CallItem } from '../state/session';

type Mode = 'asking' | 'denying' | 'editing';

interface Asked {
  readonly calls: readonly CallItem[];
  readonly session: string;
  readonly card: RefObject<HTMLElement | null>;
}

export interface Answering {
  readonly mode: Mode;
  setMode(mode: Mode): void;
  /** Whether the content was visible long enough to be answered. */
  readonly armed: boolean;
  /** Whether the content changed since the card was shown. */
  readonly stale: boolean;
  readonly busy: boolean;
  readonly problem: UserError | null;
  readonly deny: RefObject<HTMLButtonElement | null>;
  readonly edit: RefObject<HTMLButtonElement | null>;
  /** `args` are the requested values. */
  answer(decision: Decision, reason?: string, args?: JsonValue): Promise<void>;
  /** Requests the same card with other arguments; the new effect is shown before it can be allowed. */
  revise(args: JsonValue): Promise<void>;
}

export function useAnswering({ calls, session, card }: Asked): Answering {
  const [mode, setMode] = useState<Mode>('asking');
  const [busyWith, setBusyWith] = useState<string | null>(null);
  const [problem, setProblem] = useState<UserError | null>(null);
  const { decide } = useActions();
  const backend = useBackend();

  const shown = calls.map((call) => `${call.call}#${call.approval?.revision ?? 0}`).join(' ');
  const [firstShown] = useState(shown);
  const armed = useArmed(shown);
  const busy = busyWith === shown;
  const deny = useRef<HTMLButtonElement>(null);
  const edit = useRef<HTMLButtonElement>(null);
  // The focused part is gone: focus what opened it, or after a revision the new content.
  const left = useRef<'denying' | 'editing' | 'revised' | null>(null);
  useLayoutEffect(() => {
    if (mode !== 'asking') {
      left.current = mode;
      return;
    }
    const to = left.current === 'denying' ? deny : left.current === 'editing' ? edit : left.current === 'revised' ? card : null;
    left.current = null;
    if (to && focusIsLost()) to.current?.focus();
  }, [mode, card]);

  const attempt = async (work: () => Promise<unknown>) => {
    if (!armed || busy) return;
    setBusyWith(shown);
    setProblem(null);
    try {
      await work();
    } catch (thrown) {
      setProblem(userError(thrown));
      setBusyWith(null);
    }
  };
  return {
    mode,
    setMode,
    armed,
    stale: shown !== firstShown,
    busy,
    problem,
    deny,
    edit,
    answer: (decision, reason, args) =>
      attempt(async () => {
        for (const call of calls) {
          const revision = call.approval?.revision ?? 0;
          await decide({ session, call: call.call, decision, revision, ...(reason ? { reason } : {}), ...(args === undefined ? {} : { args }) });
        }
      }),
    revise: (args) =>
      attempt(async () => {
        const [call] = calls;
        if (call) await backend.rpc('revise_approval', { session, call: call.call, args });
        left.current = 'revised';
        setMode('asking');
      }),
  };
}
