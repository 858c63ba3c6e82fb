// A calendar beside or in place of the conversation: days, weeks and months, with all calendars.

import { useEffect, useReducer, useRef } from 'react';

import type { CalendarPart, JsonValue, PanelView } from '../../ipc';
import { ErrorBox, Icon, LinkButton, skillIcon } from '../../shared';
import { useEditNote } from '../../state/editNote';
import { useSession } from '../../state/hooks';
import { sameList } from '../../state/same';
import { waitingCalls } from '../../state/session';
import { CallBars, ProblemBars } from '../skill/Bars';
import { Header } from '../skill/PanelHead';
import { Asking } from '../skill/Region';
import { useCalls } from '../skill/useCalls';
import { useReads } from '../skill/useReads';
import { CalendarHead } from './CalendarHead';
import { BIRTHDAYS, contactSourceOf, FOLLOW_UPS } from './contact-days';
import { CalendarProvider, type CalendarContext } from './context';
import { EventConflictCard } from './EventConflictCard';
import { EventSheet } from './EventSheet';
import { listingOf } from './events';
import { Hours } from './Hours';
import { keysOf } from './keys';
import { MonthView } from './MonthView';
import { NewEventForm } from './NewEventForm';
import { proposedIn } from './proposed';
import { SeriesQuestion } from './SeriesQuestion';
import { SourceLines, Sources } from './SourceBar';
import { sourcesOf } from './sources';
import { daysShown, firstCalendar, reduceCalendar, shownEvents, weeksShown } from './state';
import { dayOf, wallIn } from './time';
import { useCalendarRequest } from './useCalendarRequest';
import { useContactDays } from './useContactDays';
import { useDragging } from './useDragging';
import { useFetching } from './useFetching';
import { useMinute } from './useMinute';
import { useWriting } from './useWriting';

interface CalendarPanelProps {
  readonly panel: PanelView;
  readonly part: CalendarPart;
  readonly wide: boolean;
}

export function CalendarPanel({ panel, part, wide }: CalendarPanelProps) {
  const nameOf = (tool: string) => `${panel.skill}.${tool}`;
  const now = useMinute();
  const [state, dispatch] = useReducer(reduceCalendar, dayOf(wallIn(now, null)), firstCalendar);
  useCalendarRequest(dispatch);
  const calendars = { tool: nameOf('calendars'), args: {} };
  const mondays = weeksShown(state);
  const contactDays = useContactDays(mondays);
  const weeks = mondays.map((from) => ({ tool: nameOf(part.tool), args: { ...part.args, from, days: 7 } as Record<string, JsonValue> }));
  const reads = useReads([calendars, ...weeks]);
  const calls = useCalls();
  const editNote = useEditNote();
  const waiting = useSession(waitingCalls, sameList);
  const root = useRef<HTMLElement>(null);

  const answers = weeks.map((week) => reads.of(week));
  const answered = answers.map((read) => read?.at).join();
  useEffect(() => dispatch({ type: 'answered' }), [answered]);

  const listing = listingOf(answers.map((read) => read?.result?.value));
  const sources = [...sourcesOf(reads.of(calendars)?.result?.value), ...[BIRTHDAYS, FOLLOW_UPS].filter((own) => contactDays.some((event) => contactSourceOf(event) === own))];
  const today = dayOf(wallIn(now, listing.zone));
  const writing = useWriting({ state, dispatch, zone: listing.zone, today, sources, nameOf, calls, again: reads.again });
  const dragging = useDragging({ state, dispatch, sources, writing, today });
  const fetching = useFetching({ skill: panel.skill, sources, now, calls, again: reads.again });
  const context: CalendarContext = {
    state,
    dispatch,
    events: shownEvents(state, [...listing.events, ...contactDays, ...proposedIn(waiting, nameOf('create_event'))]),
    sources,
    now,
    today,
    zone: listing.zone,
    reading: answers.some((read) => read === null || (read.result === null && !read.error)),
    dragging,
    writing,
    fetching,
    reload: reads.again,
    nameOf,
  };
  const onKey = keysOf(context);
  const latest = useRef(onKey);
  useEffect(() => void (latest.current = onKey));
  useEffect(() => {
    // The whole region, which F6 focuses rather than its content.
    const region = root.current?.closest<HTMLElement>('[data-region=panel], [role=dialog]') ?? root.current;
    const listen = (event: KeyboardEvent) => latest.current(event);
    region?.addEventListener('keydown', listen);
    return () => region?.removeEventListener('keydown', listen);
  }, []);

  const failed = [reads.of(calendars), ...answers].find((read) => read?.error != null);
  return (
    <CalendarProvider value={context}>
      <section ref={root} tabIndex={-1} data-region={wide ? 'board' : undefined} aria-label={panel.name} data-testid="skill-panel" data-skill={panel.skill} className="@container flex h-full min-h-0 min-w-0 flex-col outline-none">
        {wide && <Header name={panel.name} icon={<Icon name={skillIcon(panel.skill, '', panel.icon)} />}><span className="flex-1" /></Header>}
        <CalendarHead />
        <Sources />
        <div className="flex shrink-0 flex-col gap-1.5 px-3.5 pb-2 empty:hidden">
          <SourceLines />
          {failed?.error && <ErrorBox error={failed.error} actions={<LinkButton onClick={reads.again}>Try again</LinkButton>} />}
          {[reads.of(calendars), ...answers].map((read) => read?.run && <Asking key={read.run} run={read.run} />)}
          <ProblemBars problems={listing.problems} />
        </div>
        {state.view === 'month' ? <MonthView days={daysShown(state)} /> : <Hours days={daysShown(state)} />}
        <div className="flex max-h-1/2 shrink-0 flex-col gap-1.5 overflow-y-auto px-3.5 py-2 empty:hidden">
          {state.choice && <SeriesQuestion lift={state.choice} />}
          {state.conflict && <EventConflictCard conflict={state.conflict} />}
          <CallBars calls={calls} elsewhere={null} onEdit={({ args }) => typeof args['event'] === 'string' && args['event'].endsWith('.md') ? void editNote(args['event']) : writing.add()} />
        </div>
        {state.adding ? <NewEventForm key={JSON.stringify(state.adding)} start={state.adding} /> : <EventSheet />}
        <p role="status" aria-live="assertive" className="sr-only">
          {dragging.said}
        </p>
      </section>
    </CalendarProvider>
  );
}
