import { useCallback, useSyncExternalStore } from 'react';

/** The current time in ms, updated every second while `running`. */
export function useClock(running: boolean): number {
  const subscribe = useCallback(
    (onTick: () => void) => {
      if (!running) return () => undefined;
      const timer = setInterval(onTick, 1000);
      return () => clearInterval(timer);
    },
    [running],
  );
  return useSyncExternalStore(subscribe, seconds);
}

function seconds(): number {
  return Math.floor(Date.now() / 1000) * 1000;
}
