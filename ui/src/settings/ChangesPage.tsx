// What is kept of the changes Nova made, so that they can be undone.

import { useState } from 'react';

import { userError, type UserError } from '../ipc';
import { Button, counted, ErrorBox, Popover, PopoverClose } from '../shared';
import { useActions } from '../state/hooks';
import { Setting } from './Setting';

export function ChangesPage() {
  return (
    <section aria-label="Changes" className="flex min-w-0 flex-1 flex-col">
      <header className="flex h-12 shrink-0 items-center border-b border-line px-4">
        <h1 className="text-body font-semibold">Changes</h1>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="max-w-180 px-4">
          <Kept />
        </div>
      </div>
    </section>
  );
}

function Kept() {
  const { pruneChanges } = useActions();
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [forgotten, setForgotten] = useState<number | null>(null);
  const [problem, setProblem] = useState<UserError | null>(null);

  const forget = async () => {
    setAsking(false);
    setBusy(true);
    setForgotten(null);
    setProblem(null);
    try {
      setForgotten((await pruneChanges()).forgotten);
    } catch (thrown) {
      setProblem(userError(thrown));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Setting name="Kept for Undo" note="30 days of changes and up to 1 GB of them, never fewer than the last 50.">
        <Popover
          label="Forget older changes?"
          align="end"
          open={asking}
          onOpenChange={setAsking}
          trigger={
            <Button disabled={busy} data-testid="forget-changes">
              Forget older changes
            </Button>
          }
        >
          <p className="mb-1 font-medium">Forget changes beyond 30 days or 1 GB?</p>
          <p className="mb-2.5 text-small text-fg-2">They cannot be undone any more. The notes stay as they are.</p>
          <div className="flex gap-2">
            <Button variant="danger" size="s" onClick={() => void forget()} data-testid="forget-changes-confirm">
              Forget them
            </Button>
            <PopoverClose asChild>
              <Button size="s">Keep them</Button>
            </PopoverClose>
          </div>
        </Popover>
      </Setting>
      {problem && (
        <div className="pt-3">
          <ErrorBox error={problem} />
        </div>
      )}
      <p role="status" className="pt-3 text-small text-fg-2">
        {forgotten !== null && (forgotten === 0 ? 'No change is beyond 30 days or 1 GB, all are kept.' : `${counted(forgotten, 'change')} forgotten.`)}
      </p>
    </>
  );
}
