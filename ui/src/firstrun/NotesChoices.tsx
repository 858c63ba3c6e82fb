import { Button, counted } from '../shared';
import type { Folder, NotesChoice } from './choices';
import { Option, Options } from './Option';

interface NotesChoicesProps {
  readonly folders: readonly Folder[];
  readonly chosen: NotesChoice;
  readonly sampleTarget: string;
  readonly sampleNotes: number;
  readonly onChoose: (choice: NotesChoice) => void;
  readonly onPick: () => void;
}

/** The detected vaults, another folder, or the sample. */
export function NotesChoices({ folders, chosen, sampleTarget, sampleNotes, onChoose, onPick }: NotesChoicesProps) {
  const pick = (label: string) => (
    <Button size="s" onClick={onPick} data-testid="first-run-folder">
      {label}
    </Button>
  );
  return (
    <Options label="Which notes?">
      {folders.map((folder, at) => (
        <Option
          key={folder.path}
          name="notes"
          checked={chosen.kind === 'folder' && chosen.path === folder.path}
          onChoose={() => onChoose({ kind: 'folder', path: folder.path })}
          title={
            folder.found
              ? folders.filter(({ found }) => found).length > 1
                ? vaultName(folder.path)
                : 'Your Obsidian vault'
              : 'Your folder'
          }
          note={`${folder.shown}${folder.notes === null ? '.' : `: ${counted(folder.notes, 'note')}.`} Opening changes no file.`}
          aside={at === 0 && pick('Choose another folder…')}
          testId="first-run-vault"
        />
      ))}
      <Option
        name="notes"
        checked={chosen.kind === 'sample'}
        onChoose={() => onChoose({ kind: 'sample' })}
        title="Sample vault"
        note={`A copy of ${counted(sampleNotes, 'note')} with invented people, deals, positions and a budget, in ${sampleTarget}. Good for a first look.`}
        aside={folders.length === 0 && pick('Choose a folder…')}
        testId="first-run-sample"
      />
    </Options>
  );
}

function vaultName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
