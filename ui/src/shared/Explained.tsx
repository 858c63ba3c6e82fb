import type { ReactNode } from 'react';

import { Tooltip } from './Tooltip';

/** Words that have more behind them: told to whoever points at them, comes to them with Tab, or listens. */
export function Explained({ more, children, className = '' }: { more: ReactNode; children: ReactNode; className?: string }) {
  return (
    <Tooltip label={more}>
      <button type="button" className={`rounded-badge ${className}`}>
        {children}
      </button>
    </Tooltip>
  );
}
