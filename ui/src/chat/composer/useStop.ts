// Stops the open chat's turn, even before it has begun; the press is shown until the turn has ended.

import { useState } from 'react';

import { userError, type UserError } from '../../ipc';
import { pendingTurn } from '../../state/app';
import { useActions, useApp, useSession } from '../../state/hooks';
import { runningTurn } from '../../state/session';

export function useStop() {
  const { stop } = useActions();
  const begun = useSession((state) => runningTurn(state)?.id ?? null);
  const pending = useApp(pendingTurn);
  const turn = begun ?? pending;
  const [stopped, setStopped] = useState<string | null>(null);
  const [problem, setProblem] = useState<UserError | null>(null);
  const run = async () => {
    setStopped(turn);
    setProblem(null);
    try {
      await stop();
    } catch (thrown) {
      setStopped(null);
      setProblem(userError(thrown));
    }
  };
  return { running: turn !== null, stopping: turn !== null && stopped === turn, problem, stop: () => void run() };
}
