import { useMedia } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { useCalendar } from './context';
import { Mark } from './SourceBar';
import type { CalendarEvent } from './events';
import type { Box } from './overlaps';
import { sourceOf, type SourceColour } from './sources';
import { dayOf, instantOf, minuteOf, wallIn } from './time';
import { spokenRest, timesText } from './words';

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

/** An unanswered invitation has a dashed border. */
function lookOf(waits: boolean, colour: SourceColour, marked: boolean): string {
  const frame = waits ? 'border-y-line-control border-r-line-control' : 'border-y-transparent border-r-transparent';
  return `${edges[colour]} ${waits ? 'border-dashed bg-surface' : grounds[colour]} ${marked ? 'border-y-accent border-r-accent' : frame}`;
}

/** Height in px below which an event has one line, and of an hour in a normal and in a low window. */
const ONE_LINE = 34;
const HOUR = 48;
const LOW_HOUR = 40;

/** An event within the hours of a day; a click opens its sheet, dragging moves it. */
export function EventBox({ box: { event, from, to, column, columns }, day, single, ghost = false, lifted = false }: EventBoxProps) {
  const { state, dispatch, sources, now, zone, today, dragging } = useCalendar();
  const source = sourceOf(sources, event);
  const minutes = Math.max(to - from, 27);
  const past = instantOf(event.end, zone) <= now;
  const clock = minuteOf(wallIn(now, zone));
  const under = day === today && from <= clock && clock < to;
  const hour = useMedia('(max-height: 699px)') ? LOW_HOUR : HOUR;
  const oneLine = (minutes / 60) * hour < ONE_LINE || under;
  const open = state.open === event.key;
  const narrow = columns > 1;
  const waits = event.answer === 'NEEDS-ACTION';
  return (
    <div
      role="listitem"
      className={`absolute ${lifted ? 'pointer-events-none z-30' : 'z-10'} ${ghost ? 'opacity-40' : ''}`}
      style={{ top: `calc(var(--hour) * ${from / 60} + 1px)`, height: `calc(var(--hour) * ${minutes / 60} - 2px)`, left: `${(column / columns) * 100}%`, width: `calc(${100 / columns}% - 3px)` }}
    >
      <button
        type="button"
        data-event={lifted ? undefined : event.key}
        data-event-id={event.id}
        data-note-path={event.id.endsWith('.md') ? event.id : undefined}
        aria-expanded={open}
        data-tip={single ? undefined : `${event.title}, ${timesText(event)}`}
        tabIndex={lifted ? -1 : 0}
        onClick={() => dragging.clicked() && dispatch({ type: 'opened', event: event.key })}
        {...(lifted ? {} : dragging.ofEvent(event))}
        className={`relative flex h-full w-full touch-none flex-col items-stretch overflow-hidden rounded-badge border border-l-3 text-left text-small ${lookOf(waits, source.colour, open || lifted)} ${lifted ? 'shadow-2' : ''} ${past ? 'text-fg-3' : 'text-fg'} ${single ? 'px-1.5 py-px' : 'px-1'}`}
      >
        <span className={`flex min-w-0 gap-1.5 leading-4 ${oneLine ? 'items-center' : 'items-start'}`}>
          {single && <span className="flex pt-px"><Mark source={source} /></span>}
          <span className={`min-w-0 ${past ? '' : 'font-medium'} ${oneLine || (!single && narrow) ? 'truncate' : 'break-words'} ${single ? '' : 'text-meta'}`}>{<Revealed text={event.title} />}</span>
          {oneLine && <Times short={!single || columns > 2} event={event} />}
        </span>
        {!oneLine && (
          <span className={single ? `text-meta leading-3.5 tabular-nums ${past ? 'text-fg-3' : 'text-fg-2'}` : 'sr-only'}>
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
            {waits && single && <span aria-hidden="true" className="block">not answered</span>}
          </span>
        )}
        <span className="sr-only">, {spokenRest(event, source.name, source.readOnly)}</span>
        {!source.readOnly && dayOf(event.end) >= day && !lifted && (
          <span aria-hidden="true" data-stretch="" className="absolute right-0 bottom-0 left-0 h-1.5 cursor-ns-resize" />
        )}
      </button>
    </div>
  );
}

/** On the title's line; for screen readers only if there is no room. */
function Times({ event, short }: { event: CalendarEvent; short: boolean }) {
  return (
    <span className={short ? 'sr-only' : 'shrink-0 text-meta text-fg-3 tabular-nums'}>
      <span className="sr-only">, </span>
      {timesText(event)}
    </span>
  );
}
