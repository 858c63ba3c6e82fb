import { useEffect, useId, useState } from 'react';
import { createPortal } from 'react-dom';

import { Kbd } from './Kbd';

/** Delay of the first tip, ms. */
const DELAY = 500;
/** Time after a tip in which the next one appears at once, ms. */
const NEXT = 200;
/** px */
const MARGIN = 8;
const GAP = 6;

interface Tip {
  readonly text: string;
  readonly keys: string | null;
  readonly at: DOMRect;
}

/**
 * Tooltips: shows the `data-tip` and `data-tip-keys` of the hovered or focused element. One instance for the
 * window: a tooltip for each of a thousand rows would slow down rendering. It takes no keys or clicks; Esc is
 * for what is below it.
 */
export function Tips() {
  const [tip, setTip] = useState<Tip | null>(null);
  const id = useId();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let on: Element | null = null;
    let shown = false;
    let byFocus = false;
    let hiddenAt = -Infinity;
    const hide = () => {
      clearTimeout(timer);
      if (on?.getAttribute('aria-describedby') === id) on.removeAttribute('aria-describedby');
      if (shown) hiddenAt = performance.now();
      on = null;
      shown = false;
      byFocus = false;
      setTip(null);
    };
    const show = (target: EventTarget | null, delay: number) => {
      const element = target instanceof Element ? target.closest('[data-tip]') : null;
      // An element that slides under a resting pointer takes no tip from the focused one.
      if (element === on || (element === null && byFocus)) return;
      hide();
      const text = element?.getAttribute('data-tip') ?? '';
      if (!element || text === '') return;
      on = element;
      timer = setTimeout(() => {
        if (!element.isConnected) return;
        const described = element.hasAttribute('aria-describedby') || element.getAttribute('aria-label') === text;
        if (!described) element.setAttribute('aria-describedby', id);
        shown = true;
        setTip({ text, keys: element.getAttribute('data-tip-keys'), at: element.getBoundingClientRect() });
      }, delay);
    };
    const onOver = (event: Event) => show(event.target, performance.now() - hiddenAt < NEXT ? 0 : DELAY);
    const onFocus = (event: Event) => {
      if (!(event.target instanceof Element) || !event.target.matches(':focus-visible')) return;
      show(event.target, 0);
      byFocus = on !== null;
    };
    const listeners: [string, (event: never) => void][] = [
      ['pointerover', onOver],
      ['focusin', onFocus],
      ['focusout', hide],
      ['pointerdown', hide],
      ['scroll', hide],
      ['keydown', hide],
    ];
    for (const [type, listener] of listeners) document.addEventListener(type, listener as EventListener, true);
    return () => {
      clearTimeout(timer);
      for (const [type, listener] of listeners) document.removeEventListener(type, listener as EventListener, true);
    };
  }, [id]);
  if (tip === null) return null;
  // Outside of the page, which is hidden from screen readers while a dialog is open.
  return createPortal(
    <div
      key={`${tip.at.x} ${tip.at.y} ${tip.text}`}
      ref={(element) => {
        if (element) place(element, tip.at);
      }}
      id={id}
      role="tooltip"
      className="pointer-events-none fixed z-50 flex max-w-72 animate-pop items-center gap-2 rounded-control border border-line bg-surface-raised px-2 py-1 text-small text-fg shadow-2"
    >
      <span className="min-w-0 break-words whitespace-pre-line">{tip.text}</span>
      {tip.keys !== null && <Kbd>{tip.keys}</Kbd>}
    </div>,
    document.body,
  );
}

/**
 * Below its element, or above it at the foot of the window; centred on a small one, aligned with the start of
 * a wide one.
 */
function place(element: HTMLElement, at: DOMRect) {
  const { offsetWidth: width, offsetHeight: height } = element;
  const left = at.width < width ? at.left + (at.width - width) / 2 : at.left;
  const fitsBelow = at.bottom + GAP + height + MARGIN <= window.innerHeight;
  element.style.left = `${Math.max(MARGIN, Math.min(left, window.innerWidth - width - MARGIN))}px`;
  element.style.top = `${fitsBelow ? at.bottom + GAP : at.top - GAP - height}px`;
}
