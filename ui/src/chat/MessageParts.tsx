import { useEffect, useState } from 'react';

import type { AttachedFile } from '../ipc';
import { Icon, IconButton } from '../shared';
import { sizeOf } from '../state/attachments';
import { kB } from './composer/useFiles';

/** In the corner of a message, for who points at it or comes with the keyboard. */
export function CopyButton({ text, label }: { text: () => string; label: string }) {
  const [said, setSaid] = useState<'Copied' | 'Not copied' | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => setSaid(null), 1500);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    navigator.clipboard.writeText(text()).then(
      () => setSaid('Copied'),
      () => setSaid('Not copied'),
    );
  return (
    <span className="absolute top-1 right-1 rounded-control bg-surface-raised opacity-0 select-none group-hover/message:opacity-100 group-focus-within/message:opacity-100">
      <IconButton icon={said === 'Copied' ? 'check' : 'copy'} iconSize={14} label={said ?? label} data-testid="copy-message" className="border border-line" onClick={() => void copy()} />
      <span className="sr-only" aria-live="polite">
        {said}
      </span>
    </span>
  );
}

/** A text file as it was sent: its name, and on request what is in it. */
export function SentFile({ file }: { file: AttachedFile }) {
  return (
    <details data-testid="sent-file" className="rounded-card border border-line bg-surface-raised text-small">
      <summary className="flex h-7 cursor-default items-center gap-2 px-2">
        <Icon name="clip" size={14} className="text-fg-2" />
        <span className="cut">{file.name}</span>
        <span className="text-fg-3">{kB(sizeOf(file.text))}</span>
      </summary>
      <pre className="max-h-60 overflow-auto border-t border-line px-2.5 py-1.5 font-mono text-small whitespace-pre-wrap" tabIndex={0}>
        {file.text}
      </pre>
    </details>
  );
}
