import { useState } from 'react';

import type { HistoryUse } from '../ipc';
import { Button, count, counted, dayText, Popover, PopoverClose, Segments, TextField } from '../shared';
import { useActions } from '../state/hooks';
import { Part } from './Part';
import type { VaultPageState } from './useVaultPage';

/** The history stored for undo, and how to reduce it. */
export function VaultHistory({ history, state }: { history: HistoryUse; state: VaultPageState }) {
  const { changes, bytes, most_bytes: most, oldest, days, at_least } = history;
  const share = Math.min(1, bytes / most);
  return (
    <Part title="History" note={<span className="text-small">What every change replaced, so that it can be undone.</span>} action={<Prune history={history} state={state} />}>
      <div className="flex justify-between text-small">
        <span>
          <span className="font-medium">{sizeText(bytes)}</span> <span className="text-fg-2">of {sizeText(most)} used</span>
        </span>
        <span className="tabular text-fg-2">
          {counted(changes, 'change')}
          {oldest !== null && `, oldest ${dayText(new Date(oldest))}`}
        </span>
      </div>
      <div
        role="meter"
        aria-label="History used"
        aria-valuemin={0}
        aria-valuemax={most}
        aria-valuenow={Math.min(bytes, most)}
        aria-valuetext={`${sizeText(bytes)} of ${sizeText(most)}`}
        className="mt-2 h-1.5 overflow-hidden rounded-full bg-selected"
      >
        <div className="h-full origin-left bg-accent-fill" style={{ transform: `scaleX(${share})` }} />
      </div>
      <p className="mt-2.5 flex flex-wrap items-center gap-2 text-small text-fg-2">
        Keep
        <Limit key={`d${days}`} label="Days of history" value={days} most={3650} onChange={(now) => state.setHistoryLimit(now, most)} />
        days or
        <Limit key={`b${most}`} label="Gigabytes of history" value={most / GIGABYTE} most={1000} decimals onChange={(now) => state.setHistoryLimit(days, Math.round(now * GIGABYTE))} />
        GB, whichever is reached first. The last {at_least} changes always stay.
      </p>
    </Part>
  );
}

const GIGABYTE = 1_000_000_000;

/** A number saved on blur; invalid input is not saved. */
function Limit({ label, value, most, decimals = false, onChange }: { label: string; value: number; most: number; decimals?: boolean; onChange: (value: number) => void }) {
  const [text, setText] = useState(String(value));
  const typed = Number(text.trim().replace(',', '.'));
  const valid = text.trim() !== '' && typed >= (decimals ? 0.01 : 1) && typed <= most && (decimals || Number.isInteger(typed));
  const save = () => {
    if (valid && typed !== value) onChange(typed);
  };
  return (
    <TextField
      aria-label={label}
      inputMode={decimals ? 'decimal' : 'numeric'}
      invalid={!valid}
      className="w-14"
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={save}
      onKeyDown={(event) => event.key === 'Enter' && save()}
    />
  );
}

function Prune({ history, state }: { history: HistoryUse; state: VaultPageState }) {
  const { pruneChanges } = useActions();
  const [asking, setAsking] = useState(false);
  const first = history.older.find(({ changes }) => changes > 0) ?? history.older[0];
  const [chosen, setChosen] = useState<number | null>(null);
  const older = history.older.find(({ days }) => days === chosen) ?? first;
  if (!older) return null;
  const prune = () => {
    setAsking(false);
    void state.attempt(() => pruneChanges(older.days), `${counted(older.changes, 'change')} deleted from the history.`);
  };
  return (
    <Popover
      label="Prune the history"
      align="end"
      open={asking}
      onOpenChange={setAsking}
      trigger={
        <Button size="s" data-testid="vault-prune">
          Prune…
        </Button>
      }
    >
      <p className="mb-2 font-medium">Delete history older than</p>
      <Segments
        label="Older than"
        value={String(older.days)}
        onChange={(value) => setChosen(Number(value))}
        options={history.older.map(({ days }) => ({ value: String(days), label: days === 0 ? 'now' : counted(days, 'day') }))}
      />
      <p className="mt-2 mb-2.5 text-small text-fg-2">
        {older.changes === 0
          ? `Nothing to delete: the last ${count(history.at_least)} changes always stay.`
          : `${sizeText(older.bytes)}, ${counted(older.changes, 'change')} can no longer be undone. The notes stay as they are.`}
      </p>
      <div className="flex gap-2">
        <Button variant="danger" size="s" disabled={older.changes === 0} onClick={prune} data-testid="vault-prune-confirm">
          Prune
        </Button>
        <PopoverClose asChild>
          <Button size="s">Cancel</Button>
        </PopoverClose>
      </div>
    </Popover>
  );
}

/** "212 MB" */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  const digits = unit > 0 && value < 10 && value % 1 !== 0 ? 1 : 0;
  return `${value.toFixed(digits)} ${units[unit] ?? ''}`;
}
