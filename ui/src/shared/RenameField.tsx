import { useState } from 'react';

/** Edits a title. Enter and leaving the field save it, Esc does not. */
export function RenameField({ title, onDone }: { title: string; onDone: (title: string | null) => void }) {
  const [text, setText] = useState(title);
  const keep = () => {
    const wanted = text.trim();
    onDone(wanted === '' || wanted === title ? null : wanted);
  };
  return (
    <input
      aria-label="Chat title"
      autoFocus
      value={text}
      onChange={(event) => setText(event.target.value)}
      onFocus={(event) => event.target.select()}
      onBlur={keep}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        if (event.key === 'Enter') keep();
        else onDone(null);
      }}
      className="selectable h-6 w-full max-w-80 min-w-0 rounded-badge bg-surface-raised px-1 text-ui text-fg outline-1 outline-accent"
    />
  );
}
