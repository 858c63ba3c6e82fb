import { useEffect, useState } from 'react';

/** Milliseconds after a card appears or changes in which a click may have been aimed at something else. */
const LOOK_FIRST = 400;

/** Whether `shown` was unchanged long enough to be answered. */
export function useArmed(shown: string): boolean {
  const [armedFor, setArmedFor] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setArmedFor(shown), LOOK_FIRST);
    return () => clearTimeout(timer);
  }, [shown]);
  return armedFor === shown;
}
