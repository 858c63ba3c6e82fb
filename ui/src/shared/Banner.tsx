import type { ReactNode } from 'react';

import type { UserError } from '../ipc';
import { IconButton } from './Button';
import { Coded } from './Coded';
import { Icon, type IconName } from './Icon';
import { Revealed } from './Revealed';

export type BannerTone = 'grey' | 'warn' | 'danger';

interface BannerProps {
  readonly tone: BannerTone;
  readonly icon: IconName;
  readonly children: ReactNode;
  /** Links on the right, for remedies. */
  readonly actions?: ReactNode;
  readonly onDismiss?: () => void;
}

const tones: Record<BannerTone, string> = {
  grey: 'bg-surface-sunken text-fg-2',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
};

/** At most one, at the top of the region it concerns. */
export function Banner({ tone, icon, children, actions, onDismiss }: BannerProps) {
  return (
    <div
      role={tone === 'danger' ? 'alert' : 'status'}
      data-testid="banner"
      className={`flex min-h-8 items-center gap-2.5 rounded-card px-2.5 py-1 text-small ${tones[tone]}`}
    >
      <Icon name={icon} size={14} />
      <span className="selectable flex-1 text-fg">{children}</span>
      <span className="flex shrink-0 items-center gap-2">{actions}</span>
      {onDismiss && <IconButton icon="x" iconSize={12} label="Hide" className="-mr-1.5 -my-1" onClick={onDismiss} />}
    </div>
  );
}

/** An error and its remedy, inside the region that failed. */
export function ErrorBox({ error, actions }: { error: UserError; actions?: ReactNode }) {
  return (
    <div role="alert" className="flex items-start gap-2.5 rounded-card bg-danger-soft px-3 py-2.5 text-small">
      <Icon name="failed" size={14} className="mt-0.5 text-danger" />
      <div className="selectable min-w-0 flex-1">
        <p className="text-fg">
          <Revealed text={error.message} />
        </p>
        {error.hint && (
          <p className="text-fg-2">
            <Coded text={error.hint} />
          </p>
        )}
        {actions && <div className="mt-1 flex gap-3">{actions}</div>}
      </div>
    </div>
  );
}

/** Describes missing content and offers one action. */
export function Empty({ children, action, title }: { children: ReactNode; action?: ReactNode; title?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2.5 px-6 py-8 text-center text-small text-fg-2">
      {title && <p className="text-title font-semibold text-fg">{title}</p>}
      <p className="max-w-100">{children}</p>
      {action}
    </div>
  );
}

/** Grey bars while loading, shown only after 150 ms. */
export function Loading({ lines = 2, label = 'Reading' }: { lines?: number; label?: string }) {
  const parts = ['w-11/12', 'w-8/12', 'w-10/12', 'w-7/12'];
  return (
    <div role="status" aria-label={label} className="flex animate-appear-late flex-col gap-2.5 py-1">
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} className={`h-2.5 rounded-badge bg-selected ${parts[at % parts.length]}`} />
      ))}
    </div>
  );
}
