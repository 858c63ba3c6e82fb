// A record's form, over any view: for a new record, or an existing one's properties. Saving makes one change
// set of the user's own, shown as its diff, with Undo.

import { useEffect, useMemo, useReducer, useRef, useState, type RefObject } from 'react';

import { ApprovalCard } from '../chat/ApprovalCard';
import type { JsonValue, RecordFormView, SameRecord } from '../ipc';
import {
  Banner,
  Button,
  clockTime,
  ErrorBox,
  Icon,
  IconButton,
  keyText,
  LinkButton,
  Loading,
  noteName,
  Sheet,
} from '../shared';
import { Diff } from '../shared/Diff';
import { NoteLink } from '../shared/NoteLink';
import { draftOf, SchemaForm, useNoteSearch, useSchemaForm, useValuesInUse } from '../shared/form';
import { isVaultGone, type RecordForm } from '../state/app';
import { useActions, useApp, useRpc, useSession } from '../state/hooks';
import type { CallItem } from '../state/session';
import { isValues, opened, reduceSave, sameAs, wordsOf, writtenBy, type SaveState } from './save';
import { useSaving } from './useSaving';

const width = 440;

export function RecordSheet() {
  const form = useApp((app) => app.recordForm);
  if (form === null) return null;
  return <Reading key={JSON.stringify(form)} form={form} />;
}

function Reading({ form }: { form: RecordForm }) {
  const { closeRecordForm } = useActions();
  const { skill, type, path } = form;
  const read = useRpc('record_form', { skill, record_type: type, ...(path === null ? {} : { path }) });
  /** Increases with each record added after another. */
  const [number, setNumber] = useState(0);
  /** How to close the current content of the sheet. */
  const leaveRef = useRef<() => void>(closeRecordForm);
  const view = read.data;
  const label = view === null ? 'Record' : (view.name ?? `New ${view.label.toLowerCase()}`);
  const close = () => leaveRef.current();
  return (
    <Sheet
      side="right"
      width={width}
      label={label}
      onClose={close}
      onEscape={(event) => {
        // Esc closes the list of suggestions before the form.
        if (event.target instanceof Element && event.target.matches('[role=combobox][aria-expanded=true]'))
          event.preventDefault();
      }}
    >
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-5">
        <p className="cut text-body font-semibold">{label}</p>
        <span className="cut flex-1 text-small text-fg-3">{path !== null && noteName(view?.path ?? path).folder}</span>
        <IconButton icon="x" label="Close form" className="-mr-2" onClick={close} />
      </header>
      {view !== null && view.broken === null ? (
        <Editing key={`${number} ${view.hash ?? ''}`} view={view} given={number === 0 ? form.values : undefined} focused={form.field ?? null} label={label} leaveRef={leaveRef} onAnother={() => setNumber(number + 1)} />
      ) : (
        <div className="p-5">
          {view?.broken ? (
            <Broken view={view} onAgain={read.reload} />
          ) : read.error ? (
            <ErrorBox error={read.error} actions={<LinkButton onClick={read.reload}>Try again</LinkButton>} />
          ) : (
            <Loading lines={4} />
          )}
        </div>
      )}
    </Sheet>
  );
}

interface EditingProps {
  readonly view: RecordFormView;
  /** Initial values of a new record, in addition to the form's defaults. */
  readonly given: RecordForm['values'];
  /** The initially focused field, or null for the first. */
  readonly focused: string | null;
  readonly label: string;
  /** Set to the form's close function while it is shown. */
  readonly leaveRef: RefObject<() => void>;
  readonly onAnother: () => void;
}

/** Focuses the field of that name, preferably its selected option, or the first field. */
function focusField(form: HTMLElement | null, name: string | null): void {
  const field = name === null ? null : form?.querySelector(`[data-path="${CSS.escape(name)}"]`);
  const wanted = field?.querySelector<HTMLElement>('[aria-checked=true]') ?? field?.querySelector<HTMLElement>('input, textarea, select, button');
  (wanted ?? form?.querySelector<HTMLElement>('input, textarea, select'))?.focus();
}

