import { Icon } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { useReads } from '../skill/useReads';
import { useCalendar } from './context';
import { listingOf } from './events';
import { overlapping } from './new-event';
import { clockOf, dayOf, type Local } from './time';

/** Names shown before the rest is counted. */
const FIRST = 3;

/** The events that a new one overlaps, of all calendars. */
export function OverlapNote({ start, end }: { start: Local; end: Local }) {
  const { nameOf } = useCalendar();
  // Its day need not be visible, and its calendar may be hidden.
  const asked = { tool: nameOf('list_events'), args: { from: dayOf(start), days: 2 } };
  const found = overlapping({ start, end }, listingOf([useReads([asked]).of(asked)?.result?.value]).events);
  return (
    <p role="status" className="flex items-start gap-1.5 text-small text-warn empty:hidden">
      {found.length > 0 && (
        <>
          <Icon name="warn" size={14} className="mt-0.5" />
          <span className="min-w-0">
            Overlaps <Revealed text={found.slice(0, FIRST).map((event) => `${event.title} ${clockOf(event.start)}`).join(', ')} />
            {found.length > FIRST && ` and ${found.length - FIRST} more`}
          </span>
        </>
      )}
    </p>
  );
}
