import { useMedia } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { useCalendar } from './context';
import { Mark } from './SourceBar';
import type { CalendarEvent } from './events';
import type { Box } from './overlaps';
import { sourceOf, type SourceColour } from './sources';
import { clockOf, dayOf, instantOf, minuteOf, wallIn } from './time';
import { useOpening } from './useOpening';
import { spokenRest, statusText, timesText } from './words';

interface EventBoxProps {
  readonly box: Box;
  readonly day: string;
  /** Only one day is shown, so that times and places fit. */
  readonly single: boolean;
  /** The original position of a picked-up event. */
  readonly ghost?: boolean;
  /** The target position of a picked-up event. */
  readonly lifted?: boolean;
}

const edges: Record<SourceColour, string> = { c1: 'border-l-c1', c2: 'border-l-c2', c3: 'border-l-c3', c4: 'border-l-c4' };
const grounds: Record<SourceColour, string> = { c1: 'bg-accent-soft', c2: 'bg-accent-soft', c3: 'bg-surface-sunken', c4: 'bg-surface-sunken' };

/** An unanswered invitation and a proposed event have a dashed border, a declined one has no ground. */
function lookOf({ answer, proposed }: CalendarEvent, colour: SourceColour, marked: boolean): string {
  if (proposed !== undefined) return 'border-dashed border-accent bg-surface text-accent';
  const [waits, declined] = [answer === 'NEEDS-ACTION', answer === 'DECLINED'];
  const frame = waits || declined ? 'border-y-line-control border-r-line-control' : 'border-y-transparent border-r-transparent';
  return `${edges[colour]} ${waits ? 'border-dashed' : ''} ${waits || declined ? 'bg-surface' : grounds[colour]} ${marked ? 'border-y-accent border-r-accent' : frame}`;
}

/** Height in px below which an event has one line, and of an hour in a normal and in a low window. */
const ONE_LINE = 34;
const HOUR = 48;
const LOW_HOUR = 40;

/** An event within the hours of a day; a click opens its sheet, dragging moves it. */
export function EventBox({ box: { event, from, to, column, columns }, day, single, ghost = false, lifted = false }: EventBoxProps) {
  const { state, sources, now, zone, today, dragging } = useCalendar();
  const openEvent = useOpening();
  const source = sourceOf(sources, event);
  const minutes = Math.max(to - from, 27);
  const declined = event.answer === 'DECLINED';
  const faded = declined || (event.proposed === undefined && instantOf(event.end, zone) <= now);
  const clock = minuteOf(wallIn(now, zone));
  const under = day === today && from <= clock && clock < to;
  const hour = useMedia('(max-height: 699px)') ? LOW_HOUR : HOUR;
  const oneLine = (minutes / 60) * hour < ONE_LINE || under;
  const open = state.open === event.key;
  const narrow = columns > 1;
  const status = statusText(event);
  return (
    <div
      role="listitem"
      className={`absolute ${lifted ? 'pointer-events-none z-30' : 'z-10'} ${ghost ? 'opacity-40' : ''}`}
      style={{ top: `calc(var(--hour) * ${from / 60} + 1px)`, height: `calc(var(--hour) * ${minutes / 60} - 2px)`, left: `${(column / columns) * 100}%`, width: `calc(${100 / columns}% - 3px)` }}
    >
      <button
        type="button"
        data-event={lifted ? undefined : event.key}
        data-event-id={event.id || undefined}
        data-note-path={event.id.endsWith('.md') ? event.id : undefined}
        aria-expanded={open}
        data-tip={single ? undefined : `${event.title}, ${timesText(event)}`}
        tabIndex={lifted ? -1 : 0}
        onClick={() => openEvent(event)}
        {...(lifted ? {} : dragging.ofEvent(event))}
        className={`relative flex h-full w-full touch-none flex-col items-stretch overflow-hidden rounded-badge border border-l-3 text-left text-small ${lookOf(event, source.colour, open || lifted)} ${lifted ? 'shadow-2' : ''} ${faded ? 'text-fg-3' : event.proposed === undefined ? 'text-fg' : ''} ${single ? 'px-1.5 py-px' : 'px-1'}`}
      >
        <span className={`flex min-w-0 gap-1.5 leading-4 ${oneLine ? 'items-center' : 'items-start'}`}>
          {single && <span className="flex pt-px"><Mark source={source} /></span>}
          <span className={`min-w-0 ${faded ? '' : 'font-medium'} ${declined ? 'line-through' : ''} ${oneLine || (!single && narrow) ? 'truncate' : 'break-words'} ${single ? '' : 'text-meta'}`}>{<Revealed text={event.title} />}</span>
          {oneLine && <Times short={!single || columns > 2} event={event} />}
        </span>
        {!oneLine && (
          <span className={single ? `text-meta leading-3.5 tabular-nums ${faded ? 'text-fg-3' : event.proposed === undefined ? 'text-fg-2' : 'text-accent'}` : 'sr-only'}>
            <span className="sr-only">, </span>
            {timesText(event)}
            {event.location !== null && (
              <>
                <span className={narrow ? 'sr-only' : ''}>, </span>
                <span className={narrow ? 'block' : ''}>
                  <Revealed text={event.location} />
                </span>
              </>
            )}
            {status !== '' && single && <span aria-hidden="true" className="block">{status}</span>}
          </span>
        )}
        <span className="sr-only">, {spokenRest(event, source.name, source.readOnly)}</span>
        {!source.readOnly && event.proposed === undefined && dayOf(event.end) >= day && !lifted && (
          <span aria-hidden="true" data-stretch="" className="absolute right-0 bottom-0 left-0 h-1.5 cursor-ns-resize" />
        )}
      </button>
    </div>
  );
}

/** On the title's line; for screen readers only if there is no room. */
function Times({ event, short }: { event: CalendarEvent; short: boolean }) {
  return (
    <span className={short ? 'sr-only' : `shrink-0 text-meta tabular-nums ${event.proposed === undefined ? 'text-fg-3' : 'text-accent'}`}>
      <span className="sr-only">, </span>
      {event.proposed === undefined ? timesText(event) : clockOf(event.start)}
      {event.proposed !== undefined && <span aria-hidden="true">, {statusText(event)}</span>}
    </span>
  );
}