function Editing({ view, given, focused, label, leaveRef, onAnother }: EditingProps) {
  const { closeRecordForm, openRecordForm } = useActions();
  const today = useApp((app) => app.status?.today ?? '');
  const gone = useApp(isVaultGone);
  const initial = useMemo(() => begunWith(view, given), [view, given]);
  const values = useValuesInUse(view.skill, view.schema);
  const suggest = useNoteSearch(view.skill);
  const form = useSchemaForm(view.schema, initial, { values });
  const [state, say] = useReducer(reduceSave, view.values, opened);
  const [run] = useState(() => `record-${crypto.randomUUID()}`);
  const deletion = `${run}-delete`;
  const body = useRef<HTMLDivElement>(null);
  const busy = state.phase === 'saving' || state.phase === 'deleting';
  const same = sameAs(state, form.args);

  useEffect(() => focusField(body.current, focused), [focused]);

  const { save, remove, takeBack } = useSaving({ view, form, body, state, say, run, blocked: busy || gone || state.conflicts.length > 0 });
  const close = () => {
    if (state.phase === 'editing' && form.changed) say({ type: 'leave_asked' });
    else if (!busy) closeRecordForm();
  };
  useEffect(() => {
    leaveRef.current = close;
    return () => {
      leaveRef.current = closeRecordForm;
    };
  });
  /** Opens another record in place of this form. */
  const openInstead = (path: string) => openRecordForm({ skill: view.skill, type: view.record_type, path });
  const take = (field: string, theirs: unknown) => {
    const own = form.plan.fields.find(({ key }) => key === field);
    const old = form.draft;
    if (own && typeof old === 'object' && !Array.isArray(old))
      form.setDraft({ ...old, [field]: theirs === null ? undefined : draftOf({ ...own, preset: null }, theirs as JsonValue) });
    say({ type: 'conflict_decided', field });
  };

  return (
    <>
      {state.phase === 'saved' ? (
        <Saved
          state={state}
          view={view}
          onUndo={() => void takeBack()}
          onClose={closeRecordForm}
          {...(view.path === null ? { onAnother } : {})}
        />
      ) : (
        <>
          <div ref={body} className="min-h-0 flex-1 overflow-y-auto p-5">
            <Problems view={view} />
            <ChangedOutside path={view.path} />
            <SchemaForm form={form} label={label} today={today} suggest={suggest} disabled={busy} onSubmit={() => void save()} />
            <Waiting run={state.phase === 'deleting' ? deletion : run} busy={busy} />
          </div>
          <footer className="flex shrink-0 flex-col gap-2 border-t border-line px-5 py-3">
            {state.problem && <ErrorBox error={state.problem} />}
            {same && (
              <DuplicateRecord
                same={same}
                onEdit={({ path }) => say({ type: 'leave_asked', to: path })}
                onAnother={() => void save(true)}
              />
            )}
            {state.conflicts.map((conflict) => (
              <Conflict
                key={conflict.field}
                label={form.plan.fields.find(({ key }) => key === conflict.field)?.label ?? conflict.field}
                theirs={conflict.theirs}
                mine={isValues(form.args) ? form.args[conflict.field] : undefined}
                onTake={() => take(conflict.field, conflict.theirs)}
                onKeep={() => say({ type: 'conflict_decided', field: conflict.field })}
              />
            ))}
            {state.leaving ? (
              <div role="alertdialog" aria-label="Changes are not saved" className="flex items-center gap-2">
                <span className="flex-1 text-small">Your changes are not saved.</span>
                <Button size="s" onClick={() => (state.leaving?.to == null ? closeRecordForm() : openInstead(state.leaving.to))}>
                  Discard
                </Button>
                <Button size="s" variant="primary" autoFocus onClick={() => say({ type: 'stayed' })}>
                  Keep editing
                </Button>
              </div>
            ) : (
              <div className="flex items-center gap-2">
                <Button
                  variant="primary"
                  className="h-8"
                  keys={keyText('Ctrl ↵')}
                  disabled={busy || gone || state.conflicts.length > 0}
                  onClick={() => void save()}
                  data-testid="save-record"
                >
                  {state.phase === 'saving' ? 'Saving…' : 'Save'}
                </Button>
                <Button variant="quiet" className="h-8" disabled={busy} onClick={close}>
                  Cancel
                </Button>
                {gone && <span className="text-small text-danger">The vault folder is gone</span>}
                {view.path !== null && (
                  <Button variant="quiet" icon="trash" className="ml-auto h-8" disabled={busy || gone} onClick={() => void remove(deletion)} data-testid="delete-record">
                    {state.phase === 'deleting' ? 'Deleting…' : 'Delete'}
                  </Button>
                )}
              </div>
            )}
          </footer>
        </>
      )}
    </>
  );
}

/** The form's values, overlaid on given values of existing fields. */
function begunWith(view: RecordFormView, given: RecordForm['values']): JsonValue {
  if (given === undefined || view.path !== null) return view.values;
  const { properties } = view.schema as { properties?: { [field: string]: JsonValue } };
  const own = Object.entries(given).filter(([field]) => properties !== undefined && Object.hasOwn(properties, field));
  return { ...Object.fromEntries(own), ...(isValues(view.values) ? view.values : {}) };
}

/** The existing record that a new one would duplicate: the user opens it, or saves under another name. */
function DuplicateRecord({ same, onEdit, onAnother }: { same: SameRecord; onEdit: (same: SameRecord) => void; onAnother: () => void }) {
  return (
    <div role="alert" data-testid="there-already" className="flex flex-col gap-1 rounded-card bg-warn-soft px-3 py-2 text-small">
      <p className="selectable break-words">
        {same.message} <span className="text-fg-2">Nothing was saved. Change the name above, or choose:</span>
      </p>
      <p className="flex flex-wrap gap-x-3 gap-y-1">
        {same.is_record ? <LinkButton onClick={() => onEdit(same)}>Edit that note</LinkButton> : <NoteLink note={same.path} />}
        <LinkButton onClick={onAnother}>Save as “{same.free_name}”</LinkButton>
      </p>
    </div>
  );
}

