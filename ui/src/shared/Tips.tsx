import { useEffect, useId, useState } from 'react';

/** How a tooltip looks. */
export const tipClass =
  'z-50 flex max-w-72 animate-pop items-center gap-2 rounded-control border border-line bg-surface-raised px-2 py-1 text-small text-fg shadow-2';

/** ms before the first tip, as the provider of `Tooltip` has it. */
const DELAY = 500;

interface Tip {
  readonly text: string;
  readonly at: DOMRect;
}

/**
 * Shows the `data-tip` of what is under the pointer or has the focus: the whole of what is cut, or a word more.
 * One for the window; a tooltip for each of a thousand rows would make them slow to draw.
 */
export function Tips() {
  const [tip, setTip] = useState<Tip | null>(null);
  const id = useId();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let on: Element | null = null;
    const hide = () => {
      clearTimeout(timer);
      on?.removeAttribute('aria-describedby');
      on = null;
      setTip(null);
    };
    const show = (target: EventTarget | null, delay: number) => {
      const element = target instanceof Element ? target.closest('[data-tip]') : null;
      if (element === on) return;
      hide();
      const text = element?.getAttribute('data-tip') ?? '';
      if (!element || text === '') return;
      on = element;
      timer = setTimeout(() => {
        if (!element.isConnected) return;
        if (!element.hasAttribute('aria-describedby')) element.setAttribute('aria-describedby', id);
        setTip({ text, at: element.getBoundingClientRect() });
      }, delay);
    };
    const onOver = (event: Event) => show(event.target, DELAY);
    const onFocus = (event: Event) => event.target instanceof Element && event.target.matches(':focus-visible') && show(event.target, 0);
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && hide();
    const listeners: [string, (event: never) => void][] = [
      ['pointerover', onOver],
      ['focusin', onFocus],
      ['focusout', hide],
      ['pointerdown', hide],
      ['scroll', hide],
      ['keydown', onKey],
    ];
    for (const [type, listener] of listeners) document.addEventListener(type, listener as EventListener, true);
    return () => {
      clearTimeout(timer);
      for (const [type, listener] of listeners) document.removeEventListener(type, listener as EventListener, true);
    };
  }, [id]);
  if (tip === null) return null;
  const above = tip.at.bottom > window.innerHeight - 64;
  return (
    <div
      id={id}
      role="tooltip"
      className={`pointer-events-none fixed ${tipClass}`}
      style={{
        left: Math.max(8, Math.min(tip.at.left, window.innerWidth - 296)),
        ...(above ? { bottom: window.innerHeight - tip.at.top + 6 } : { top: tip.at.bottom + 6 }),
      }}
    >
      <span className="min-w-0 break-words whitespace-pre-line">{tip.text}</span>
    </div>
  );
}
