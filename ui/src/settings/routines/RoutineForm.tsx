// Creates a routine, or edits the note of one.

import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';

import { nothing, useBackend, userError, type JsonValue, type RoutineRow, type UserError } from '../../ipc';
import { Button, ErrorBox, IconButton, Segments, TextField } from '../../shared';
import { useApp, useRpc } from '../../state/hooks';
import { ModelSelect } from './ModelSelect';
import { SkillsField } from './SkillsField';
import { noArgs, ToolArguments, ToolSelect, type ArgsOf } from './ToolFields';
import { allowing, argsIn, empty, enteredOf, isComplete, routineOf, savedOf, type Entered, type Kind } from './routine-form';

interface RoutineFormProps {
  /** The routine to edit; a new one without. */
  readonly row?: RoutineRow;
  readonly onClose: () => void;
}

export function RoutineForm({ row, onClose }: RoutineFormProps) {
  const [entered, setEntered] = useState(() => (row ? enteredOf(row) : empty));
  const { save, saving, refused } = useSaving(row, onClose);
  const revision = useApp(({ revisions }) => revisions.registry);
  const tools = useRpc('list_tools', nothing, revision).data ?? [];
  const tool = tools.find(({ name }) => name === entered.tool);
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const args = useRef<ArgsOf>(noArgs);
  useEffect(() => box.current?.querySelector('input')?.focus(), []);

  const change = (part: Partial<Entered>) => setEntered((old) => ({ ...old, ...part }));
  const field = (key: 'name' | 'when' | 'zone' | 'message' | 'allow') => ({
    id: `${id}-${key}`,
    value: entered[key],
    onChange: (event: { target: { value: string } }) => change({ [key]: event.target.value }),
  });
  const complete = isComplete(entered);
  const submit = () => {
    if (!complete || saving) return;
    const given = args.current();
    if (given !== null) void save(entered, given);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    if (event.key === 'Escape') onClose();
    else if (event.key === 'Enter' && event.target instanceof HTMLInputElement) submit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const title = row ? `Edit ${row.name}` : 'New routine';
  return (
    <div
      ref={box}
      role="group"
      aria-label={title}
      data-testid="routine-form"
      className="mx-4 mt-3 mb-2 flex flex-col gap-2 rounded-card border border-line-strong px-3 py-2.5 text-small"
      onKeyDown={onKeyDown}
    >
      <div className="flex items-center gap-2.5">
        <span className="text-ui font-semibold">{title}</span>
        <span className="cut flex-1 text-fg-3">{row ? `Changes ${row.path}` : 'Becomes a note in Routines'}</span>
        <IconButton icon="x" iconSize={14} label="Close" onClick={onClose} />
      </div>
      <div className="grid grid-cols-[128px_minmax(0,1fr)] items-center gap-x-4 gap-y-1.5">
        {!row && (
          <Labelled id={`${id}-name`} label="Name">
            <TextField {...field('name')} placeholder="Morning overview" />
          </Labelled>
        )}
        <Labelled id={`${id}-when`} label="When">
          <TextField {...field('when')} placeholder="weekdays 07:30; monthly 1 09:00; every 2 hours; at start" />
        </Labelled>
        <Labelled id={`${id}-zone`} label="Time zone">
          <TextField {...field('zone')} placeholder="Yours, or one such as Europe/Berlin" />
        </Labelled>
        <span>Runs</span>
        <span>
          <Segments<Kind> label="Runs" value={entered.kind} options={kinds} onChange={(kind) => change({ kind })} />
        </span>
        {entered.kind === 'tool' && (
          <>
            <span>Tool</span>
            <ToolSelect tools={tools} chosen={entered.tool} allow={entered.allow} onChoose={(name) => change({ tool: name })} onAllow={(name) => setEntered((old) => allowing(old, name))} />
          </>
        )}
        {entered.kind === 'skill' && (
          <>
            <span>Skills</span>
            <SkillsField chosen={entered.skills} onChange={(skills) => change({ skills })} />
          </>
        )}
        {entered.kind !== 'tool' && (
          <>
            <Labelled id={`${id}-message`} label="Message">
              <textarea
                {...field('message')}
                rows={3}
                className="selectable w-full rounded-control border border-line-control bg-surface-raised px-2.5 py-1.5 text-ui"
                placeholder={entered.kind === 'skill' ? 'What should Nova do with it?' : 'What is due today, and who waits for an answer?'}
              />
            </Labelled>
            <span>Model</span>
            <ModelSelect chosen={entered.model} onChoose={(model) => change({ model })} />
          </>
        )}
        <Labelled id={`${id}-allow`} label="Without asking">
          <TextField {...field('allow')} placeholder="Nothing, or tools such as vault.append_to_note" />
        </Labelled>
      </div>
      {entered.kind === 'tool' && tool && (
        <ToolArguments key={tool.name} tool={tool} initial={row?.tool === tool.name ? argsIn(row.args) : {}} isKept={row?.tool === tool.name} argsRef={args} onSubmit={submit} />
      )}
      {refused && <ErrorBox error={refused} />}
      <p className="flex items-center gap-2">
        <Button variant="primary" size="s" disabled={!complete || saving} onClick={submit}>
          {row ? 'Save' : 'Add routine'}
        </Button>
        <span className="flex-1 text-right text-fg-3">It reads freely and asks before anything else</span>
      </p>
    </div>
  );
}

const kinds: { value: Kind; label: string }[] = [
  { value: 'message', label: 'Message' },
  { value: 'tool', label: 'Tool' },
  { value: 'skill', label: 'Skill' },
];

/** Saves once at a time: a second click waits for nothing and adds nothing. */
function useSaving(row: RoutineRow | undefined, onSaved: () => void) {
  const backend = useBackend();
  const [saving, setSaving] = useState(false);
  const [refused, setRefused] = useState<UserError | null>(null);
  const busy = useRef(false);
  // Compared with the note when it is saved, which may have been edited since.
  const [before] = useState(() => (row ? savedOf(row) : null));
  const save = async (entered: Entered, args: JsonValue | undefined) => {
    if (busy.current) return;
    busy.current = true;
    setSaving(true);
    setRefused(null);
    const after = routineOf(entered, args, before);
    try {
      if (row && before) await backend.rpc('edit_routine', { path: row.path, before, after });
      else await backend.rpc('add_routine', after);
      onSaved();
    } catch (thrown) {
      setRefused(userError(thrown));
      setSaving(false);
      busy.current = false;
    }
  };
  return { save, saving, refused };
}

function Labelled({ id, label, children }: { id: string; label: string; children: ReactNode }) {
  return (
    <>
      <label htmlFor={id}>{label}</label>
      {children}
    </>
  );
}
