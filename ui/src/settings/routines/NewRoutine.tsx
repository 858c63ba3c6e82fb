// Creates the note of a new routine from a form.

import { useEffect, useId, useRef, useState, type ReactNode } from 'react';

import { useBackend, userError, type UserError } from '../../ipc';
import { Button, ErrorBox, IconButton, TextField } from '../../shared';

interface Entered {
  readonly name: string;
  readonly when: string;
  readonly zone: string;
  readonly message: string;
  readonly allow: string;
}

const empty: Entered = { name: '', when: '', zone: '', message: '', allow: '' };
const lines = (text: string) => text.split(/[\n;]/).map((line) => line.trim()).filter((line) => line !== '');

export function NewRoutine({ onClose }: { onClose: () => void }) {
  const backend = useBackend();
  const [entered, setEntered] = useState(empty);
  const [refused, setRefused] = useState<UserError | null>(null);
  const [saving, setSaving] = useState(false);
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);

  const field = (key: keyof Entered) => ({
    id: `${id}-${key}`,
    value: entered[key],
    onChange: (event: { target: { value: string } }) => setEntered((old) => ({ ...old, [key]: event.target.value })),
  });
  const save = async () => {
    setSaving(true);
    setRefused(null);
    const { name, zone, message } = entered;
    try {
      await backend.rpc('add_routine', { name, zone, message, when: lines(entered.when), allow: lines(entered.allow), tool: '', args: '', skills: [], model: '' });
      onClose();
    } catch (thrown) {
      setRefused(userError(thrown));
      setSaving(false);
    }
  };
  const complete = entered.name.trim() !== '' && entered.when.trim() !== '' && entered.message.trim() !== '';
  return (
    <form
      ref={form}
      aria-label="New routine"
      data-testid="new-routine"
      className="mx-4 mt-3 mb-2 flex flex-col gap-2 rounded-card border border-line-strong px-3 py-2.5 text-small"
      onSubmit={(event) => {
        event.preventDefault();
        if (complete && !saving) void save();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <div className="flex items-center gap-2.5">
        <span className="text-ui font-semibold">New routine</span>
        <span className="flex-1 text-fg-3">Becomes a note in Routines</span>
        <IconButton icon="x" iconSize={14} label="Close" onClick={onClose} />
      </div>
      <div className="grid grid-cols-[128px_minmax(0,1fr)] items-center gap-x-4 gap-y-1.5">
        <Labelled id={`${id}-name`} label="Name">
          <TextField {...field('name')} placeholder="Morning overview" />
        </Labelled>
        <Labelled id={`${id}-when`} label="When">
          <TextField {...field('when')} placeholder="weekdays 07:30, monthly 1 09:00, every 2 hours, at start" />
        </Labelled>
        <Labelled id={`${id}-zone`} label="Time zone">
          <TextField {...field('zone')} placeholder="Yours, or one such as Europe/Berlin" />
        </Labelled>
        <Labelled id={`${id}-message`} label="Message">
          <textarea
            {...field('message')}
            rows={3}
            className="selectable w-full rounded-control border border-line-control bg-surface-raised px-2.5 py-1.5 text-ui"
            placeholder="What is due today, and who waits for an answer?"
          />
        </Labelled>
        <Labelled id={`${id}-allow`} label="Without asking">
          <TextField {...field('allow')} placeholder="Nothing, or tools such as vault.append_to_note" />
        </Labelled>
      </div>
      {refused && <ErrorBox error={refused} />}
      <p className="flex items-center gap-2">
        <Button type="submit" variant="primary" size="s" disabled={!complete || saving}>
          Add routine
        </Button>
        <span className="flex-1 text-right text-fg-3">It reads freely and asks before anything else</span>
      </p>
    </form>
  );
}

function Labelled({ id, label, children }: { id: string; label: string; children: ReactNode }) {
  return (
    <>
      <label htmlFor={id}>{label}</label>
      {children}
    </>
  );
}
