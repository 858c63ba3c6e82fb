import { Dialog } from 'radix-ui';
import type { ReactNode } from 'react';

import { focusIsLost } from './focus';

interface SheetProps {
  readonly side: 'left' | 'right';
  /** px */
  readonly width: number;
  readonly label: string;
  readonly onClose: () => void;
  /** Before Esc closes it; `preventDefault` keeps it open. */
  readonly onEscape?: (event: KeyboardEvent) => void;
  /** Darkens what lies below: the sheet is a task of its own. */
  readonly scrim?: boolean;
  readonly children: ReactNode;
}

/** A column over the conversation, in a window too narrow for both. Esc and a click beside it close it. */
export function Sheet({ side, width, label, onClose, onEscape, scrim = false, children }: SheetProps) {
  return (
    // Without Radix's overlay, which injects a style element to keep the page from scrolling.
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        {scrim && <div aria-hidden="true" className="fixed inset-0 z-30 bg-[rgb(0_0_0/32%)]" />}
        <Dialog.Content
          aria-label={label}
          aria-describedby={undefined}
          {...(onEscape ? { onEscapeKeyDown: onEscape } : {})}
          onCloseAutoFocus={(event) => {
            // What was chosen may have taken the focus somewhere else.
            if (!focusIsLost()) event.preventDefault();
          }}
          style={{ width }}
          className={`fixed inset-y-0 z-30 flex max-w-[calc(100vw-48px)] flex-col bg-surface-side shadow-2 outline-none ${side === 'left' ? 'left-0 animate-sheet-left border-r' : 'right-0 animate-sheet-right border-l'} border-line`}
        >
          <Dialog.Title className="sr-only">{label}</Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
