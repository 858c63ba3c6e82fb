import type { LogLevel, LogLine } from '../ipc';
import { Revealed } from './Revealed';

const TONE: Record<LogLevel, string> = { debug: 'text-fg-3', info: 'text-fg-2', warn: 'text-warn', error: 'text-danger' };

/** A tool's log, which the model does not receive. */
export function ToolLog({ lines }: { lines: readonly LogLine[] }) {
  return (
    <div
      data-testid="tool-log"
      role="log"
      aria-label="Log"
      aria-live="off"
      tabIndex={0}
      className="selectable max-h-80 overflow-auto rounded-control border border-line bg-surface-sunken px-2.5 py-1.5 font-mono text-small break-words whitespace-pre-wrap"
    >
      {lines.map(({ level, message }, index) => (
        <p key={index} className={TONE[level]}>
          {(level === 'warn' || level === 'error') && <span className="font-medium">{level === 'warn' ? 'Warning: ' : 'Error: '}</span>}
          <Revealed text={message} />
        </p>
      ))}
    </div>
  );
}
