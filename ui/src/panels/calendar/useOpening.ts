import { useActions } from '../../state/hooks';
import { useCalendar } from './context';
import type { CalendarEvent } from './events';

/** Opens an event's sheet; of a proposed one the card that waits in the chat. */
export function useOpening(): (event: CalendarEvent) => void {
  const { dispatch, dragging } = useCalendar();
  const { setPanel } = useActions();
  return (event) => {
    if (!dragging.clicked()) return;
    if (event.proposed === undefined) return dispatch({ type: 'opened', event: event.key });
    setPanel({ wide: false, peek: false });
    requestAnimationFrame(() => {
      const cards = [...document.querySelectorAll<HTMLElement>('[data-testid=approval-card]')];
      // Several calls share the card of the first.
      const card = cards.find(({ dataset }) => dataset['call'] === event.proposed) ?? cards[0];
      card?.focus();
      card?.scrollIntoView?.({ block: 'nearest' });
    });
  };
}
