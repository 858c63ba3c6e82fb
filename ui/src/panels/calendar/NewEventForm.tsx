import { useEffect, useState, type FormEvent } from 'react';

import { Button, IconButton, LinkButton, TextField } from '../../shared';
import { dateOf } from '../../shared/form/date-words';
import { addDays } from '../../shared/form/dates';
import { Select } from '../../shared/Select';
import type { NewEvent } from '../../state/app';
import { useCalendar } from './context';
import { FormLine as Line, Repeats } from './FormLine';
import { addressesIn, readEvent, readTimes, timesShown, writableIn, type Entries } from './new-event';
import { OverlapNote } from './OverlapNote';
import { wordsIn } from './title-words';
import { dayText } from './words';

/** A short form for a new event, in place of the sheet. */
export function NewEventForm({ start }: { start: NewEvent }) {
  const { dispatch, today, writing, sources } = useCalendar();
  const [typed, setTyped] = useState(start.title ?? '');
  const [literal, setLiteral] = useState(start.title !== undefined);
  const [rule, setRule] = useState(start.rule ?? null);
  const [entries, setEntries] = useState<Entries>({ day: null, from: null, to: null });
  const [place, setPlace] = useState(start.place ?? '');
  const [chosen, setChosen] = useState<string | null>(null);
  const [people, setPeople] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  const words = literal ? null : wordsIn(typed, today);
  const title = words?.title ?? typed.trim();
  const { day, from, to } = timesShown(entries, words, start);
  const enter = (part: Partial<Entries>) => setEntries({ ...entries, ...part });
  const days = start.days ?? 0;
  const read = readEvent({ title, day, from, to, days }, today);
  const times = readTimes({ day, from, to, days }, today);
  // Times of another zone would be drawn at the wrong hours.
  const [begin, end] = typeof times === 'string' || start.zone !== undefined ? ['', ''] : [times.start, times.end];
  useEffect(() => dispatch({ type: 'planned', times: begin === '' ? null : { start: begin, end } }), [dispatch, begin, end]);
  const writable = writableIn(sources);
  const source = writable.find(({ id }) => id === chosen) ?? writable[0];
  const invites = source?.remote === true;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    if (typeof read === 'string') return setProblem(read);
    setBusy(true);
    const refused = await writing.create({ title, ...read, location: place.trim(), calendar: invites ? source.id : null, attendees: invites ? addressesIn(people) : [], rule, zone: start.zone ?? null });
    setBusy(false);
    if (refused === null) return dispatch({ type: 'closed' });
    setProblem(refused);
  };
  const meant = dateOf(day, today);
  return (
    <form aria-label="New event" data-testid="new-event" onSubmit={(event) => void submit(event)} className="flex max-h-1/2 shrink-0 flex-col gap-2 overflow-y-auto border-t border-line-strong px-3.5 py-2.5">
      <div className="flex items-center">
        <h2 className="flex-1 text-body font-semibold">New event</h2>
        <IconButton icon="x" iconSize={14} label="Close" keys="Esc" onClick={() => dispatch({ type: 'closed' })} />
      </div>
      <Line label="Title">
        <TextField autoFocus aria-label="Title" aria-description="May say the day and time, such as tomorrow 12:30" value={typed} onChange={(event) => setTyped(event.target.value)} />
        {words !== null && (
          <p role="status" data-testid="understood" className="flex gap-2 pt-0.5 text-meta text-fg-3">
            <span className="min-w-0 flex-1">
              “{words.words}” is its {[words.day === null ? '' : 'day', words.from === null ? '' : 'time'].filter((part) => part !== '').join(' and ')}.
            </span>
            <LinkButton onClick={() => setLiteral(true)}>Keep in title</LinkButton>
          </p>
        )}
      </Line>
      <Line label="Day">
        <TextField aria-label="Day" aria-description="A date, or words such as next friday" value={day} onChange={(event) => enter({ day: event.target.value })} />
        <p className="pt-0.5 text-meta text-fg-3">{meant === null ? 'A date, or words such as next friday' : `${dayText(meant, today)}${days === 0 ? '' : ` to ${dayText(addDays(meant, days), today)}`}`}</p>
      </Line>
      <Line label="Time">
        <span className="flex items-center gap-1.5">
          <TextField aria-label="From" placeholder="all day" className="w-20" value={from} onChange={(event) => enter({ from: event.target.value })} />
          <span aria-hidden="true">–</span>
          <TextField aria-label="To" className="w-20" value={to} onChange={(event) => enter({ to: event.target.value })} />
        </span>
        {start.zone !== undefined && <p className="pt-0.5 text-meta text-fg-3">In the time zone {start.zone}</p>}
      </Line>
      {rule !== null && <Repeats rule={rule} exceptions={start.exceptions === true} onRemove={() => setRule(null)} />}
      <Line label="Place">
        <TextField aria-label="Place" value={place} onChange={(event) => setPlace(event.target.value)} />
      </Line>
      {writable.length > 1 && source && (
        <Line label="Calendar">
          <Select label="Calendar" className="w-full" value={source.id} onChange={setChosen}>
            {writable.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        </Line>
      )}
      {invites && (
        <Line label="Invite">
          <TextField aria-label="Invite" aria-description="E-mail addresses, separated by commas" placeholder="ann@example.org, …" value={people} onChange={(event) => setPeople(event.target.value)} />
        </Line>
      )}
      {typeof read !== 'string' && read.start.length > 10 && start.zone === undefined && <OverlapNote {...read} />}
      {problem !== null && (
        <p role="alert" className="text-small text-danger">
          {problem}
        </p>
      )}
      <Button type="submit" variant="primary" className="self-start" disabled={busy}>
        {invites && addressesIn(people).length > 0 ? 'Add and invite…' : 'Add event'}
      </Button>
    </form>
  );
}
