import type { ReactNode } from 'react';

/** Words that have more behind them: told to whoever points at them, comes to them with Tab, or listens. */
export function Explained({ more, children, className = '' }: { more: string; children: ReactNode; className?: string }) {
  return (
    <button type="button" data-tip={more} className={`rounded-badge ${className}`}>
      {children}
    </button>
  );
}
