import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';

import { Icon, type IconName } from './Icon';
import { Kbd } from './Kbd';

type Variant = 'primary' | 'secondary' | 'quiet' | 'danger';
type Size = 's' | 'm' | 'l';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** One primary per card; `danger` is filled for irreversible actions. */
  readonly variant?: Variant;
  readonly size?: Size;
  readonly icon?: IconName;
  /** Equivalent keys, such as `Ctrl ↵`. */
  readonly keys?: string;
  readonly ref?: Ref<HTMLButtonElement>;
}

const variants: Record<Variant, string> = {
  primary: 'bg-accent-fill text-on-accent enabled:hover:bg-accent-hover',
  danger: 'bg-danger-fill text-on-accent enabled:hover:brightness-95',
  secondary: 'border border-line-strong bg-surface-raised text-fg enabled:hover:bg-surface-sunken',
  quiet: 'text-fg-2 enabled:hover:bg-hover',
};
const sizes: Record<Size, string> = {
  s: 'h-6 gap-1.5 px-2 text-small',
  m: 'h-7 gap-1.5 px-2.5 text-ui',
  l: 'h-9 gap-2 px-4 text-ui',
};

export function Button({
  variant = 'secondary',
  size = 'm',
  icon,
  keys,
  className = '',
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      className={`inline-flex shrink-0 items-center justify-center rounded-control font-medium whitespace-nowrap transition-colors duration-120 disabled:opacity-50 ${variants[variant]} ${sizes[size]} ${className}`}
      {...rest}
    >
      {icon && <Icon name={icon} size={14} />}
      {children}
      {keys && <Kbd on={variant === 'primary' || variant === 'danger' ? 'fill' : 'surface'}>{keys}</Kbd>}
    </button>
  );
}

export interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly icon: IconName;
  /** Tooltip and accessible name. */
  readonly label: string;
  readonly keys?: string;
  readonly pressed?: boolean;
  readonly iconSize?: 16 | 14 | 12;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ icon, label, keys, pressed, iconSize = 16, className = '', ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={pressed}
      data-tip={label}
      data-tip-keys={keys}
      className={`inline-flex size-7 shrink-0 items-center justify-center rounded-control transition-colors duration-120 enabled:hover:bg-hover disabled:text-fg-off ${pressed ? 'bg-selected text-fg' : 'text-fg-2'} ${className}`}
      {...rest}
    >
      <Icon name={icon} size={iconSize} />
    </button>
  );
}

/** A button that looks like a link, within a sentence or at the end of a row. */
export function LinkButton({
  className = '',
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { children: ReactNode; ref?: Ref<HTMLButtonElement> }) {
  return (
    <button
      type="button"
      className={`rounded-badge font-medium text-accent hover:underline disabled:text-fg-3 disabled:no-underline ${className}`}
      {...rest}
    />
  );
}
