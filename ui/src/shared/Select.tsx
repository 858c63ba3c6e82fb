import type { ReactNode } from 'react';

import { Icon } from './Icon';

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly children: ReactNode;
  /** The user has not chosen yet. */
  readonly open?: boolean;
  /** The value is a name in the vault. */
  readonly mono?: boolean;
  readonly className?: string;
}

/** A select in a table row. */
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
