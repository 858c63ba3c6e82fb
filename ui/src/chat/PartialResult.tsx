import type { JsonValue } from '../ipc';
import { ValueView } from '../shared';
import { isObject } from './wording';

export function ProgressBar({ fraction, label }: { fraction: number; label: string }) {
  const done = Math.min(1, Math.max(0, fraction));
  return (
    <div
      role="progressbar"
      aria-label={label}
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

/** The best two rows of what a running call has found; nothing for values that have no rows. */
export function PartialResult({ partial }: { partial: JsonValue }) {
  const rows = rowsOf(partial);
  if (rows.length === 0) return null;
  const more = rows.length - 2;
  return (
    <div className="border-t border-line [&_tbody_tr:nth-child(2)]:short:hidden">
      <ValueView value={rows.slice(0, 2)} label="So far" dense />
      <p className="border-t border-line px-3 py-1 text-small text-fg-3">
        {more > 0 && `${more} more so far. `}Best first; order may change until it ends.
      </p>
    </div>
  );
}

function rowsOf(partial: JsonValue): JsonValue[] {
  const list = Array.isArray(partial) ? partial : isObject(partial) ? Object.values(partial).find(Array.isArray) : undefined;
  return list?.every(isObject) ? list : [];
}
