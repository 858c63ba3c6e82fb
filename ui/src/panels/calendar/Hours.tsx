// The hours of one day, or of the days of a week, with the events in them.

import { useEffect, useRef } from 'react';

import { useCalendar } from './context';
import { EventBox } from './EventBox';
import { eventsOn, piecesOn } from './events';
import { sideBySide } from './overlaps';
import { clockOf, dayOf, minuteOf, wallIn } from './time';
import { WholeDays } from './WholeDays';
import { dayText, weekdayText } from './words';
import { LinkButton } from '../../shared';

/** Minimum height of an event, in minutes. */
const LEAST = 30;

export function Hours({ days }: { days: readonly string[] }) {
  const { state, dispatch, events, now, today, zone, reading, writing } = useCalendar();
  const box = useRef<HTMLDivElement>(null);
  const clock = wallIn(now, zone);
  const nothing = !reading && days.length === 1 && eventsOn(events, state.day).length === 0;
  const onToday = days.includes(today);
  const first = Math.min(...days.flatMap((day) => piecesOn(events, day)).map(({ from }) => from), 9 * 60);
  const begin = onToday ? minuteOf(clock) - 60 : first - 60;
  const shown = `${days.join()} ${reading}`;
  useEffect(() => {
    const hours = box.current?.querySelector<HTMLElement>('[data-hours]');
    if (box.current && hours) box.current.scrollTop = (Math.max(0, begin) / 1440) * hours.offsetHeight;
  }, [shown]); // eslint-disable-line react-hooks/exhaustive-deps -- where it begins is of the moment it is opened

  return (
    <>
      {days.length > 1 && (
        <div className="flex shrink-0 pr-2.5 pl-12 text-center text-meta">
          {days.map((day) => (
            <button
              key={day}
              type="button"
              aria-label={`Open ${dayText(day, today)}`}
              aria-current={day === today ? 'date' : undefined}
              onClick={() => dispatch({ type: 'viewed', view: 'day', day })}
              className={`min-w-0 flex-1 rounded-badge py-0.5 hover:bg-hover ${day === today ? 'font-semibold text-accent' : day === state.day ? 'text-fg' : 'text-fg-3'}`}
            >
              {weekdayText(day)} {Number(day.slice(8))}
            </button>
          ))}
        </div>
      )}
      <WholeDays days={days} />
      {nothing && (
        <p data-testid="calendar-empty" className="flex shrink-0 justify-center gap-2 border-t border-line py-2 text-small text-fg-2">
          Nothing on {dayText(state.day, today)}. <LinkButton onClick={writing.add}>New event</LinkButton>
        </p>
      )}
      <div ref={box} data-scroll="" tabIndex={0} role="group" aria-label="Hours" className="min-h-0 flex-1 overflow-y-auto border-t border-line [--hour:3rem] short:[--hour:2.5rem]">
        <div data-hours="" className="relative flex h-[calc(var(--hour)*24)] pr-3.5 pl-12">
          <Lines />
          {days.map((day) => (
            <DayColumn key={day} day={day} single={days.length === 1} />
          ))}
          {onToday && (
            <div aria-hidden="true" data-testid="now-line" className="pointer-events-none absolute right-0 left-0 z-20 flex -translate-y-1/2 items-center" style={{ top: atMinute(minuteOf(clock)) }}>
              <span className="w-10 bg-surface-side pr-1 text-right text-meta font-semibold text-danger tabular-nums">{clockOf(clock)}</span>
              <span className="size-1.5 rounded-full bg-danger" />
              <span className="h-px flex-1 bg-danger" />
            </div>
          )}
        </div>
      </div>
    </>
  );
}

/** A line and its hour in the margin. */
function Lines() {
  const { now, zone } = useCalendar();
  const minute = minuteOf(wallIn(now, zone));
  return (
    <div aria-hidden="true" className="absolute inset-0">
      {Array.from({ length: 23 }, (_, at) => at + 1).map((hour) => (
        <div key={hour} className="absolute right-0 left-0 flex -translate-y-1/2 items-center" style={{ top: atMinute(hour * 60) }}>
          {/* The current time replaces a nearby hour label. */}
          <span className={`w-10 shrink-0 pr-1 text-right text-meta text-fg-3 tabular-nums ${Math.abs(hour * 60 - minute) < 12 ? 'opacity-0' : ''}`}>{String(hour).padStart(2, '0')}:00</span>
          <span className="ml-1.5 h-px flex-1 bg-line" />
        </div>
      ))}
    </div>
  );
}

function DayColumn({ day, single }: { day: string; single: boolean }) {
  const { state, events, reading, today, dragging, sources } = useCalendar();
  const { lift } = state;
  const lifted = lift ? piecesOn([{ ...lift.event, start: lift.start, end: lift.end }], day) : [];
  const planned = dragging.drawn ?? state.planned;
  const boxes = sideBySide(piecesOn(events, day), LEAST);
  return (
    <div
      data-day={day}
      // A list may contain only events.
      role={reading ? 'group' : 'list'}
      aria-label={dayText(day, today)}
      className={`relative min-w-0 flex-1 touch-none ${single ? '' : 'border-l border-line'} ${sources.some(({ readOnly }) => !readOnly) ? 'cursor-cell' : ''}`}
      {...dragging.ofDay(day)}
    >
      {reading && <Skeletons />}
      {boxes.map((box) => (
        <EventBox key={box.event.key} box={box} day={day} single={single} ghost={lift?.event.key === box.event.key} />
      ))}
      {lifted.map((piece) => (
        <EventBox key={`lifted ${piece.event.key}`} box={{ ...piece, column: 0, columns: 1 }} day={day} single={single} lifted />
      ))}
      {planned !== null && planned.start.length > 10 && dayOf(planned.start) === day && <Planned {...planned} />}
    </div>
  );
}

/** Where a new event will be. */
function Planned({ start, end }: { start: string; end: string }) {
  const [from, to] = [minuteOf(start), dayOf(end) > dayOf(start) ? 1440 : minuteOf(end)];
  if (Number.isNaN(from) || Number.isNaN(to) || to <= from) return null;
  return (
    <div aria-hidden="true" data-testid="planned-event" className="pointer-events-none absolute right-0.5 left-0.5 z-10 rounded-badge border border-dashed border-accent bg-accent-soft px-1.5 text-meta text-accent" style={{ top: atMinute(from), height: atMinute(to - from) }}>
      New event {clockOf(start)}–{clockOf(end)}
    </div>
  );
}

/** Grey bars instead of events; the hour lines stay. */
function Skeletons() {
  return (
    <div role="status" aria-label="Reading the calendar" className="animate-appear-late">
      {[9, 11, 14, 16].map((hour) => (
        <span key={hour} className="absolute right-1 left-1 rounded-badge bg-selected" style={{ top: atMinute(hour * 60), height: atMinute(45) }} />
      ))}
    </div>
  );
}

export function atMinute(minute: number): string {
  return `calc(var(--hour) * ${minute / 60})`;
}
