// Chooses a name in use, or a new one that is marked as new.

import { useState, type ReactNode } from 'react';

import { Icon, Popover, TextField } from '../../shared';

interface NamePickerProps {
  /** "Account" */
  readonly label: string;
  readonly value: string | null;
  readonly names: readonly string[];
  /** Placeholder without a value. */
  readonly empty: string;
  readonly onChoose: (name: string) => void;
  /** Filled if the value is in force, framed if one is required. */
  readonly look?: 'chip' | 'plain';
  /** The subject of the name: read out with the label. */
  readonly of?: string;
}

export function NamePicker({ label, value, names, empty, onChoose, look = 'plain', of }: NamePickerProps) {
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const sought = typed.trim().toLowerCase();
  const found = names.filter((name) => name.toLowerCase().includes(sought));
  const isNew = sought !== '' && !names.some((name) => name.toLowerCase() === sought);
  const choose = (name: string) => {
    setOpen(false);
    setTyped('');
    onChoose(name);
  };
  const frame = look === 'plain' ? 'text-fg' : value === null ? 'border border-line-strong bg-surface-raised' : 'bg-surface-sunken';
  return (
    <Popover
      label={label}
      open={open}
      onOpenChange={setOpen}
      trigger={
        <button
          type="button"
          data-picker={label.toLowerCase()}
          aria-label={`${label}${of === undefined ? '' : ` of ${of}`}: ${value ?? empty}`}
          className={`inline-flex h-5.5 max-w-48 items-center gap-1 rounded-control px-1.5 text-small hover:bg-hover ${frame}`}
        >
          <span className="cut">{value ?? empty}</span>
          <Icon name="chevron-down" size={12} />
        </button>
      }
    >
      <div className="w-52">
        <TextField
          aria-label={`Find or add: ${label.toLowerCase()}`}
          placeholder={`Find or add one`}
          autoFocus
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.ctrlKey) return;
            event.preventDefault();
            const [first] = found;
            if (sought !== '') choose(isNew ? typed.trim() : (first ?? typed.trim()));
          }}
        />
        <ul className="mt-1.5 max-h-52 overflow-y-auto">
          {found.map((name) => (
            <li key={name}>
              <Choice onClick={() => choose(name)} checked={name === value}>
                {name}
              </Choice>
            </li>
          ))}
          {isNew && (
            <li>
              <Choice onClick={() => choose(typed.trim())}>
                Use “{typed.trim()}” <span className="text-fg-3">new</span>
              </Choice>
            </li>
          )}
        </ul>
      </div>
    </Popover>
  );
}

function Choice({ onClick, checked = false, children }: { onClick: () => void; checked?: boolean; children: ReactNode }) {
  return (
    <button type="button" className="flex min-h-7 w-full items-center gap-2 rounded-control px-2 text-left hover:bg-hover" onClick={onClick}>
      <span className="cut flex-1">{children}</span>
      {checked && <Icon name="check" size={14} className="text-accent" />}
    </button>
  );
}
