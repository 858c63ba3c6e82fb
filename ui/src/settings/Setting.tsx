import type { ReactNode } from 'react';

/** One setting: its name, its meaning, its control. */
export function Setting({ name, note, children }: { name: string; note: string; children: ReactNode }) {
  return (
    <div className="flex min-h-15 items-center justify-between gap-6 border-b border-line py-3">
      <div>
        <h2 className="text-ui font-medium">{name}</h2>
        <p className="text-small text-fg-3">{note}</p>
      </div>
      <div className="flex shrink-0 items-center gap-3">{children}</div>
    </div>
  );
}
