import type { NoteDiffView } from '../ipc';
import { Icon, noteName } from '../shared';
import { Revealed } from '../shared/Revealed';

/** The line above a note's diff: its name, folder, former path, and kind of change. */
export function NoteCaption({ diff }: { diff: NoteDiffView }) {
  const { name, folder } = noteName(diff.path);
  return (
    <>
      <Icon name="note" size={14} className="text-fg-2" />
      <span className="cut font-medium">
        <Revealed text={name} />
      </span>
      <span className="cut text-fg-3">
        <Revealed text={folder} />
      </span>
      {diff.from !== undefined && (
        <span className="cut text-fg-2">
          moved from <Revealed text={diff.from} />
        </span>
      )}
      <span className="ml-auto shrink-0 text-fg-2 @max-lg:hidden">
        <Revealed text={diff.summary} />
      </span>
    </>
  );
}
