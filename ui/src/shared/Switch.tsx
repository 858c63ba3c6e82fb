import { Switch as Radix } from 'radix-ui';

interface SwitchProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly label: string;
  readonly disabled?: boolean;
  readonly testId?: string;
}

export function Switch({ checked, onChange, label, disabled = false, testId }: SwitchProps) {
  return (
    <Radix.Root
      checked={checked}
      onCheckedChange={onChange}
      disabled={disabled}
      aria-label={label}
      data-testid={testId}
      className="relative h-4 w-7 shrink-0 rounded-full bg-line-control transition-colors duration-120 after:absolute after:-inset-x-0.5 after:-inset-y-1.5 data-[state=checked]:bg-accent-fill disabled:opacity-50"
    >
      <Radix.Thumb className="block size-3 translate-x-0.5 rounded-full bg-on-accent transition-transform duration-120 data-[state=checked]:translate-x-3.5" />
    </Radix.Root>
  );
}
