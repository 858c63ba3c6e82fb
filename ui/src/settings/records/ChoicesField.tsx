import { useState } from 'react';

interface ChoicesFieldProps {
  readonly label: string;
  readonly choices: readonly string[];
  readonly onChange: (choices: readonly string[]) => void;
}

/** One choice per line, since a choice may contain a comma. */
export function ChoicesField({ label, choices, onChange }: ChoicesFieldProps) {
  // Keeps empty lines and trailing spaces while typing.
  const [text, setText] = useState(choices.join('\n'));
  const change = (next: string) => {
    setText(next);
    onChange(next.split('\n').map((line) => line.trim()).filter((line) => line !== ''));
  };
  return (
    <textarea
      aria-label={label}
      value={text}
      rows={Math.min(8, Math.max(3, text.split('\n').length))}
      placeholder={'open\ndone'}
      onChange={(event) => change(event.target.value)}
      className="selectable w-full resize-y rounded-control border border-line-control bg-surface-raised px-2.5 py-1 font-mono text-small"
    />
  );
}
