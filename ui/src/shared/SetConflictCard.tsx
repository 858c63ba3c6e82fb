import { useBackend } from '../ipc';
import type { SetConflict } from '../state/app';
import { useActions } from '../state/hooks';
import { ConflictCard } from './ConflictCard';

/** A note that undoing or finishing a change set left as it is, because it was edited since. */
export function SetConflictCard({ conflict, session }: { conflict: SetConflict; session: string | null }) {
  const backend = useBackend();
  const { resolveConflict } = useActions();
  const { set, way, decided } = conflict;
  const { path, what, mine, theirs } = conflict.conflict;
  const open = () => void backend.rpc('open_note', { path }).catch(() => undefined);
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
