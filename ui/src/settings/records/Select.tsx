import type { ReactNode } from 'react';

import { Icon } from '../../shared';

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly children: ReactNode;
  /** The user has yet to choose. */
  readonly open?: boolean;
  /** What is chosen is a name of the vault's. */
  readonly mono?: boolean;
  readonly className?: string;
}

/** One of several in a row of a table. */
export function Select({ label, value, onChange, children, open = false, mono = false, className = 'w-32' }: SelectProps) {
  return (
    <span className={`relative inline-flex align-middle ${className}`}>
      <select
        aria-label={label}
        aria-invalid={open || undefined}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={`cut h-6 w-full appearance-none rounded-control border pr-6 pl-2 text-small ${mono ? 'font-mono' : ''} ${open ? 'border-warn bg-warn-soft' : 'border-line-control bg-surface-raised'}`}
      >
        {children}
      </select>
      <Icon name="chevron-down" size={12} className="pointer-events-none absolute top-1.5 right-2 text-fg-2" />
    </span>
  );
}
