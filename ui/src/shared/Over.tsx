import { Dialog } from 'radix-ui';
import { type ReactNode, useState } from 'react';

/** A dialog near the top of the window. Esc and a click outside close it and restore the focus. */
export function Over({ label, onClose, className = '', children }: { label: string; onClose: () => void; className?: string; children: ReactNode }) {
  const [before] = useState(() => document.activeElement);
  return (
    // Without Radix's overlay, which injects a style element to prevent scrolling.
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Content
          aria-label={label}
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            // The chosen action may have moved the focus.
            if (before instanceof HTMLElement && (document.activeElement ?? document.body) === document.body) before.focus();
          }}
          className={`fixed top-[12vh] left-1/2 z-50 flex max-h-[76vh] w-152 max-w-[calc(100vw-48px)] -translate-x-1/2 flex-col overflow-hidden rounded-pop border border-line-strong bg-surface-raised text-ui text-fg shadow-2 outline-none ${className}`}
        >
          <Dialog.Title className="sr-only">{label}</Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
