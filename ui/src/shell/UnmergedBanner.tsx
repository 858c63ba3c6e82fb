import { Banner, counted, LinkButton } from '../shared';
import { NoteList } from '../shared/NoteList';
import { useActions, useApp } from '../state/hooks';
import type { ProblemView } from '../ipc';

/** Copies of edits that could not be merged, found by their file names. */
export function unmergedCopies(problems: readonly ProblemView[]): string[] {
  return [...new Set(problems.map(({ path }) => path).filter((path) => path.includes(" (Nova's conflicted copy ")))];
}

/** Outside edits that collided with a write of Nova: each is a copy beside its note until deleted. */
export function UnmergedBanner({ copies }: { copies: readonly string[] }) {
  const { showPanel, openNote } = useActions();
  const open = (path: string) => {
    showPanel('note');
    openNote(path);
  };
  return (
    <Banner tone="warn" icon="warn" actions={<LinkButton onClick={() => showPanel('problems')}>What to do</LinkButton>}>
      <p>{counted(copies.length, 'edit')} made outside Nova could not be merged. Saved beside the note:</p>
      <div className="max-h-24 overflow-y-auto">
        <NoteList notes={copies} onNote={open} />
      </div>
    </Banner>
  );
}

/** Finds the copies among the vault's problems. */
export function useUnmergedCopies(): string[] {
  const rows = useApp((app) => app.problems.rows);
  return unmergedCopies(rows ?? []);
}
