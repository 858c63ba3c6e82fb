import { vi } from 'vitest';

/** Sets the window's width and colour scheme for media queries. */
export function setWindow({ width = 1440, dark = false }: { width?: number; dark?: boolean }): void {
  vi.stubGlobal('matchMedia', (media: string) => {
    const least = /min-width: (\d+)px/.exec(media)?.[1];
    const most = /max-width: (\d+)px/.exec(media)?.[1];
    const matches =
      (least === undefined || width >= Number(least)) &&
      (most === undefined || width <= Number(most)) &&
      (!media.includes('prefers-color-scheme') || dark) &&
      !media.includes('prefers-reduced-motion');
    return { media, matches, addEventListener() {}, removeEventListener() {} };
  });
}
