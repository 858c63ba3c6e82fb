import { useEffect, useEffectEvent } from 'react';

/** Time for which a list counts as current, ms. */
const CURRENT_FOR = 120_000;

/** Reloads while the window is visible and the machine is online. */
export function useRefresh(again: () => void): void {
  const look = useEffectEvent(() => {
    if (document.visibilityState === 'visible' && navigator.onLine) again();
  });
  useEffect(() => {
    const timer = setInterval(look, CURRENT_FOR);
    return () => clearInterval(timer);
  }, []);
}