/** A note that cannot be read as a record: where, why, and the remedy. */
function Broken({ view, onAgain }: { view: RecordFormView; onAgain: () => void }) {
  const { path = '', line = 0, problem = '', remedy = '' } = view.broken ?? {};
  return (
    <ErrorBox
      error={{ code: 'note_broken', message: `${path}, line ${line}: ${problem}`, hint: remedy }}
      actions={
        <>
          <NoteLink note={path} />
          <LinkButton onClick={onAgain}>Reload</LinkButton>
        </>
      }
    />
  );
}

/** Problems of the note, by line: the form can fix them. */
function Problems({ view }: { view: RecordFormView }) {
  if (view.problems.length === 0) return null;
  return (
    <ul aria-label="Problems in the note" className="mb-4 flex flex-col gap-1 rounded-card bg-warn-soft px-3 py-2 text-small">
      {view.problems.map(({ line, problem, remedy }) => (
        <li key={`${line} ${problem}`} className="flex gap-2">
          <Icon name="warn" size={14} className="mt-0.5 text-warn" />
          <span className="selectable min-w-0 break-words">
            Line {line}: {problem}. <span className="text-fg-2">{remedy}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The note was edited since the form was opened. */
function ChangedOutside({ path }: { path: string | null }) {
  const change = useApp((app) => (path === null ? undefined : app.noteChanges[path]));
  const [first] = useState(change);
  if (!change || change === first || change.by !== 'outside') return null;
  return (
    <div className="mb-4">
      <Banner tone="grey" icon="note">
        Changed in Obsidian at {clockTime(change.at)}. Saving keeps that and asks where both sides differ.
      </Banner>
    </div>
  );
}

/** A rule requires approval: the same card as in a chat. */
function Waiting({ run, busy }: { run: string; busy: boolean }) {
  const session = useSession(run);
  const call = session.turns.flatMap(({ items }) => items).find((item): item is CallItem => item.kind === 'call');
  if (!busy || call?.state !== 'waiting') return null;
  return (
    <div className="mt-4">
      <ApprovalCard call={call} session={run} />
    </div>
  );
}

interface ConflictProps {
  readonly label: string;
  readonly theirs: unknown;
  readonly mine: unknown;
  readonly onTake: () => void;
  readonly onKeep: () => void;
}

function Conflict({ label, theirs, mine, onTake, onKeep }: ConflictProps) {
  return (
    <div role="alert" className="flex flex-col gap-1 rounded-card bg-warn-soft px-3 py-2 text-small">
      <p>
        <span className="font-medium">{label}</span> was changed to {wordsOf(theirs)} in the note while the form was open.
      </p>
      <p className="flex gap-3">
        <LinkButton onClick={onTake}>Use {wordsOf(theirs)}</LinkButton>
        <LinkButton onClick={onKeep}>Keep {wordsOf(mine)}</LinkButton>
      </p>
    </div>
  );
}

interface SavedProps {
  readonly state: SaveState;
  readonly view: RecordFormView;
  readonly onUndo: () => void;
  readonly onClose: () => void;
  readonly onAnother?: () => void;
}

function Saved({ state, view, onUndo, onClose, onAnother }: SavedProps) {
  const { own, others } = writtenBy(state.result);
  const path = own?.path ?? view.path ?? '';
  const diff = state.diffs[path];
  const done = useRef<HTMLButtonElement>(null);
  useEffect(() => done.current?.focus(), []);
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-5">
      <p role="status" className="flex items-center gap-2 text-ui">
        <Icon name="check" className="text-ok" />
        {own === undefined
          ? 'No changes.'
          : own.kind === 'deleted'
            ? `Deleted ${noteName(path).name}`
            : `${own.kind === 'created' ? 'Added' : 'Changed'} ${noteName(path).name}`}
      </p>
      {diff && <Diff diff={diff} caption={noteName(path).name} />}
      {others.length > 0 && (
        <section aria-label="Also changed" className="flex flex-col gap-2">
          <p className="text-small text-fg-2">Also changed:</p>
          {others.map((other) => {
            const diff = state.diffs[other.path];
            const { name } = noteName(other.path);
            return diff ? <Diff key={other.path} diff={diff} caption={name} /> : <p key={other.path} className="text-small">{name}</p>;
          })}
        </section>
      )}
      {state.problem && <ErrorBox error={state.problem} />}
      <div className="flex items-center gap-3 text-small">
        {state.undoneAt !== null ? (
          <span role="status" className="flex items-center gap-1.5 text-fg-3">
            <Icon name="undo" size={12} /> undone at {clockTime(state.undoneAt)}
          </span>
        ) : (
          state.result?.change_set != null && (
            <LinkButton onClick={onUndo} data-testid="undo-record">
              Undo
            </LinkButton>
          )
        )}
        {state.undoneAt === null && own?.kind !== 'deleted' && <NoteLink note={path} />}
      </div>
      <div className="flex gap-2">
        <Button ref={done} className="h-8" onClick={onClose}>
          Close
        </Button>
        {onAnother && (
          <Button variant="quiet" className="h-8" onClick={onAnother}>
            Add another
          </Button>
        )}
      </div>
    </div>
  );
}
