// Sends a message again.

import { useAttempt } from '../shared/useAttempt';

export function useAgain(work: () => Promise<void>) {
  const { busy, problem, attempt } = useAttempt();
  return { busy, problem, run: () => void attempt(work) };
}
