import { Tooltip as Radix } from 'radix-ui';
import { useEffect, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';

import { Kbd } from './Kbd';
import { tipClass, Tips } from './Tips';

/** Names what has no words. Takes no key and no click. Needs the one `TooltipProvider` of the window above it. */
export function Tooltip({ label, keys, children }: { label: ReactNode; keys?: string | undefined; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (!open) return;
    // Ahead of Radix, which would spend the Esc that is meant for the sheet below on the tooltip.
    const close = () => flushSync(() => setOpen(false));
    window.addEventListener('keydown', close, { capture: true });
    return () => window.removeEventListener('keydown', close, { capture: true });
  }, [open]);
  return (
    <Radix.Root open={open} onOpenChange={setOpen}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={6}
          collisionPadding={8}
          data-tooltip
          className={`pointer-events-none ${tipClass}`}
        >
          {label}
          {keys && <Kbd>{keys}</Kbd>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={500} skipDelayDuration={200} disableHoverableContent>
      {children}
      <Tips />
    </Radix.Provider>
  );
}
