import { Revealed } from '../../shared/Revealed';
import { LinkButton } from '../../shared';
import { useCalendar } from './context';
import { dayOfDays, wholeDayOn, type CalendarEvent } from './events';
import { Mark } from './SourceBar';
import { dayOf } from './time';
import { sourceOf, type SourceColour } from './sources';
import { useOpening } from './useOpening';
import { dayText, spokenRest } from './words';

/** Events per day shown at first: two columns of one, or two rows of several. */
const FIRST = 2;

/** All-day events, above the hours. */
export function WholeDays({ days }: { days: readonly string[] }) {
  const { events, dispatch, today, state } = useCalendar();
  const { lift } = state;
  const lifted = lift ? [{ ...lift.event, start: lift.start, end: lift.end }] : [];
  const all = days.map((day) => ({ day, own: wholeDayOn(events, day) }));
  if (all.every(({ own }) => own.length === 0)) return null;
  const single = days.length === 1;
  return (
    <div data-testid="whole-days" data-whole-days="" className="flex max-h-24 shrink-0 overflow-y-auto pr-3.5 pb-1.5 text-small">
      <span aria-hidden="true" className="w-12 shrink-0 pt-0.5 pr-1.5 text-right text-meta text-fg-3">
        all day
      </span>
      {all.map(({ day, own }) => {
        const shown = own.length > FIRST && !(single && state.open !== null && own.slice(FIRST).some(({ key }) => key === state.open)) ? own.slice(0, FIRST) : own;
        return (
          <div key={day} data-day={day} role="list" aria-label={`All day${single ? '' : `, ${day === today ? 'today' : day}`}`} className={single ? 'grid min-w-0 flex-1 grid-cols-2 gap-1' : 'flex min-w-0 flex-1 flex-col gap-0.5 px-px'}>
            {shown.map((event) => (
              <WholeDay key={event.key} event={event} day={day} single={single} />
            ))}
            {/* A single-day view shows it whatever its target day. */}
            {wholeDayOn(lifted, single ? dayOf(lifted[0]?.start ?? '') : day).map((event) => (
              <WholeDay key={`lifted ${event.key}`} event={event} day={day} single={single} lifted />
            ))}
            {own.length > shown.length && (
              <More count={own.length - shown.length} events={own.slice(FIRST)} onOpen={() => (single ? dispatch({ type: 'opened', event: own[FIRST]?.key ?? '' }) : dispatch({ type: 'viewed', view: 'day', day }))} />
            )}
          </div>
        );
      })}
    </div>
  );
}

function More({ count, events, onOpen }: { count: number; events: readonly CalendarEvent[]; onOpen: () => void }) {
  return (
    <LinkButton className="justify-self-start text-meta" aria-label={`${count} more: ${events.map(({ title }) => title).join(', ')}`} onClick={onOpen}>
      {count} more
    </LinkButton>
  );
}

/** `lifted`: at its target position. */
function WholeDay({ event, day, single, lifted = false }: { event: CalendarEvent; day: string; single: boolean; lifted?: boolean }) {
  const { sources, state, dragging, today } = useCalendar();
  const openEvent = useOpening();
  const source = sourceOf(sources, event);
  const which = lifted ? dayText(dayOf(event.start), today) : dayOfDays(event, day);
  const open = state.open === event.key;
  return (
    <div role="listitem" className={`min-w-0 ${lifted ? 'pointer-events-none' : state.lift?.event.key === event.key ? 'opacity-40' : ''}`}>
      <button
        type="button"
        data-event={lifted ? undefined : event.key}
        data-event-id={event.id || undefined}
        data-note-path={event.id.endsWith('.md') ? event.id : undefined}
        aria-expanded={open}
        tabIndex={lifted ? -1 : 0}
        onClick={() => openEvent(event)}
        {...(lifted ? {} : dragging.ofEvent(event))}
        className={`flex h-5.5 w-full touch-none items-center gap-1.5 rounded-badge border px-1 ${frameOf(event, open || lifted)} ${groundOf(event, source.colour)}`}
      >
        {single && <Mark source={source} />}
        <span className={`min-w-0 truncate ${single ? '' : 'text-meta'} ${event.answer === 'DECLINED' ? 'text-fg-3 line-through' : ''}`}>
          <Revealed text={event.title} />
          {which !== '' && <span className={single ? '@max-[26rem]:hidden' : 'sr-only'}>, {which}</span>}
          {single && which !== '' && (
            <span aria-hidden="true" className="hidden @max-[26rem]:inline">
              , {which.replace(/^day (\d+) of /, '$1/')}
            </span>
          )}
          <span className="sr-only">, all day, {spokenRest(event, source.name, source.readOnly)}</span>
        </span>
      </button>
    </div>
  );
}

function frameOf({ answer, proposed }: CalendarEvent, marked: boolean): string {
  if (proposed !== undefined) return 'border-dashed border-accent text-accent';
  if (marked) return 'border-accent';
  return answer === 'NEEDS-ACTION' ? 'border-dashed border-line-control' : answer === 'DECLINED' ? 'border-line-control' : 'border-transparent';
}

function groundOf({ answer, proposed }: CalendarEvent, colour: SourceColour): string {
  if (proposed !== undefined || answer === 'NEEDS-ACTION' || answer === 'DECLINED') return 'bg-surface';
  return colour === 'c1' || colour === 'c2' ? 'bg-accent-soft' : 'bg-surface-sunken';
}
