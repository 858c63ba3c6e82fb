import { Empty } from '../shared';
import { NotePreview } from '../shared/NotePreview';
import { useApp } from '../state/hooks';

/** The open note as it is on disk: properties and text, read again whenever it changes. */
export function NotePanel() {
  const asked = useApp((app) => app.panel.note);
  if (asked === null) {
    return (
      <div data-testid="note-preview">
        <Empty>No note is open. Choose one in the conversation to see it here.</Empty>
      </div>
    );
  }
  return (
    <div className="p-3.5">
      <NotePreview key={asked} asked={asked} />
    </div>
  );
}
