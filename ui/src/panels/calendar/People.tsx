import type { JsonValue } from '../../ipc';
import { Button, Icon, LinkButton, type IconName } from '../../shared';
import { NoteLink } from '../../shared/NoteLink';
import { Revealed } from '../../shared/Revealed';
import { useActions } from '../../state/hooks';
import { at } from '../skill/answer';
import { useCalendar } from './context';
import type { CalendarEvent } from './events';
import { contactOf, type Contact, type Person } from './attendees';
import type { Answer } from './useWriting';

/**
 * An event's attendees with their answers. `linked`: their names are note names. `contacts`: all of the
 * user's, `null` if unknown.
 */
export function People({ people, contacts, linked }: { people: readonly Person[]; contacts: readonly Contact[] | null; linked: boolean }) {
  return (
    people.length > 0 && (
      <ul aria-label="People" className="selectable pt-1">
        {people.map((person) => (
          <PersonLine key={person.name} person={person} contact={contactOf(person, contacts ?? [])} contacts={contacts} linked={linked} />
        ))}
      </ul>
    )
  );
}

const choices: readonly { readonly answer: Answer; readonly label: string; readonly state: string }[] = [
  { answer: 'accept', label: 'Accept', state: 'ACCEPTED' },
  { answer: 'tentative', label: 'Maybe', state: 'TENTATIVE' },
  { answer: 'decline', label: 'Decline', state: 'DECLINED' },
];

/** Answers to an invitation from someone else; the given one is marked. One answer is for all instances. */
export function Invitation({ event, detail }: { event: CalendarEvent; detail: JsonValue | null | undefined }) {
  const { writing } = useCalendar();
  const organizer = organizerOf(event, detail);
  if (organizer === null) return null;
  const given = event.answer ?? textAt(detail, '/invitation/answer');
  return (
    <div role="group" aria-label={`Answer ${organizer}`} className="flex flex-wrap items-center gap-1.5 pt-1">
      {choices.map(({ answer, label, state }) => (
        <Button key={answer} size="s" icon={given === state ? 'check' : undefined} aria-pressed={given === state} onClick={() => writing.respond(event, organizer, answer)}>
          {label}
        </Button>
      ))}
      {event.recurs && <span className="text-fg-3">for all its days</span>}
    </div>
  );
}

/** Who waits for an answer. The details are those of the series, which may not invite to more than this instance. */
function organizerOf({ answer }: CalendarEvent, detail: JsonValue | null | undefined): string | null {
  return textAt(detail, '/invitation/organizer') ?? (answer === null ? null : textAt(detail, '/organizer/address'));
}

function textAt(value: JsonValue | null | undefined, pointer: string): string | null {
  const text = at(value, pointer);
  return typeof text === 'string' && text !== '' ? text : null;
}

const answers: Readonly<Record<string, { readonly icon: IconName; readonly word: string; readonly look: string }>> = {
  ACCEPTED: { icon: 'check', word: 'accepted', look: 'text-ok' },
  DECLINED: { icon: 'x', word: 'declined', look: 'text-danger' },
  TENTATIVE: { icon: 'question', word: 'maybe', look: 'text-fg-3' },
  'NEEDS-ACTION': { icon: 'question', word: 'not answered', look: 'text-fg-3' },
};

function PersonLine({ person, contact, contacts, linked }: { person: Person; contact: Contact | null; contacts: readonly Contact[] | null; linked: boolean }) {
  const { openRecordForm } = useActions();
  const { name, address, answer } = person;
  const said = answers[answer?.toUpperCase() ?? ''];
  const note = contact?.path ?? (linked ? name : null);
  const add = () => openRecordForm({ skill: 'crm', type: 'contact', path: null, values: { name: name === address ? '' : name, ...(address === '' ? {} : { email: address }) } });
  return (
    <li className="flex items-center gap-2 py-0.5">
      <Icon name={said?.icon ?? 'people'} size={14} className={said?.look ?? 'text-fg-3'} />
      <span className="min-w-0 flex-1 truncate">
        {note === null ? <Revealed text={name} /> : <NoteLink note={note}>{contact?.name ?? name}</NoteLink>}
        {address !== '' && address !== name && (
          <span className="text-fg-3">
            {' '}
            <Revealed text={address} />
          </span>
        )}
      </span>
      {said && <span className="shrink-0 text-fg-3">{said.word}</span>}
      {contacts !== null && contact === null && (
        <LinkButton className="shrink-0" aria-label={`Add contact ${name}`} onClick={add}>
          Add contact
        </LinkButton>
      )}
    </li>
  );
}
