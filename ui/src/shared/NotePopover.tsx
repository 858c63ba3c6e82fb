import { Popover as Radix } from 'radix-ui';
import { useState } from 'react';

import { useActions } from '../state/hooks';
import { IconButton } from './Button';
import { noteName } from './format';
import { NotePreview } from './NotePreview';

export interface OpenedLink {
  readonly note: string;
  /** The link, which is focused again when the popover is closed. */
  readonly at: HTMLElement;
}

/** A preview of a note beside its link. Esc and a click elsewhere close it. */
export function NotePopover({ link, onClose }: { link: OpenedLink; onClose: () => void }) {
  const { openNote, show } = useActions();
  const [note, setNote] = useState(link.note);
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Anchor virtualRef={{ current: link.at }} />
      <Radix.Portal>
        <Radix.Content
          side="bottom"
          align="start"
          sideOffset={6}
          collisionPadding={12}
          aria-label={`Note ${noteName(note).name}`}
          data-testid="note-popover"
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (link.at.isConnected) link.at.focus();
          }}
          className="z-40 max-h-[min(24rem,var(--radix-popover-content-available-height))] w-100 max-w-[calc(100vw-2rem)] animate-pop overflow-y-auto rounded-pop border border-line-strong bg-surface-raised p-3.5 text-ui text-fg shadow-2 outline-none"
        >
          <NotePreview
            key={note}
            asked={note}
            onNote={setNote}
            actions={
              <IconButton
                icon="panel"
                label="Show beside the chat"
                data-testid="note-beside"
                className="-my-0.5"
                onClick={() => {
                  onClose();
                  openNote(note);
                  show({ kind: 'chat' });
                }}
              />
            }
          />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
