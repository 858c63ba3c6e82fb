import { Dialog } from 'radix-ui';
import { type ReactNode, useState } from 'react';

import { focusIsLost } from './focus';
import { ViewBoundary } from './ViewBoundary';

interface SheetProps {
  readonly side: 'left' | 'right';
  /** px */
  readonly width: number;
  readonly label: string;
  readonly onClose: () => void;
  /** Called before Esc closes it; `preventDefault` keeps it open. */
  readonly onEscape?: (event: KeyboardEvent) => void;
  /** Darkens the content below, for a separate task. */
  readonly scrim?: boolean;
  readonly children: ReactNode;
}

/** A column over the window. Esc and a click outside close it and return the focus to the opener. */
export function Sheet({ side, width, label, onClose, onEscape, scrim = false, children }: SheetProps) {
  const [before] = useState(() => document.activeElement);
  return (
    // Without Radix's overlay, which injects a style element to prevent scrolling.
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        {scrim && <div aria-hidden="true" className="fixed inset-0 z-30 bg-[rgb(0_0_0/32%)]" />}
        <Dialog.Content
          aria-label={label}
          aria-describedby={undefined}
          {...(onEscape ? { onEscapeKeyDown: onEscape } : {})}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            // The chosen action may have moved the focus.
            if (focusIsLost() && before instanceof HTMLElement) before.focus();
          }}
          style={{ width }}
          className={`fixed inset-y-0 z-30 flex max-w-[calc(100vw-48px)] flex-col bg-surface-side shadow-2 outline-none ${side === 'left' ? 'left-0 animate-sheet-left border-r' : 'right-0 animate-sheet-right border-l'} border-line`}
        >
          <Dialog.Title className="sr-only">{label}</Dialog.Title>
          <ViewBoundary>{children}</ViewBoundary>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
