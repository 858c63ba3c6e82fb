import type { ReactNode } from 'react';

import { Icon } from '../../shared';

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly children: ReactNode;
  readonly className?: string;
  /** Without the arrow, to save room. */
  readonly bare?: boolean;
}

/** A native select. */
export function Choice({ label, value, onChange, children, className = '', bare = false }: ChoiceProps) {
  return (
    <span className={`relative inline-flex min-w-0 ${className}`}>
      <select
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={`cut h-7 w-full appearance-none rounded-control border border-line-control bg-surface-raised pl-2 text-small text-fg ${bare ? 'pr-1' : 'pr-5.5'}`}
      >
        {children}
      </select>
      {!bare && <Icon name="chevron-down" size={12} className="pointer-events-none absolute top-2 right-1.5 text-fg-2" />}
    </span>
  );
}
