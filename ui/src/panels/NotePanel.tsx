import { Empty, IconButton } from '../shared';
import { NotePreview } from '../shared/NotePreview';
import { useSuggestLinks } from '../shared/useSuggestLinks';
import { useApp } from '../state/hooks';
import { WriteMessage } from './WriteMessage';

/** The open note as it is on disk: properties and text, reloaded on changes. */
export function NotePanel() {
  const asked = useApp((app) => app.panel.note);
  if (asked === null) {
    return (
      <div data-testid="note-preview">
        <Empty action={<WriteMessage />}>No note open. Click a note in the chat to see it here.</Empty>
      </div>
    );
  }
  return (
    <div className="p-3.5">
      <NotePreview key={asked} asked={asked} actions={<SuggestLinks note={asked} />} />
    </div>
  );
}

function SuggestLinks({ note }: { note: string }) {
  const suggest = useSuggestLinks();
  return suggest && <IconButton icon="brackets" label="Suggest links" data-testid="suggest-links" onClick={() => suggest(note)} />;
}
