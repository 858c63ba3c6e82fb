import { useEffect, useEffectEvent } from 'react';

/** How long a list is taken for current, ms. */
const CURRENT_FOR = 120_000;

/** Reads again while the window is seen and the machine has a network. */
export function useRefresh(again: () => void): void {
  const look = useEffectEvent(() => {
    if (document.visibilityState === 'visible' && navigator.onLine) again();
  });
  useEffect(() => {
    const timer = setInterval(look, CURRENT_FOR);
    return () => clearInterval(timer);
  }, []);
}
