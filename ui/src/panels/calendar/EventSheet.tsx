import type { ReactNode } from 'react';

import { Badge, IconButton, Menu, type MenuGroup } from '../../shared';
import { NoteLink } from '../../shared/NoteLink';
import { Revealed } from '../../shared/Revealed';
import { useEditNote } from '../../state/editNote';
import { useActions } from '../../state/hooks';
import { isRow } from '../skill/answer';
import { useReads } from '../skill/useReads';
import { contactSourceOf } from './contact-days';
import { ContactDaySheet } from './ContactDaySheet';
import { useCalendar } from './context';
import { EventActions } from './EventActions';
import { textIn, type CalendarEvent } from './events';
import { Invitation, People } from './People';
import { contactOf, peopleOf } from './attendees';
import { Mark } from './SourceBar';
import { sourceOf } from './sources';
import { useContacts } from './useContacts';
import { nowText, whenText } from './words';

/** Details of the open event, below the hours. */
export function EventSheet() {
  const { state, events } = useCalendar();
  const event = openEvent(state.open, events);
  if (event && contactSourceOf(event)) return <ContactDaySheet event={event} />;
  return event && <Sheet key={event.key} event={event} />;
}

/** A moved event has a new key, but is the same. */
function openEvent(key: string | null, events: readonly CalendarEvent[]): CalendarEvent | undefined {
  const same = key?.slice(key.indexOf(' ')) ?? '';
  return events.find((event) => event.key === key) ?? (same === '' ? undefined : events.find((event) => event.key.endsWith(same)));
}

function Sheet({ event }: { event: CalendarEvent }) {
  const { sources, dispatch, now, zone, today, nameOf, writing } = useCalendar();
  const { openNote } = useActions();
  const editNote = useEditNote();
  const asked = { tool: nameOf('get_event'), args: { event: event.id } };
  const detail = useReads([asked]).of(asked)?.result?.value;
  const people = peopleOf(detail);
  const contacts = useContacts(people.length > 0);
  const source = sourceOf(sources, event);
  const path = event.id.endsWith('.md') && !source.readOnly ? event.id : null;
  const going = nowText(event, now, zone);
  const description = isRow(detail) ? (textIn(detail, 'description') ?? textIn(detail, 'text')) : null;
  const groups: MenuGroup[] = [
    ...(path === null ? [] : [{ items: [{ label: 'Open note', icon: 'note' as const, onSelect: () => openNote(path) }] }]),
    {
      items: [
        ...(event.recurs ? [{ label: 'Skip this day', icon: 'ban' as const, onSelect: () => writing.remove(event, true) }] : []),
        { label: 'Delete event', icon: 'trash' as const, danger: true, onSelect: () => writing.remove(event, false) },
      ],
    },
  ];
  return (
    <section aria-label={event.title} data-testid="event-sheet" className="flex max-h-1/2 shrink-0 flex-col gap-1 overflow-y-auto border-t border-line-strong px-3.5 py-2.5 text-small">
      <div className="flex items-center gap-2">
        <Mark source={source} />
        <h2 className="selectable min-w-0 truncate text-body font-semibold">
          <Revealed text={event.title} />
        </h2>
        {going !== '' && <Badge>{going}</Badge>}
        <span className="flex-1" />
        {path !== null && <IconButton icon="pencil" iconSize={14} label="Edit event" className="size-6" onClick={() => void editNote(path)} />}
        {!source.readOnly && (
          <Menu align="end" groups={groups}>
            <IconButton icon="more" iconSize={14} label={`Actions for ${event.title}`} className="size-6" />
          </Menu>
        )}
        <IconButton icon="x" iconSize={14} label="Close" keys="Esc" className="size-6" onClick={() => dispatch({ type: 'closed' })} />
      </div>
      <dl className="selectable grid grid-cols-[4rem_1fr] gap-y-0.5">
        <Fact label="When">
          {whenText(event, today)}
          {event.recurs && ', recurring'}
          {event.there !== null && <span className="text-fg-3"> ({event.there})</span>}
        </Fact>
        {event.location !== null && (
          <Fact label="Where">
            <Revealed text={event.location} />
          </Fact>
        )}
        <Fact label="Calendar">
          {source.name}
          {path !== null && (
            <>
              , <NoteLink note={path}>Open the note</NoteLink>
            </>
          )}
          {source.readOnly && <span className="text-fg-3">, read only</span>}
        </Fact>
      </dl>
      <People people={people} contacts={contacts} linked={path !== null} />
      {!source.readOnly && <Invitation event={event} detail={detail} />}
      {description !== null && (
        <p className="selectable pt-1 whitespace-pre-line text-fg-2">
          <Revealed text={description} />
        </p>
      )}
      <EventActions event={event} contacts={[...new Set(people.flatMap((person) => contactOf(person, contacts ?? []) ?? []))]} />
    </section>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-fg-3">{label}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}
