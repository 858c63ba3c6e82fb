import { useEffect, useLayoutEffect } from 'react';

import { useMedia } from '../shared';
import { useApp } from '../state/hooks';

/** Applies theme and text size, and stops animations while the window is hidden. */
export function useAppearance(): void {
  const appearance = useApp((app) => app.status?.appearance);
  const systemDark = useMedia('(prefers-color-scheme: dark)');
  const chosen = appearance?.theme ?? 'system';
  const theme = chosen === 'system' ? (systemDark ? 'dark' : 'light') : chosen;
  const textSize = appearance?.text_size ?? 14;

  // Before the first paint, so that a dark window never flashes white.
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);

  useLayoutEffect(() => {
    // Text and spacing are in rem; conversation text is 14 px at the browser's 16.
    document.documentElement.style.fontSize = `${(16 * textSize) / 14}px`;
  }, [textSize]);

  useEffect(() => {
    const follow = () => document.documentElement.toggleAttribute('data-hidden', document.hidden);
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => document.removeEventListener('visibilitychange', follow);
  }, []);
}
