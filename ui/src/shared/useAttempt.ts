import { useState } from 'react';

import { userError, type UserError } from '../ipc';

/** An action started by a button: whether it runs, and its last error. */
export function useAttempt() {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<UserError | null>(null);
  const attempt = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(null);
    try {
      await work();
    } catch (thrown) {
      setProblem(userError(thrown));
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, attempt, clear: () => setProblem(null) };
}
