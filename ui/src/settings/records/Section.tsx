// Shared parts of the page's tables.

import type { ReactNode } from 'react';

import { Coded } from '../../shared';

export function Section({ title, note, children }: { title: string; note: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="border-b border-line pt-3 pb-1 last:border-b-0">
      <h2 className="flex items-baseline gap-2.5 px-5 text-ui font-semibold">
        {title}
        <span className="cut text-small font-normal text-fg-2">{note}</span>
      </h2>
      {children}
    </section>
  );
}

/** A section of the preview. */
export function Block({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <section aria-label={title} className="border-b border-line px-5 py-3 last:border-b-0">
      <div className="mb-1.5 flex items-center gap-2">
        <h3 className="flex-1 font-semibold">{title}</h3>
        {action}
      </div>
      {children}
    </section>
  );
}

export interface Head {
  readonly label: string;
  readonly className: string;
  /** Only for screen readers. */
  readonly hidden?: boolean;
}

export function HeadRow({ columns }: { columns: readonly Head[] }) {
  return (
    <thead className="text-fg-2">
      <tr className="h-7">
        {columns.map(({ label, className, hidden = false }) => (
          <th key={label} scope="col" className={`text-left font-normal ${className}`}>
            {hidden ? <span className="sr-only">{label}</span> : label}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** Errors of the adjacent settings. */
export function Faults({ reasons }: { reasons: readonly string[] }) {
  if (reasons.length === 0) return null;
  return (
    <ul role="alert" className="px-5 py-1 text-small text-danger">
      {reasons.map((reason) => (
        <li key={reason} className="selectable">
          <Coded text={reason} />
        </li>
      ))}
    </ul>
  );
}
