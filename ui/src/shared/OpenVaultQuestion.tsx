import { useActions, useApp } from '../state/hooks';
import { Button } from './Button';
import { counted } from './format';
import { Over } from './Over';

/**
 * Asks before another vault is opened while chats run, which would continue with notes that are no longer
 * shown.
 */
export function OpenVaultQuestion() {
  const path = useApp((app) => app.vaultAsked);
  const running = useApp((app) => app.sessions.filter((row) => row.running).length);
  const { answerVault } = useActions();
  if (path === null) return null;
  return (
    <Over label="Open another vault?" onClose={() => void answerVault(false)} className="w-110">
      <div className="p-4">
        <p className="mb-1 font-medium">{counted(running, 'chat')} {running === 1 ? 'is' : 'are'} running</p>
        <p className="mb-3 text-small text-fg-2">
          A chat cannot continue in another vault. What it wrote so far stays, and can be undone when this vault is open again.
        </p>
        <div className="flex gap-2">
          <Button variant="primary" data-testid="vault-stop-and-open" onClick={() => void answerVault(true)}>
            Stop and open
          </Button>
          <Button onClick={() => void answerVault(false)}>
            Cancel
          </Button>
        </div>
      </div>
    </Over>
  );
}
