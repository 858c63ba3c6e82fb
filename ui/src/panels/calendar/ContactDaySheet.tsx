import { IconButton } from '../../shared';
import { NoteLink } from '../../shared/NoteLink';
import { Revealed } from '../../shared/Revealed';
import { useCalendar } from './context';
import type { CalendarEvent } from './events';
import { sourceOf } from './sources';
import { Mark } from './SourceBar';
import { whenText } from './words';

/** Details of a contact's birthday or due day, below the hours. */
export function ContactDaySheet({ event }: { event: CalendarEvent }) {
  const { dispatch, sources, today } = useCalendar();
  return (
    <section aria-label={event.title} data-testid="contact-day-sheet" className="flex shrink-0 flex-col gap-1 border-t border-line-strong px-3.5 py-2.5 text-small">
      <div className="flex items-center gap-2">
        <Mark source={sourceOf(sources, event)} />
        <h2 className="selectable min-w-0 flex-1 truncate text-body font-semibold">
          <Revealed text={event.title} />
        </h2>
        <IconButton icon="x" iconSize={14} label="Close" keys="Esc" className="size-6" onClick={() => dispatch({ type: 'closed' })} />
      </div>
      <p>
        {whenText(event, today)}, from <NoteLink note={event.id}>the contact’s note</NoteLink>
      </p>
    </section>
  );
}
