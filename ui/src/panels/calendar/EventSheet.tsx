import type { ReactNode } from 'react';

import type { JsonValue } from '../../ipc';
import { Badge, Icon, IconButton, Menu, type IconName, type MenuGroup } from '../../shared';
import { NoteLink } from '../../shared/NoteLink';
import { Revealed } from '../../shared/Revealed';
import { useEditNote } from '../../state/editNote';
import { useActions } from '../../state/hooks';
import { at, isRow } from '../skill/answer';
import { useReads } from '../skill/useReads';
import { useCalendar } from './context';
import { listIn, textIn, type CalendarEvent } from './events';
import { Mark } from './SourceBar';
import { sourceOf } from './sources';
import { dayOf } from './time';
import { nowText, whenText } from './words';

/** What an event is, below the hours; none while none is open. */
export function EventSheet() {
  const { state, events } = useCalendar();
  const event = openEvent(state.open, events);
  return event && <Sheet key={event.key} event={event} />;
}

/** One that was moved has another key, and is the same. */
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
  const source = sourceOf(sources, event);
  const path = event.id.endsWith('.md') && !source.readOnly ? event.id : null;
  const going = nowText(event, now, zone);
  const people = peopleOf(detail);
  const description = isRow(detail) ? (textIn(detail, 'description') ?? textIn(detail, 'text')) : null;
  const groups: MenuGroup[] = [
    ...(path === null ? [] : [{ items: [{ label: 'Open note', icon: 'note' as const, onSelect: () => openNote(path) }] }]),
    {
      items: [
        ...(event.recurs ? [{ label: 'Skip this day', icon: 'ban' as const, onSelect: () => writing.remove(event, dayOf(event.start)) }] : []),
        { label: 'Delete event', icon: 'trash' as const, danger: true, onSelect: () => writing.remove(event, null) },
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
        {path !== null && (
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
      {people.length > 0 && (
        <ul aria-label="People" className="selectable pt-1">
          {people.map((person) => (
            <PersonLine key={person.name} person={person} linked={path !== null} />
          ))}
        </ul>
      )}
      {description !== null && (
        <p className="selectable pt-1 whitespace-pre-line text-fg-2">
          <Revealed text={description} />
        </p>
      )}
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

interface Person {
  readonly name: string;
  readonly address: string;
  /** As a calendar file says it: `ACCEPTED`. */
  readonly answer: string | null;
}

const answers: Readonly<Record<string, { readonly icon: IconName; readonly word: string; readonly look: string }>> = {
  ACCEPTED: { icon: 'check', word: 'accepted', look: 'text-ok' },
  DECLINED: { icon: 'x', word: 'declined', look: 'text-danger' },
  TENTATIVE: { icon: 'question', word: 'maybe', look: 'text-fg-3' },
  'NEEDS-ACTION': { icon: 'question', word: 'not answered', look: 'text-fg-3' },
};

function PersonLine({ person: { name, address, answer }, linked }: { person: Person; linked: boolean }) {
  const said = answers[answer?.toUpperCase() ?? ''];
  return (
    <li className="flex items-center gap-2 py-0.5">
      <Icon name={said?.icon ?? 'people'} size={14} className={said?.look ?? 'text-fg-3'} />
      <span className="min-w-0 flex-1 truncate">
        {linked ? <NoteLink note={name}>{name}</NoteLink> : <Revealed text={name} />}
        {address !== '' && address !== name && (
          <span className="text-fg-3">
            {' '}
            <Revealed text={address} />
          </span>
        )}
      </span>
      {said && <span className="shrink-0 text-fg-3">{said.word}</span>}
    </li>
  );
}

/** Who takes part, each once: names of a note, or what a calendar file says of each. */
export function peopleOf(detail: JsonValue | null | undefined): Person[] {
  const names = at(detail, '/fields/attendees');
  const own = Array.isArray(names) ? names.flatMap((name) => (typeof name === 'string' ? [{ name, address: '', answer: null }] : [])) : [];
  const others = listIn(detail, 'attendees').flatMap((row) => {
    const [name, address] = [textIn(row, 'name'), textIn(row, 'address') ?? ''];
    return name === null && address === '' ? [] : [{ name: name ?? address, address, answer: textIn(row, 'answer') }];
  });
  return [...new Map([...own, ...others].map((person) => [person.name, person])).values()];
}
