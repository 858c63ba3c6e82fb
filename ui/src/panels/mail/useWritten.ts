import { useState } from 'react';

import { useBackend, type Backend } from '../../ipc';
import type { Writing } from './state';
import { emptyWritten, type Written } from './writing';

/** By what is written, for as long as the window is open. */
const kept = new WeakMap<Backend, Map<string, Written>>();

export interface Writes {
  readonly written: Written;
  set(part: Partial<Written>): void;
  /** It was sent or stored. */
  forget(): void;
}

/** A mail that is being written. A form that was closed, or left for another message, opens with what was in it. */
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
