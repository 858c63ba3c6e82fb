import { useSyncExternalStore } from 'react';

/** The current minute, ms. */
export function useMinute(): number {
  return useSyncExternalStore(listen, () => Math.floor(Date.now() / 60_000) * 60_000);
}

function listen(onTick: () => void): () => void {
  const timer = setInterval(onTick, 1000);
  return () => clearInterval(timer);
}
