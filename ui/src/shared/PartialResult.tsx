import type { JsonValue } from '../ipc';
import { revealed } from './invisible';
import { ValueView } from './Value';

export function ProgressBar({ fraction, label }: { fraction: number; label: string }) {
  const done = Math.min(1, Math.max(0, fraction));
  return (
    <div
      role="progressbar"
      aria-label={revealed(label)}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(done * 100)}
      className="mx-2.5 mb-2 h-1 overflow-hidden rounded-full bg-selected"
    >
      <div
        className="h-full origin-left rounded-full bg-accent-fill transition-transform duration-220 ease-nova"
        style={{ transform: `scaleX(${done})` }}
      />
    </div>
  );
}

/**
 * The best two rows of a call's partial result, while running or after it was stopped; nothing for values
 * without rows.
 */
export function PartialResult({ partial, ended = false }: { partial: JsonValue; ended?: boolean }) {
  const rows = rowsOf(partial);
  if (rows.length === 0) return null;
  const more = rows.length - 2;
  return (
    <div className="border-t border-line [&_td:first-child]:font-medium [&_tbody_tr:nth-child(2)]:short:hidden">
      <ValueView value={rows.slice(0, 2)} label={ended ? 'Found before it was stopped' : 'So far'} dense />
      <p className="border-t border-line px-3 py-1 text-small text-fg-3">
        {more > 0 && `${more} more so far. `}
        {ended ? 'Stopped; result incomplete.' : 'Best first; order may change until it ends.'}
      </p>
    </div>
  );
}

function rowsOf(partial: JsonValue): JsonValue[] {
  const lists = isObject(partial) ? Object.entries(partial).filter(([key]) => key !== 'problems' && key !== 'unreadable') : [];
  const list = Array.isArray(partial) ? partial : lists.map(([, value]) => value).find(Array.isArray);
  return list?.every(isObject) ? list : [];
}

function isObject(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
