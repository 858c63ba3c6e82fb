import type { JsonValue } from '../../ipc';
import { Button, Icon, type IconName } from '../../shared';
import { NoteLink } from '../../shared/NoteLink';
import { Revealed } from '../../shared/Revealed';
import { at, isRow } from '../skill/answer';
import { useCalendar } from './context';
import { listIn, textIn, type CalendarEvent } from './events';
import type { Answer } from './useWriting';

/** Who takes part in an event, and what each of them answered. `linked`: their names are those of notes. */
export function People({ detail, linked }: { detail: JsonValue | null | undefined; linked: boolean }) {
  const people = peopleOf(detail);
  return (
    people.length > 0 && (
      <ul aria-label="People" className="selectable pt-1">
        {people.map((person) => (
          <PersonLine key={person.name} person={person} linked={linked} />
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

/** The answers to an invitation of somebody else; the one that was given is marked. */
export function Invitation({ event, detail }: { event: CalendarEvent; detail: JsonValue | null | undefined }) {
  const { writing } = useCalendar();
  const invitation = at(detail, '/invitation');
  const organizer = isRow(invitation) ? textIn(invitation, 'organizer') : null;
  if (!isRow(invitation) || organizer === null) return null;
  const given = textIn(invitation, 'answer');
  return (
    <div role="group" aria-label={`Answer ${organizer}`} className="flex flex-wrap gap-1.5 pt-1">
      {choices.map(({ answer, label, state }) => (
        <Button key={answer} size="s" icon={given === state ? 'check' : undefined} aria-pressed={given === state} onClick={() => writing.respond(event, organizer, answer)}>
          {label}
        </Button>
      ))}
    </div>
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
function peopleOf(detail: JsonValue | null | undefined): Person[] {
  const names = at(detail, '/fields/attendees');
  const own = Array.isArray(names) ? names.flatMap((name) => (typeof name === 'string' ? [{ name, address: '', answer: null }] : [])) : [];
  const others = listIn(detail, 'attendees').flatMap((row) => {
    const [name, address] = [textIn(row, 'name'), textIn(row, 'address') ?? ''];
    return name === null && address === '' ? [] : [{ name: name ?? address, address, answer: textIn(row, 'answer') }];
  });
  return [...new Map([...own, ...others].map((person) => [person.name, person])).values()];
}
