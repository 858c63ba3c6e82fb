import { useEffect, useState } from 'react';

/** After a card appears or what it shows changes, an answer may have been meant for something else. */
const LOOK_FIRST = 400;

/** Whether `shown` has stood unchanged long enough to be answered. */
export function useArmed(shown: string): boolean {
  const [armedFor, setArmedFor] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setArmedFor(shown), LOOK_FIRST);
    return () => clearTimeout(timer);
  }, [shown]);
  return armedFor === shown;
}
