import type { ReactNode } from 'react';

interface OptionProps {
  /** Common name of a question's radio buttons. */
  readonly name: string;
  readonly checked: boolean;
  readonly onChoose: () => void;
  readonly title: string;
  readonly note: ReactNode;
  /** Shown at the right end of the title. */
  readonly aside?: ReactNode;
  /** Shown below the note, as wide as the option. */
  readonly children?: ReactNode;
  readonly disabled?: boolean;
  readonly testId?: string;
}

/** The options of one question, in one frame. */
export function Options({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div role="radiogroup" aria-label={label} className="overflow-hidden rounded-card border border-line">
      {children}
    </div>
  );
}

export function Option({ name, checked, onChoose, title, note, aside, children, disabled, testId }: OptionProps) {
  return (
    <div
      className={`relative flex flex-wrap items-start gap-2.5 border-t border-line px-3 py-2.5 first:border-t-0 focus-within:z-10 max-medium:py-1.5 ${checked ? 'bg-accent-soft' : 'bg-surface-raised'}`}
    >
      <label className="flex min-w-0 flex-1 items-start gap-2.5 after:absolute after:inset-0">
        <input
          type="radio"
          name={name}
          checked={checked}
          disabled={disabled}
          onChange={onChoose}
          aria-label={title}
          data-testid={testId}
          className="mt-0.5 size-4 shrink-0 appearance-none rounded-full border border-line-control bg-surface-raised checked:border-[5px] checked:border-accent-fill checked:bg-on-accent"
        />
        <span className="min-w-0 flex-1">
          <span className="block text-ui font-medium">{title}</span>
          {note !== null && <span className="relative z-10 block text-small break-words text-fg-2">{note}</span>}
        </span>
      </label>
      {aside && <span className="relative z-10 shrink-0">{aside}</span>}
      {children && <div className="relative z-10 -mt-1.5 w-full pl-6.5">{children}</div>}
    </div>
  );
}
