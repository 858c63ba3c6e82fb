import { ToggleGroup } from 'radix-ui';
import type { ReactNode } from 'react';

interface SegmentsProps<T extends string> {
  readonly value: T | null;
  readonly onChange: (value: T) => void;
  readonly options: readonly { readonly value: T; readonly label: ReactNode; readonly disabled?: boolean }[];
  readonly label: string;
  /** Called when the chosen one is chosen again. */
  readonly onClear?: () => void;
  readonly id?: string;
}

/** A choice of a few visible options. Arrows move, Space and Enter choose. */
export function Segments<T extends string>({ value, onChange, options, label, onClear, id }: SegmentsProps<T>) {
  return (
    <ToggleGroup.Root
      type="single"
      id={id}
      value={value ?? ''}
      onValueChange={(next) => (next === '' ? onClear?.() : onChange(next as T))}
      aria-label={label}
      className="inline-flex h-7 shrink-0 rounded-control border border-line-strong"
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          value={option.value}
          disabled={option.disabled ?? false}
          className="border-l border-line-strong px-2.5 text-small text-fg-2 first:rounded-l-[5px] first:border-l-0 last:rounded-r-[5px] hover:bg-hover disabled:text-fg-3 data-[state=on]:bg-selected data-[state=on]:font-medium data-[state=on]:text-fg"
        >
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
