import type { ReactNode } from 'react';

import { Icon, type IconName } from './Icon';

export type ChipTone = 'skill' | 'tool' | 'note' | 'warn';

interface ChipProps {
  readonly tone: ChipTone;
  readonly icon?: IconName;
  /** Address of a small picture that replaces the icon. */
  readonly picture?: string;
  readonly children: ReactNode;
  /** Grey, after the name: "this turn". */
  readonly note?: ReactNode;
  readonly onClick?: () => void;
  readonly onRemove?: () => void;
  /** Accessible name of the ×. */
  readonly removeLabel?: string;
}

const tones: Record<ChipTone, string> = {
  skill: 'bg-surface-sunken text-fg-2',
  tool: 'bg-accent-soft text-accent font-mono text-small',
  note: 'border border-line-strong text-fg-2',
  warn: 'bg-warn-soft text-warn',
};

export function Chip({ tone, icon, picture, children, note, onClick, onRemove, removeLabel = 'Remove' }: ChipProps) {
  const words = (
    <>
      {icon && <Icon name={icon} size={14} />}
      {picture && <img src={picture} alt="" className="-ml-1 size-4.5 rounded-badge object-cover" />}
      <span className="cut">{children}</span>
      {note && <span className="text-fg-3">{note}</span>}
    </>
  );
  return (
    <span
      className={`inline-flex h-5.5 max-w-60 shrink-0 items-center rounded-badge align-middle text-small whitespace-nowrap ${tones[tone]}`}
    >
      {onClick ? (
        <button type="button" onClick={onClick} className="flex h-full min-w-0 items-center gap-1.5 rounded-badge px-1.5 hover:bg-hover">
          {words}
        </button>
      ) : (
        <span className="flex min-w-0 items-center gap-1.5 px-1.5">{words}</span>
      )}
      {onRemove && (
        <button
          type="button"
          aria-label={removeLabel}
          data-tip={removeLabel}
          onClick={onRemove}
          className="relative -ml-1 flex h-full items-center rounded-badge px-1 after:absolute after:-inset-1 hover:bg-hover"
        >
          <Icon name="x" size={12} />
        </button>
      )}
    </span>
  );
}
