import { useState, type ReactNode } from 'react';

import { LinkButton } from './Button';
import { revealed } from './invisible';
import { NotePopover, type OpenedLink } from './NotePopover';

/** A link that previews a note in place. `note`: a path, or a name as in a wikilink. */
export function NoteLink({ note, children = 'Open the note', className = '' }: { note: string; children?: ReactNode; className?: string }) {
  const [opened, setOpened] = useState<OpenedLink | null>(null);
  return (
    <>
      <LinkButton data-tip={revealed(note)} className={className} onClick={(event) => setOpened({ note, at: event.currentTarget })}>
        {children}
      </LinkButton>
      {opened && <NotePopover link={opened} onClose={() => setOpened(null)} />}
    </>
  );
}
