import type { ReactNode } from 'react';

/** A word with an explanation for pointer, keyboard and screen reader. */
export function Explained({ more, children, className = '' }: { more: string; children: ReactNode; className?: string }) {
  return (
    <button type="button" data-tip={more} className={`rounded-badge ${className}`}>
      {children}
    </button>
  );
}
