// A tool whose definition differs from the approved one: blocked until the user has reviewed the difference.

import { useState } from 'react';

import type { ServerToolChange } from '../../ipc';
import { Button, dateText, Icon, LinkButton } from '../../shared';
import { Diff } from '../../shared/Diff';
import { revealed } from '../../shared/invisible';
import { Revealed } from '../../shared/Revealed';
import { useArmed } from '../../shared/useArmed';

interface ChangedToolProps {
  readonly change: ServerToolChange;
  /** Number of the server's tools that can still be called. */
  readonly others: number;
  readonly onApprove: () => Promise<boolean>;
}

export function ChangedTool({ change, others, onApprove }: ChangedToolProps) {
  const armed = useArmed(change.fingerprint);
  const [kept, setKept] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const approve = async () => {
    setBusy(true);
    await onApprove();
    setBusy(false);
  };
  const heading = (
    <>
      <Icon name="warn" size={14} className="mt-0.75 text-warn" />
      <span className="min-w-0 flex-1 font-semibold break-words">
        <span className="font-mono">
          <Revealed text={change.tool} />
        </span>{' '}
        {changeText(change)}
      </span>
    </>
  );
  if (kept === change.fingerprint) {
    return (
      <p data-testid="changed-tool" data-tool={change.tool} className="mx-4 mt-3 flex gap-2 rounded-message border border-line px-3.5 py-2 text-small">
        {heading}
        <span className="text-fg-3">blocked</span>
        <LinkButton onClick={() => setKept(null)}>Review</LinkButton>
      </p>
    );
  }
  return (
    <section
      data-testid="changed-tool"
      data-tool={change.tool}
      aria-label={`${revealed(change.tool)} ${changeText(change)}`}
      className="mx-4 mt-3 flex flex-col gap-2 rounded-message border border-warn-line px-3.5 py-3"
    >
      <p className="flex gap-2">
        {heading}
        <span className="text-small text-fg-3">blocked until you decide</span>
      </p>
      <Diff diff={change.diff} />
      {change.warning && (
        <p className="flex gap-2 text-small text-warn">
          <Icon name="warn" size={12} className="mt-0.5" />
          {change.warning}
        </p>
      )}
      {(change.is_new || change.warning === null) && (
        <p className="text-small text-fg-2">
          {change.is_new && 'The server added it after you approved the server. '}These are the server’s words, and the model reads them.
        </p>
      )}
      <div className="flex items-center gap-2">
        <Button variant="primary" onClick={() => setKept(change.fingerprint)}>
          Keep blocked
        </Button>
        <Button disabled={!armed || busy} onClick={() => void approve()} data-testid="tool-approve" data-armed={armed}>
          Approve
        </Button>
        <span className="flex-1 text-right text-small text-fg-3">{others > 0 && `the other ${others} still work`}</span>
      </div>
    </section>
  );
}

/** "changed on 22 Nov" */
function changeText({ is_new, changed_at }: ServerToolChange): string {
  const on = changed_at === null ? '' : ` on ${dateText(new Date(changed_at))}`;
  return `${is_new ? 'was added' : 'changed'}${on}`;
}
