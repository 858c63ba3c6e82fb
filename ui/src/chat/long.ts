// Long conversations. All turns are eventually mounted, so that screen readers, find and selection cover
// everything; but the last ones come first, the others while idle, and invisible ones are neither laid out
// nor painted (`nova-unseen` in main.css). Virtualisation would be faster, but lose all three.

import { type RefObject, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** Turns mounted first; several screens. */
const AT_ONCE = 30;
const MORE = 40;

export interface Mounted {
  /** Index of the first mounted turn. */
  readonly first: number;
  readonly more: () => void;
  readonly all: () => void;
}

export function useMounted(session: string | null, turns: number): Mounted {
  const [known, setKnown] = useState({ session, turns, first: Math.max(0, turns - AT_ONCE) });
  let { first } = known;
  // Another chat, or its stored turns have arrived: show its end first.
  if (known.session !== session || (known.turns === 0 && turns > 1)) first = Math.max(0, turns - AT_ONCE);
  if (known.session !== session || known.turns !== turns) setKnown({ session, turns, first });
  const mount = (from: (first: number) => number) => setKnown((old) => ({ ...old, first: Math.max(0, from(old.first)) }));
  return { first, more: () => mount((old) => old - MORE), all: () => flushSync(() => mount(() => 0)) };
}

/** Mounts earlier turns gradually without moving the visible ones. */
export function useMountMore(viewport: RefObject<HTMLElement | null>, { first, more }: Mounted): void {
  useEffect(() => {
    if (first === 0) return;
    const timer = setTimeout(() => {
      const element = viewport.current;
      const below = element ? element.scrollHeight - element.scrollTop : 0;
      flushSync(more);
      if (element) element.scrollTop = element.scrollHeight - below;
    });
    return () => clearTimeout(timer);
  });
}

/** Heights of turns that were never visible are estimates until the first layout. */
const heights = new WeakMap<Element, number>();
const seen = new WeakSet<Element>();

const observer =
  typeof ResizeObserver === 'undefined'
    ? null
    : new ResizeObserver((entries) => {
        for (const { target, borderBoxSize } of entries) {
          const height = borderBoxSize[0]?.blockSize ?? 0;
          const before = heights.get(target);
          heights.set(target, height);
          if (seen.has(target) || !isLaidOut(target)) continue;
          seen.add(target);
          const log = target.closest('[role=log]');
          // It became visible from above: keep what is below it in place.
          if (before !== undefined && log && target.getBoundingClientRect().top < log.getBoundingClientRect().top) {
            log.scrollTop += height - before;
          }
        }
      });

/** A ref that keeps the scroll position when an article's height differs from the estimate. */
export function steady(article: HTMLElement | null): (() => void) | undefined {
  if (!article || !observer) return undefined;
  observer.observe(article);
  return () => observer.unobserve(article);
}

function isLaidOut(article: Element): boolean {
  return article.firstElementChild?.checkVisibility?.({ contentVisibilityAuto: true }) ?? true;
}
