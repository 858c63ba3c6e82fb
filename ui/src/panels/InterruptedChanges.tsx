// Change sets interrupted by the end of a process, from any chat. The user chooses what happens to them.

import type { ChangeSetView } from '../ipc';
import { Button, counted, ErrorBox, Icon, IconButton, whenText } from '../shared';
import { NoteList } from '../shared/NoteList';
import { SetConflictCard } from '../shared/SetConflictCard';
import type { Settlement } from '../state/app';
import { useActions, useApp } from '../state/hooks';
import { leftText } from './changes';

/** Sets that wait for Finish or Undo, and results since the window opened. */
export function InterruptedChanges() {
  const interrupted = useApp((app) => app.interrupted);
  const settlements = useApp((app) => app.settlements);
  const settled = settlements.filter(({ set }) => !interrupted.some((open) => open.id === set.id));
  return (
    <>
      {interrupted.map((set) => (
        <Interrupted key={set.id} set={set} settlement={settlements.find((one) => one.set.id === set.id) ?? null} />
      ))}
      {settled.map((settlement) => (
        <Settled key={settlement.set.id} settlement={settlement} />
      ))}
    </>
  );
}

function Interrupted({ set, settlement }: { set: ChangeSetView; settlement: Settlement | null }) {
  const { settle, openNote } = useActions();
  const notes = pathsOf(set);
  const busy = settlement?.busy ?? false;
  return (
    <section
      data-testid="interrupted-change"
      aria-label={`Interrupted: ${labelOf(set)}`}
      className="flex flex-col gap-2.5 rounded-message border border-warn-line bg-surface-raised p-3.5"
    >
      <div className="flex gap-2.5">
        <Icon name="warn" size={14} className="mt-0.5 text-warn" />
        <div className="min-w-0 flex-1">
          <h2 className="text-ui font-semibold">Nova was interrupted while it changed {counted(notes.length, 'note')}</h2>
          <p className="selectable text-small break-words text-fg-2">
            {labelOf(set)}, {whenText(set.at)}
          </p>
        </div>
      </div>
      <div className="text-small">
        <NoteList notes={notes} onNote={openNote} />
      </div>
      <p className="text-small text-fg-2">Finish writes the rest. Undo reverts what was written. Nothing happens until you choose.</p>
      {settlement?.problem && <ErrorBox error={settlement.problem} />}
      {settlement && !busy && <Conflicts set={set} />}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" disabled={busy} onClick={() => void settle(set, 'finish')} data-testid="finish-change">
          Finish
        </Button>
        <Button icon="undo" disabled={busy} onClick={() => void settle(set, 'undo')} data-testid="undo-change">
          Undo
        </Button>
      </div>
    </section>
  );
}

/** The result, until dismissed. */
function Settled({ settlement }: { settlement: Settlement }) {
  const { dismissSettlement, openNote } = useActions();
  const { set, way, notes } = settlement;
  const done = way === 'finish' ? 'finished' : 'undone';
  return (
    <section data-testid="settled-change" aria-label={`Settled: ${labelOf(set)}`} className="flex flex-col gap-2">
      <div className="flex items-start gap-2 text-small">
        <Icon name={way === 'finish' ? 'check' : 'undo'} size={14} className={`mt-0.5 ${way === 'finish' ? 'text-ok' : 'text-fg-2'}`} />
        <div className="min-w-0 flex-1">
          <p role="status" className="selectable break-words">
            {labelOf(set)}: {notes.length === 0 ? `no note ${done}` : `${counted(notes.length, 'note')} ${done}`}
          </p>
          <NoteList notes={notes} onNote={openNote} />
        </div>
        <IconButton icon="x" iconSize={12} label="Hide" className="-my-1" onClick={() => dismissSettlement(set.id)} />
      </div>
      <Conflicts set={set} />
    </section>
  );
}

/** The skipped notes, each with both sides. */
function Conflicts({ set }: { set: ChangeSetView }) {
  const conflicts = useApp((app) => app.conflicts);
  const met = conflicts.filter((one) => one.set === set.id);
  const left = leftText(met);
  return (
    <>
      {left && (
        <p role="status" className="text-small text-warn">
          {left}
        </p>
      )}
      {met.map((one) => (
        <SetConflictCard key={one.conflict.path} conflict={one} session={set.session} />
      ))}
    </>
  );
}

function pathsOf(set: ChangeSetView): string[] {
  return [...new Set(set.notes.map(({ path }) => path))];
}

function labelOf(set: ChangeSetView): string {
  return set.label || 'Change';
}
