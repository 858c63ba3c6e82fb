import { Popover as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

import { focusIsLost } from './focus';

interface PopoverProps {
  /** The button that opens it. */
  readonly trigger: ReactNode;
  readonly children: ReactNode;
  /** Accessible name. */
  readonly label: string;
  readonly align?: 'start' | 'center' | 'end';
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  /** Called before `onOpenChange`, which also fires for a click elsewhere. */
  readonly onEsc?: () => void;
  /** The element to focus on close, instead of the trigger. */
  readonly returnTo?: () => HTMLElement | null;
}

/**
 * Initially focuses the element with `data-first-focus`. Esc and a click elsewhere close it and return the
 * focus to the trigger.
 */
export function Popover({ trigger, children, label, align = 'start', open, onOpenChange, onEsc, returnTo }: PopoverProps) {
  return (
    <Radix.Root {...(open === undefined ? {} : { open })} {...(onOpenChange ? { onOpenChange } : {})}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          aria-label={label}
          {...(onEsc ? { onEscapeKeyDown: onEsc } : {})}
          onCloseAutoFocus={(event) => {
            if (!returnTo) return;
            event.preventDefault();
            // A click elsewhere has moved the focus.
            if (focusIsLost()) returnTo()?.focus();
          }}
          onOpenAutoFocus={(event) => {
            const first = event.currentTarget instanceof Element && event.currentTarget.querySelector<HTMLElement>('[data-first-focus]');
            if (!first) return;
            event.preventDefault();
            first.focus();
          }}
          className="z-40 max-w-sm animate-pop rounded-pop border border-line bg-surface-raised p-3 text-ui text-fg shadow-2 outline-none"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Wraps a button in a popover that closes it. */
export const PopoverClose = Radix.Close;
