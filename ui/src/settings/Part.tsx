import type { ReactNode } from 'react';

/** A section of the detail, with its heading. */
export function Part({ title, note, action, children }: { title?: string; note?: ReactNode; action?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="border-b border-line px-4 py-3.5 last:border-b-0">
      {title && (
        <div className="mb-1.5 flex items-baseline gap-2">
          <h3 className="font-semibold">{title}</h3>
          <span className="min-w-0 flex-1 text-fg-3">{note}</span>
          {action}
        </div>
      )}
      {children}
    </section>
  );
}
