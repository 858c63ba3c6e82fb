import type { InputHTMLAttributes, Ref } from 'react';

import { Icon, type IconName } from './Icon';
import { Kbd } from './Kbd';

interface TextFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly icon?: IconName;
  /** Key that focuses the field, shown while it is empty. */
  readonly keys?: string;
  readonly invalid?: boolean;
  readonly ref?: Ref<HTMLInputElement>;
  /** `line`: a search field among rows; `control`: a field of a form. */
  readonly frame?: 'line' | 'control';
}

export function TextField({ icon, keys, invalid = false, frame = 'control', className = '', ...rest }: TextFieldProps) {
  const line = invalid ? 'border-danger' : frame === 'control' ? 'border-line-control' : 'border-line-strong';
  return (
    <span
      className={`flex h-7.5 items-center gap-2 rounded-control border bg-surface-raised px-2.5 focus-within:border-accent focus-within:outline-1 focus-within:outline-accent ${line} ${className}`}
    >
      {icon && <Icon name={icon} className="text-fg-2" />}
      <input
        className="selectable h-full w-full min-w-0 bg-transparent text-ui text-fg outline-none"
        aria-invalid={invalid || undefined}
        spellCheck={false}
        autoComplete="off"
        {...rest}
      />
      {keys && <Kbd>{keys}</Kbd>}
    </span>
  );
}
