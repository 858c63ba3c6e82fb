import { useState } from 'react';

import { LinkButton } from './Button';
import { isNote, noteName } from './format';
import { revealed } from './invisible';
import { listKeys } from './list-keys';
import { Revealed } from './Revealed';

const FIRST_NOTES = 6;

/** Notes as links, and names of other files; a long list is expanded on request. */
export function NoteList({ notes, onNote }: { notes: readonly string[]; onNote: (note: string) => void }) {
  const [all, setAll] = useState(false);
  const shown = all ? notes : notes.slice(0, FIRST_NOTES);
  return (
    <p data-list onKeyDown={listKeys} className="flex flex-wrap gap-x-3 gap-y-0.5">
      {shown.map((path, index) =>
        isNote(path) ? (
          <LinkButton key={index} data-list-item data-note-path={path} className="font-normal" data-tip={revealed(path)} onClick={() => onNote(path)}>
            <Revealed text={noteName(path).name} />
          </LinkButton>
        ) : (
          <span key={index} data-tip={revealed(path)}>
            <Revealed text={noteName(path).name} />
          </span>
        ),
      )}
      {notes.length > shown.length && (
        <LinkButton className="font-normal" onClick={() => setAll(true)}>
          {notes.length - shown.length} more
        </LinkButton>
      )}
    </p>
  );
}
