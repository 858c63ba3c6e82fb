import { Revealed } from '../../shared/Revealed';
import { useCalendar } from './context';
import { eventsOn, type CalendarEvent } from './events';
import { sourceOf, type SourceColour } from './sources';
import { clockOf } from './time';
import { dayText, statusText, weekdayText } from './words';

/** Titles that fit in a day. */
const FIRST = 3;

const bars: Record<SourceColour, string> = { c1: 'border-c1', c2: 'border-c2', c3: 'border-c3', c4: 'border-c4' };

/** The weeks of a month; each day can be opened. */
export function MonthView({ days }: { days: readonly string[] }) {
  const weeks = Array.from({ length: days.length / 7 }, (_, week) => days.slice(7 * week, 7 * week + 7));
  return (
    <div data-scroll="" className="flex min-h-0 flex-1 flex-col overflow-y-auto px-2">
      <table className="h-full w-full table-fixed border-collapse">
        <thead>
          <tr>
            {days.slice(0, 7).map((day) => (
              <th key={day} scope="col" className="h-5 text-meta font-normal text-fg-3">
                {weekdayText(day)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <DayCell key={day} day={day} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function DayCell({ day }: { day: string }) {
  const { state, dispatch, events, today, reading } = useCalendar();
  const own = eventsOn(events, day);
  const inMonth = day.slice(0, 7) === state.day.slice(0, 7);
  const number = day === today ? 'bg-accent-fill text-on-accent font-semibold' : inMonth ? 'text-fg' : 'text-fg-3';
  return (
    <td className={`h-20 border border-line p-0 align-top ${day === state.day ? 'bg-selected' : ''}`}>
      <button
        type="button"
        data-day-cell={day}
        aria-current={day === today ? 'date' : undefined}
        onClick={() => dispatch({ type: 'viewed', view: 'day', day })}
        className="flex h-full w-full flex-col items-stretch gap-px overflow-hidden p-0.5 text-left text-meta hover:bg-hover"
      >
        <span className="sr-only">
          Open {dayText(day, today)}, {own.length === 0 ? 'nothing' : own.map(spokenTitle).join(', ')}
        </span>
        <span aria-hidden="true" className="contents">
          <span className={`self-end rounded-full px-1 tabular-nums ${number}`}>{Number(day.slice(8))}</span>
          {reading && <span className="h-2.5 w-4/5 animate-appear-late rounded-badge bg-selected" />}
          {own.slice(0, FIRST).map((event) => (
            <Title key={event.key} event={event} />
          ))}
          {own.length > FIRST && <span className="pl-1 text-fg-3">{own.length - FIRST} more</span>}
        </span>
      </button>
    </td>
  );
}

function spokenTitle(event: CalendarEvent): string {
  const status = statusText(event);
  return status === '' ? event.title : `${event.title} (${status})`;
}

function Title({ event }: { event: CalendarEvent }) {
  const { sources } = useCalendar();
  const tip = event.wholeDay ? event.title : `${clockOf(event.start)} ${event.title}`;
  return (
    <span data-tip={tip} className={`truncate border-l-2 pl-1 ${bars[sourceOf(sources, event).colour]} ${event.wholeDay ? 'font-medium' : ''} ${event.answer === 'DECLINED' ? 'text-fg-3 line-through' : ''} ${event.proposed === undefined ? '' : 'border-dashed text-accent'}`}>
      <Revealed text={event.title} />
    </span>
  );
}
