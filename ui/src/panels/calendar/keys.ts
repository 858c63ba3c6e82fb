// Keys of the calendar, anywhere in its panel.

import { latinKey } from '../../state/latin-key';
import { addDays } from '../../shared/form/dates';
import type { CalendarContext } from './context';
import type { CalendarView } from './state';

const views: Readonly<Record<string, CalendarView>> = { d: 'day', w: 'week', m: 'month' };

export function keysOf({ state, dispatch, today, writing, dragging }: CalendarContext) {
  return (event: KeyboardEvent) => {
    const region = event.currentTarget;
    // A picked-up event handles the keys.
    if (state.lift !== null || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !(region instanceof HTMLElement) || isElsewhere(event.target, region)) return;
    const act = actOf(latinKey(event), region);
    if (act === null) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };

  function actOf(key: string, region: HTMLElement): (() => void) | null {
    const view = views[key];
    if (view) return () => dispatch({ type: 'viewed', view });
    switch (key) {
      case 't':
        return () => dispatch({ type: 'went', day: today });
      case 'n':
        return writing.add;
      case 'g':
        return () => region.querySelector<HTMLElement>('[data-testid=calendar-date]')?.click();
      case 'ArrowLeft':
        return () => dispatch({ type: 'went', day: addDays(state.day, -1) });
      case 'ArrowRight':
        return () => dispatch({ type: 'went', day: addDays(state.day, 1) });
      case 'ArrowUp':
        return () => focusEvent(region, -1);
      case 'ArrowDown':
        return () => focusEvent(region, 1);
      case 'Enter':
        return state.view === 'month' && !(document.activeElement instanceof HTMLButtonElement) ? () => dispatch({ type: 'viewed', view: 'day' }) : null;
      case 'Escape':
        if (state.choice !== null) return () => dragging.choose(null);
        return state.open === null && state.adding === null ? null : () => dispatch({ type: 'closed' });
      default:
        return null;
    }
  }
}

/** In text fields, in controls that use arrow keys, or below an overlay. */
function isElsewhere(target: EventTarget | null, region: HTMLElement): boolean {
  if (!(target instanceof Element)) return true;
  if (target.closest('input, textarea, select, [contenteditable=true], [role=menu], [role=tablist], [role=grid], [role=radiogroup], [role=separator]')) return true;
  const dialog = target.closest('[role=dialog]');
  return dialog !== null && dialog !== region;
}

/** Focuses the next or previous event; the first or last if none is focused. */
function focusEvent(region: HTMLElement, by: 1 | -1): void {
  const all = [...region.querySelectorAll<HTMLElement>('[data-event]')];
  const at = all.findIndex((one) => one === document.activeElement);
  const next = at < 0 ? (by > 0 ? all[0] : all.at(-1)) : all[at + by];
  next?.focus();
  next?.scrollIntoView?.({ block: 'nearest' });
}
