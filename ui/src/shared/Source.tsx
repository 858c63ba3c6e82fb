import { memo } from 'react';

import { Revealed } from './Revealed';

interface SourceProps {
  readonly text: string;
  /** Accessible name: the file. */
  readonly label: string;
  /** The line of an error, 1-based. */
  readonly marked?: number | null;
}

/**
 * A file for review: numbered lines, long ones wrapped so that nothing is out of view, and invisible
 * characters shown by their code.
 */
export const Source = memo(function Source({ text, label, marked = null }: SourceProps) {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const width = `${Math.max(2, String(lines.length).length) + 1}ch`;
  return (
    <div
      role="region"
      aria-label={label}
      tabIndex={0}
      data-testid="source"
      className="selectable max-h-96 overflow-y-auto rounded-control border border-line bg-surface py-1 font-mono text-small short:max-h-60"
    >
      {lines.map((line, index) => (
        <div
          key={index}
          data-marked={index + 1 === marked || undefined}
          className={`grid gap-x-3 pr-2.5 pl-2 ${index + 1 === marked ? 'bg-danger-soft' : ''}`}
          style={{ gridTemplateColumns: `${width} minmax(0, 1fr)` }}
        >
          <span aria-hidden="true" className={`text-right select-none ${index + 1 === marked ? 'text-danger' : 'text-fg-3'}`}>
            {index + 1}
          </span>
          <code className="break-words whitespace-pre-wrap">
            <Revealed text={line} />
          </code>
        </div>
      ))}
    </div>
  );
});
