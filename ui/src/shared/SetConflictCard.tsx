import { useBackend } from '../ipc';
import type { SetConflict } from '../state/app';
import { useActions } from '../state/hooks';
import { ErrorBox } from './Banner';
import { Button } from './Button';
import { ConflictCard } from './ConflictCard';
import { isNote, noteName } from './format';
import { Icon } from './Icon';
import { revealed } from './invisible';
import { Revealed } from './Revealed';
import { useAttempt } from './useAttempt';

/**
 * A note skipped when a change set was undone or finished, because it was edited since or could not be read.
 */
export function SetConflictCard({ conflict, session }: { conflict: SetConflict; session: string | null }) {
  const backend = useBackend();
  const { resolveConflict, report } = useActions();
  const { set, way, decided } = conflict;
  const { path, what, mine, theirs, unreadable } = conflict.conflict;
  const open = () => void backend.rpc('open_note', { path }).catch(report);
  if (unreadable) return <UnreadableNote set={set} path={path} reason={what.join(' ')} />;
  return (
    <ConflictCard
      note={path}
      what={what}
      mine={mine}
      theirs={theirs}
      mineLabel={way === 'undo' ? 'Before Nova’s change' : 'Nova’s change'}
      theirsLabel={isNote(path) ? 'In Obsidian, now' : 'In the file, now'}
      useMine={way === 'undo' ? 'Use the version before' : 'Use Nova’s'}
      decided={decided}
      onChoose={async (keep) => ({ again: (await resolveConflict({ session, change_set: set, note: path, keep })).conflict !== null })}
      onOpen={open}
    />
  );
}

/** It cannot be shown or decided: it is undone once it is readable. */
function UnreadableNote({ set, path, reason }: { set: string; path: string; reason: string }) {
  const { undo } = useActions();
  const { busy, problem, attempt } = useAttempt();
  const { name, folder } = noteName(path);
  const again = () => attempt(() => undo({ change_set: set, note: path }));
  return (
    <section
      data-testid="unreadable-note"
      data-path={path}
      aria-label={`${revealed(name)} could not be read`}
      className="flex flex-col gap-2 rounded-message border border-warn-line bg-surface-raised p-3.5"
    >
      <div className="flex items-center gap-2.5">
        <Icon name="warn" size={14} className="text-warn" />
        <h2 className="min-w-0 text-body font-semibold" data-tip={revealed(folder)}>
          <Revealed text={name} /> could not be read
        </h2>
      </div>
      <p className="selectable text-small text-fg-2">
        <Revealed text={reason} />. The {isNote(path) ? 'note' : 'file'} was not touched. Once it can be read, it can be undone.
      </p>
      {problem && <ErrorBox error={problem} />}
      <div>
        <Button icon="undo" disabled={busy} onClick={() => void again()} data-testid="undo-again">
          Undo again
        </Button>
      </div>
    </section>
  );
}
