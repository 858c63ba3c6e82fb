import { useState } from 'react';

import { useBackend, type Backend } from '../../ipc';
import type { Writing } from './state';
import { emptyWritten, type Written } from './writing';

/** Texts by draft, while the window is open. */
const kept = new WeakMap<Backend, Map<string, Written>>();

export interface Writes {
  readonly written: Written;
  set(part: Partial<Written>): void;
  /** Discards it after sending or storing. */
  forget(): void;
}

/** A mail being written. A closed or left form reopens with its content. */
export function useWritten(writing: Writing, mailbox: string): Writes {
  const backend = useBackend();
  const all = kept.get(backend) ?? new Map<string, Written>();
  const key = writing.kind === 'reply' ? writing.to.id : 'new';
  const [written, setWritten] = useState(() => all.get(key) ?? emptyWritten(mailbox));
  return {
    written,
    set: (part) => {
      const next = { ...(all.get(key) ?? written), ...part };
      kept.set(backend, all.set(key, next));
      setWritten(next);
    },
    forget: () => void all.delete(key),
  };
}
