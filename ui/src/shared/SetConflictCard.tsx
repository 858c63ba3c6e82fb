import { useBackend } from '../ipc';
import type { SetConflict } from '../state/app';
import { useActions } from '../state/hooks';
import { ConflictCard } from './ConflictCard';
import { noteName } from './format';
import { Icon } from './Icon';
import { revealed } from './invisible';
import { Revealed } from './Revealed';

/** A note that undoing or finishing a change set left as it is, because it was edited since or could not be read. */
export function SetConflictCard({ conflict, session }: { conflict: SetConflict; session: string | null }) {
  const backend = useBackend();
  const { resolveConflict } = useActions();
  const { set, way, decided } = conflict;
  const { path, what, mine, theirs, unreadable } = conflict.conflict;
  const open = () => void backend.rpc('open_note', { path }).catch(() => undefined);
  if (unreadable) return <UnreadableNote path={path} reason={what.join(' ')} />;
  return (
    <ConflictCard
      note={path}
      what={what}
      mine={mine}
      theirs={theirs}
      mineLabel={way === 'undo' ? 'Before Nova’s change' : 'Nova’s change'}
      theirsLabel="In Obsidian, now"
      useMine={way === 'undo' ? 'Use the version before' : 'Use Nova’s'}
      decided={decided}
      onChoose={async (keep) => ({ again: (await resolveConflict({ session, change_set: set, note: path, keep })).conflict !== null })}
      onOpen={open}
    />
  );
}

/** Nothing can be shown of it, and nothing is to be decided. */
function UnreadableNote({ path, reason }: { path: string; reason: string }) {
  const { name, folder } = noteName(path);
  return (
    <section
      data-testid="unreadable-note"
      data-path={path}
      aria-label={`${revealed(name)} could not be read`}
      className="flex flex-col gap-1.5 rounded-message border border-warn-line bg-surface-raised p-3.5"
    >
      <div className="flex items-center gap-2.5">
        <Icon name="warn" size={14} className="text-warn" />
        <h2 className="min-w-0 text-body font-semibold" title={revealed(folder)}>
          <Revealed text={name} /> could not be read
        </h2>
      </div>
      <p className="selectable text-small text-fg-2">
        <Revealed text={reason} />. It was not touched; once it can be read, undo again.
      </p>
    </section>
  );
}
