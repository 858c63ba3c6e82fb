// Sending once more what was sent.

import { useState } from 'react';

import { userError, type UserError } from '../ipc';

export function useAgain(work: () => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<UserError | null>(null);
  const run = async () => {
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
  return { busy, problem, run: () => void run() };
}
