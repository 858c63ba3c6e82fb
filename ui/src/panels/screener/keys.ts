// Keyboard shortcuts of the screener panel.

import { latinKey } from '../../state/latin-key';
import type { ScreenerContext } from './context';

export function keysOf({ state, dispatch, test, startScan }: Pick<ScreenerContext, 'state' | 'dispatch' | 'test' | 'startScan'>) {
  return (event: KeyboardEvent) => {
    const region = event.currentTarget;
    if (event.defaultPrevented || event.altKey || !(region instanceof HTMLElement) || isOver(event.target, region)) return;
    const act = actOf(event, region);
    if (act === null) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };

  function actOf(event: KeyboardEvent, region: HTMLElement): (() => void) | null {
    if (event.ctrlKey || event.metaKey) return event.key === 'Enter' ? startScan : null;
    if (event.shiftKey) return null;
    // Lists handle these keys themselves.
    if (isTyping(event.target) || isIn(event.target, '[data-list]')) return null;
    switch (latinKey(event)) {
      case 'Escape':
        return state.explained === null ? null : () => closeExplanation(region);
      case 'j':
        return () => focusHit(region, 1);
      case 'k':
        return () => focusHit(region, -1);
      case 'ArrowDown':
      case 'ArrowUp':
        // Outside of the table they scroll.
        return isIn(event.target, '[data-hit]') ? () => focusHit(region, event.key === 'ArrowDown' ? 1 : -1) : null;
      case 'ArrowLeft':
      case 'ArrowRight':
        if (test === null || !isIn(event.target, '[data-screener-test]') || isIn(event.target, '[role=radio], [role=tab]')) return null;
        return () => dispatch({ type: 'stepped', by: event.key === 'ArrowLeft' ? -1 : 1, days: test.curve.map(({ day }) => day) });
      default:
        return null;
    }
  }

  function focusHit(region: HTMLElement, by: 1 | -1): void {
    const rows = [...region.querySelectorAll<HTMLElement>('[data-hit]')];
    const focused = rows.findIndex((row) => row === document.activeElement);
    const at = focused < 0 ? rows.findIndex((row) => row.dataset['hit'] === state.explained) : focused;
    const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  }

  /** Returns the focus to the explained hit. */
  function closeExplanation(region: HTMLElement): void {
    const symbol = state.explained;
    dispatch({ type: 'explained', symbol: null });
    [...region.querySelectorAll<HTMLElement>('[data-hit]')].find((row) => row.dataset['hit'] === symbol)?.focus();
  }
}

const isIn = (target: EventTarget | null, where: string) => target instanceof Element && target.closest(where) !== null;

const isTyping = (target: EventTarget | null) => isIn(target, 'input, textarea, select, [contenteditable=true]');

/** Whether a menu, an approval card or another dialog has the focus. */
function isOver(target: EventTarget | null, region: HTMLElement): boolean {
  if (!(target instanceof Element) || target.closest('[role=menu], [data-testid=approval-card]')) return true;
  const dialog = target.closest('[role=dialog]');
  return dialog !== null && dialog !== region;
}
