import { useState, type ReactNode } from 'react';

import { useBackend, userError } from '../ipc';
import { LinkButton } from './Button';
import { revealed } from './invisible';

/** Opens a note in Obsidian, and says why where that cannot be. */
export function OpenNote({ path, children = 'Open the note' }: { path: string; children?: ReactNode }) {
  const backend = useBackend();
  const [problem, setProblem] = useState<string | null>(null);
  const open = () => backend.rpc('open_note', { path }).catch((thrown: unknown) => setProblem(userError(thrown).message));
  return (
    <>
      <LinkButton title={revealed(path)} onClick={() => void open()}>
        {children}
      </LinkButton>
      {problem !== null && <span role="alert">{problem}</span>}
    </>
  );
}
