// Long conversations. Every turn ends up on the page, so that screen readers, find and selection reach all
// of it; but the last ones come first, the others while nothing else happens, and what is out of sight is
// neither laid out nor painted (`nova-unseen` in main.css). A list that takes turns off the page again would
// be quicker still, and would lose all three.

import { type RefObject, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** Turns. Several screens of them. */
const AT_ONCE = 30;
const MORE = 40;

export interface Mounted {
  /** Index of the first turn that is on the page. */
  readonly first: number;
  readonly more: () => void;
  readonly all: () => void;
}

export function useMounted(session: string | null, turns: number): Mounted {
  const [known, setKnown] = useState({ session, turns, first: Math.max(0, turns - AT_ONCE) });
  let { first } = known;
  // Another chat, or its stored turns have come: its end is shown first.
  if (known.session !== session || (known.turns === 0 && turns > 1)) first = Math.max(0, turns - AT_ONCE);
  if (known.session !== session || known.turns !== turns) setKnown({ session, turns, first });
  const mount = (from: (first: number) => number) => setKnown((old) => ({ ...old, first: Math.max(0, from(old.first)) }));
  return { first, more: () => mount((old) => old - MORE), all: () => flushSync(() => mount(() => 0)) };
}

/** Puts earlier turns on the page bit by bit; what is being read stays where it is. */
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

/** Heights of what was out of sight are guesses, until it is laid out for the first time. */
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
          // It came into sight from above: what is below it stays where it is.
          if (before !== undefined && log && target.getBoundingClientRect().top < log.getBoundingClientRect().top) {
            log.scrollTop += height - before;
          }
        }
      });

/** A ref: keeps the view in its place when the article turns out higher or lower than it was taken for. */
export function steady(article: HTMLElement | null): (() => void) | undefined {
  if (!article || !observer) return undefined;
  observer.observe(article);
  return () => observer.unobserve(article);
}

function isLaidOut(article: Element): boolean {
  return article.firstElementChild?.checkVisibility?.({ contentVisibilityAuto: true }) ?? true;
}
