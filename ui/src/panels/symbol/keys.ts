// Keys of the symbol panel, anywhere in it.

import { latinKey } from '../../state/latin-key';
import type { SymbolContext } from './context';
import { ranges, type SymbolChange } from './state';

export function keysOf({ dispatch, chart, symbol }: Pick<SymbolContext, 'dispatch' | 'chart' | 'symbol'>) {
  return (event: KeyboardEvent) => {
    const region = event.currentTarget;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !(region instanceof HTMLElement) || isElsewhere(event.target, region)) return;
    const key = latinKey(event);
    // `/` takes Shift on many keyboards, and so do digits.
    if (event.shiftKey && !/^[\d/]$/.test(key)) return;
    const act = actOf(key, region, event.target);
    if (act === null) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };

  function actOf(key: string, region: HTMLElement, target: EventTarget | null): (() => void) | null {
    if (key === '/') return () => region.querySelector<HTMLElement>('[data-symbol-search] input')?.focus();
    if (symbol === null) return null;
    const change = changeOf(key, target);
    return change && (() => dispatch(change));
  }

  function changeOf(key: string, target: EventTarget | null): SymbolChange | null {
    const range = ranges[Number(key) - 1];
    if (range !== undefined) return { type: 'ranged', range };
    switch (key) {
      case 'c':
        return { type: 'compares', open: true };
      case 'v':
        return { type: 'switched', part: 'volume' };
      case 'a':
        return { type: 'switched', part: 'average' };
      case 'l':
        return { type: 'switched', part: 'log' };
      case 't':
        return { type: 'switched', part: 'table' };
      case 'ArrowLeft':
      case 'ArrowRight':
        // Arrow keys move between segments and tabs.
        if (chart === null || (target instanceof Element && target.closest('[role=radio], [role=tab]'))) return null;
        return { type: 'stepped', by: key === 'ArrowLeft' ? -1 : 1, days: chart.days };
      default:
        return null;
    }
  }
}

/** In text fields, in controls that use arrow keys, or below an overlay. */
function isElsewhere(target: EventTarget | null, region: HTMLElement): boolean {
  if (!(target instanceof Element)) return true;
  if (target.closest('input, textarea, select, [contenteditable=true], [role=menu], [data-testid=approval-card]')) return true;
  const dialog = target.closest('[role=dialog]');
  return dialog !== null && dialog !== region;
}
