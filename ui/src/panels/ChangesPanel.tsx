import { type ReactNode, useMemo, useState } from 'react';

import { userError, type ChangedNoteView, type ChangeSetView, type UndoChanges, type UserError } from '../ipc';
import { Button, clockTime, counted, Empty, ErrorBox, Icon, isNote, LinkButton, Loading, noteName, whenText } from '../shared';
import { Diff } from '../shared/Diff';
import { listKeys } from '../shared/list-keys';
import { SetConflictCard } from '../shared/SetConflictCard';
import { useActions, useApp, useRpc, useSession } from '../state/hooks';
import { sameList } from '../state/same';
import { changesOf, lastCalls, leftText, stands, type TurnChanges } from './changes';
import { InterruptedChanges } from './InterruptedChanges';
import { WriteMessage } from './WriteMessage';

/** Nova's changes in this chat: the last turn expanded, earlier ones collapsed; each can be undone. */
export function ChangesPanel() {
  const session = useApp((app) => app.open);
  const revision = useApp((app) => app.revisions.changes);
  const interrupted = useApp((app) => app.interrupted);
  const changes = useRpc('list_changes', session === null ? null : { session }, revision);
  const calls = useSession(lastCalls, sameList);
  const { turn, earlier } = useMemo(() => changesOf(changes.data ?? [], calls, interrupted), [changes.data, calls, interrupted]);
  const undo = useUndo(session);

  const nothing = session === null || (changes.data?.length === 0 && !changes.error);
  return (
    <div data-testid="changes-panel" data-list onKeyDown={listKeys} className="flex flex-col gap-4 p-3.5">
      <InterruptedChanges />
      {nothing ? (
        <Empty action={<WriteMessage />}>No changes in this chat yet. Nova’s changes to notes appear here, with Undo.</Empty>
      ) : (
        <>
          {changes.error && <ErrorBox error={changes.error} actions={<LinkButton onClick={changes.reload}>Try again</LinkButton>} />}
          {!changes.data && changes.loading && <Loading lines={4} label="Reading the changes" />}
          {undo.problem && <ErrorBox error={undo.problem} />}
          {undo.left && <p role="status" className="text-small text-warn">{undo.left}</p>}
          {turn.sets.length > 0 && <ThisTurn turn={turn} undo={undo} />}
          {turn.sets.length === 0 && changes.data && <p className="text-small text-fg-3">No changes in this turn.</p>}
          {earlier.length > 0 && (
            <section className="flex flex-col gap-1 border-t border-line pt-3">
              <h2 className="text-meta font-semibold text-fg-3">Earlier in this chat</h2>
              {earlier.map((set) => (
                <EarlierSet key={set.id} set={set} undo={undo} />
              ))}
            </section>
          )}
        </>
      )}
    </div>
  );
}

function ThisTurn({ turn, undo }: { turn: TurnChanges; undo: Undo }) {
  const notes = turn.sets.flatMap((set) => set.notes.map((note) => ({ set, note })));
  const paths = new Set(notes.map(({ note }) => note.path)).size;
  const open = turn.sets.filter(stands);
  return (
    <section className="flex flex-col gap-3">
      <div className="flex items-start justify-between gap-2">
        <div className="min-w-0">
          <h2 className="text-ui font-semibold">This turn changed {counted(paths, 'note')}</h2>
          {turn.allowed && <p className="text-small text-fg-2">{turn.allowed}</p>}
        </div>
        {open.length > 0 ? (
          <Button
            icon="undo"
            data-testid="undo-turn"
            disabled={undo.busy}
            onClick={() => undo.run(open.map((set) => ({ change_set: set.id })))}
          >
            Undo turn
          </Button>
        ) : (
          <Undone at={turn.sets.find((set) => set.undone_at !== null)?.undone_at ?? null} />
        )}
      </div>
      {notes.map(({ set, note }, index) => (
        <NoteChange key={`${set.id} ${note.path} ${index}`} set={set} note={note} undo={undo} />
      ))}
    </section>
  );
}

