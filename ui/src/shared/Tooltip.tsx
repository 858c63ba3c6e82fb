import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

import { Kbd } from './Kbd';

/** Names what has no words. Needs the one `TooltipProvider` of the window above it. */
export function Tooltip({ label, keys, children }: { label: ReactNode; keys?: string | undefined; children: ReactNode }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-50 flex max-w-72 animate-pop items-center gap-2 rounded-control border border-line bg-surface-raised px-2 py-1 text-small text-fg shadow-2"
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
    <Radix.Provider delayDuration={500} skipDelayDuration={200}>
      {children}
    </Radix.Provider>
  );
}
