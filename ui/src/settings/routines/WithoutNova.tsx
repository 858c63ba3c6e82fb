import { useState } from 'react';

import { Button } from '../../shared';
import { useApp } from '../../state/hooks';

const COMMAND = 'nova routine serve --install';

/** The command that sets up a systemd user service for routines, on Linux. */
export function WithoutNova() {
  const linux = useApp(({ status }) => status?.platform === 'linux');
  const [said, setSaid] = useState('');
  if (!linux) return null;
  const copy = () =>
    navigator.clipboard.writeText(COMMAND).then(
      () => setSaid('Copied'),
      () => setSaid('Not copied. Select the text and copy it'),
    );
  return (
    <p className="flex flex-wrap items-center gap-2 px-4 pt-1.5 text-small text-fg-3">
      <span>To run them without Nova, as a systemd user service:</span>
      <code className="selectable rounded-badge bg-surface-sunken px-1.5 py-0.5 text-fg">{COMMAND}</code>
      <Button size="s" icon={said === 'Copied' ? 'check' : 'copy'} aria-label="Copy the command" onClick={() => void copy()} onBlur={() => setSaid('')}>
        Copy
      </Button>
      <span role="status">{said}</span>
    </p>
  );
}