function NoteChange({ set, note, undo }: { set: ChangeSetView; note: ChangedNoteView; undo: Undo }) {
  const { openNote } = useActions();
  const { name, folder } = noteName(note.path);
  const conflict = useApp((app) => app.conflicts.find((other) => other.set === set.id && other.conflict.path === note.path));
  return (
    <article data-testid="change-note" data-path={note.path} data-list-item data-note-path={isNote(note.path) ? note.path : undefined} data-undone={note.undone} className="flex flex-col gap-1.5">
      <div className="flex min-h-6 items-center gap-2">
        <Icon name="note" size={14} className="text-fg-2" />
        {isNote(note.path) ? (
          <button type="button" onClick={() => openNote(note.path)} data-tip={note.path} className="cut rounded-badge text-ui font-medium hover:underline">
            {name}
          </button>
        ) : (
          <span data-tip={note.path} className="cut text-ui font-medium">
            {name}
          </span>
        )}
        <span className="cut min-w-0 flex-1 text-small text-fg-3">{folder}</span>
        {note.undone ? (
          <Undone at={set.undone_at} />
        ) : (
          <Button
            size="s"
            variant="quiet"
            icon="undo"
            data-testid="undo-note"
            aria-label={`Undo ${name}`}
            disabled={undo.busy}
            onClick={() => undo.run([{ change_set: set.id, note: note.path }])}
          >
            Undo
          </Button>
        )}
      </div>
      {note.kind !== 'modified' && <p className="text-small text-fg-2">{kindText(note)}</p>}
      <div className={note.undone ? 'opacity-60' : ''}>
        <Diff diff={note.diff} />
      </div>
      {note.edited_since && !note.undone && !conflict && (
        <p className="flex gap-2 text-small text-warn">
          <Icon name="warn" size={14} className="mt-0.5 shrink-0" />
          Edited in Obsidian since. Undo will show both versions first.
        </p>
      )}
      {conflict && <SetConflictCard conflict={conflict} session={set.session} />}
    </article>
  );
}

function EarlierSet({ set, undo }: { set: ChangeSetView; undo: Undo }) {
  const [open, setOpen] = useState(false);
  return (
    <div data-testid="earlier-change" data-state={set.state}>
      <button
        type="button"
        aria-expanded={open}
        data-list-item
        onClick={() => setOpen(!open)}
        className="-mx-1 flex h-6.5 w-[calc(100%+0.5rem)] items-center gap-1.5 rounded-badge px-1 text-left hover:bg-hover"
      >
        <Icon name={open ? 'chevron-down' : 'chevron-right'} size={14} className="shrink-0 text-fg-2" />
        <span className="cut flex-1 text-ui">{set.label || 'Change'}</span>
        <span className="shrink-0 text-small text-fg-2">{earlierText(set)}</span>
      </button>
      {open && (
        <div className="flex flex-col gap-3 py-2">
          {set.state === 'interrupted' && <p className="text-small text-warn">Nova was closed while writing this. Undo reverts what was written.</p>}
          {set.notes.length > 1 && stands(set) && (
            <Button size="s" icon="undo" className="self-start" disabled={undo.busy} onClick={() => undo.run([{ change_set: set.id }])}>
              Undo all {set.notes.length}
            </Button>
          )}
          {set.notes.map((note, index) => (
            <NoteChange key={`${note.path} ${index}`} set={set} note={note} undo={undo} />
          ))}
        </div>
      )}
    </div>
  );
}

function Undone({ at }: { at: string | null }): ReactNode {
  return <span className="shrink-0 text-small text-fg-3">{at === null ? 'undone' : `undone at ${clockTime(at)}`}</span>;
}

interface Undo {
  readonly busy: boolean;
  readonly problem: UserError | null;
  /** Notes skipped by the last undo, until decided. */
  readonly left: string | null;
  run(what: readonly UndoChanges[]): void;
}

function useUndo(session: string | null): Undo {
  const { undo } = useActions();
  const conflicts = useApp((app) => app.conflicts);
  const [last, setLast] = useState<LastUndo>({ ...quiet, of: session });
  const shown = last.of === session ? last : quiet;

  const run = async (what: readonly UndoChanges[]) => {
    setLast({ ...quiet, of: session, busy: true });
    const sets = what.map(({ change_set }) => change_set);
    let undone = 0;
    try {
      // Newest first, since they build on each other.
      for (const one of what) undone += (await undo(one)).undone.length;
      setLast({ ...quiet, of: session, sets, undone });
    } catch (thrown) {
      setLast({ ...quiet, of: session, sets, undone, problem: userError(thrown) });
    }
  };
  const left = leftText(conflicts.filter(({ set }) => shown.sets.includes(set)));
  return {
    busy: shown.busy,
    problem: shown.problem,
    left: left && `${counted(shown.undone, 'note')} undone, ${left}`,
    run: (what) => void run(what),
  };
}

interface LastUndo {
  /** The session that made it. */
  readonly of: string | null;
  readonly busy: boolean;
  readonly problem: UserError | null;
  readonly sets: readonly string[];
  /** Number of notes. */
  readonly undone: number;
}

const quiet: LastUndo = { of: null, busy: false, problem: null, sets: [], undone: 0 };

function kindText(note: ChangedNoteView): string {
  switch (note.kind) {
    case 'created':
      return 'New note';
    case 'deleted':
      return 'Deleted';
    case 'renamed':
      return `Moved from ${note.from ?? 'another place'}`;
    case 'modified':
      return '';
  }
}

function earlierText(set: ChangeSetView): string {
  if (set.state === 'undone') return `undone, ${whenText(set.undone_at ?? set.at)}`;
  const undone = set.notes.filter((note) => note.undone).length;
  const notes = undone > 0 ? `${undone} of ${set.notes.length} undone` : counted(set.notes.length, 'note');
  return `${set.state === 'interrupted' ? 'interrupted, ' : ''}${notes}, ${whenText(set.at)}`;
}
