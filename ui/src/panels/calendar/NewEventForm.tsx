import { useState, type FormEvent, type ReactNode } from 'react';

import { Button, IconButton, TextField } from '../../shared';
import { dateOf } from '../../shared/form/date-words';
import { useCalendar } from './context';
import type { NewEvent } from './state';
import { shifted, timeOf } from './time';
import { dayText } from './words';

/** A short form for a new event, in place of the sheet. */
export function NewEventForm({ start }: { start: NewEvent }) {
  const { dispatch, today, writing } = useCalendar();
  const [title, setTitle] = useState('');
  const [day, setDay] = useState(start.day);
  const [from, setFrom] = useState(start.from);
  const [to, setTo] = useState(start.to);
  const [place, setPlace] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const read = readEvent({ title, day, from, to }, today);
    if (typeof read === 'string') return setProblem(read);
    setBusy(true);
    const refused = await writing.create(title.trim(), read.start, read.end, place.trim());
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
        <TextField autoFocus aria-label="Title" value={title} onChange={(event) => setTitle(event.target.value)} />
      </Line>
      <Line label="Day">
        <TextField aria-label="Day" aria-description="A date, or words such as next friday" value={day} onChange={(event) => setDay(event.target.value)} />
        <p className="pt-0.5 text-meta text-fg-3">{meant === null ? 'A date, or words such as next friday' : dayText(meant, today)}</p>
      </Line>
      <Line label="Time">
        <span className="flex items-center gap-1.5">
          <TextField aria-label="From" placeholder="all day" className="w-20" value={from} onChange={(event) => setFrom(event.target.value)} />
          <span aria-hidden="true">–</span>
          <TextField aria-label="To" className="w-20" value={to} onChange={(event) => setTo(event.target.value)} />
        </span>
      </Line>
      <Line label="Place">
        <TextField aria-label="Place" value={place} onChange={(event) => setPlace(event.target.value)} />
      </Line>
      {problem !== null && (
        <p role="alert" className="text-small text-danger">
          {problem}
        </p>
      )}
      <Button type="submit" variant="primary" className="self-start" disabled={busy}>
        Add event
      </Button>
    </form>
  );
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-start gap-2 text-small">
      <span aria-hidden="true" className="w-14 shrink-0 pt-1.5 text-fg-3">
        {label}
      </span>
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  );
}

/** The tool's arguments, or the error of an entry. */
export function readEvent({ title, day, from, to }: { readonly title: string; readonly day: string; readonly from: string; readonly to: string }, today: string): { start: string; end: string } | string {
  if (title.trim() === '') return 'Enter a title.';
  const date = dateOf(day, today);
  if (date === null) return `“${day.trim()}” is not a date. Write it as 2026-11-30.`;
  if (from.trim() === '') return to.trim() === '' ? { start: date, end: date } : 'Write when it starts, or leave both times empty for the whole day.';
  const [begin, end] = [timeOf(from), timeOf(to)];
  if (begin === null) return `“${from.trim()}” is not a time. Write it as 09:30.`;
  const start = `${date}T${begin}`;
  if (to.trim() === '') return { start, end: shifted(start, 60) };
  if (end === null) return `“${to.trim()}” is not a time. Write it as 10:15.`;
  const same = `${date}T${end}`;
  // An end before the start is on the next day.
  return { start, end: same > start ? same : shifted(same, 1440) };
}
