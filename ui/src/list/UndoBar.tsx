import { useEffect } from 'react';

import { Button } from '../shared';
import { titleOf } from '../state/app';
import { useActions, useApp } from '../state/hooks';

/** Duration of the Undo offer, ms; the trash keeps the chat for 30 days. */
const shownFor = 10_000;

/** "“Trip costs” is deleted. Undo" */
export function UndoBar() {
  const row = useApp((app) => app.deleted);
  const { restoreSession, dismissUndo } = useActions();
  useEffect(() => {
    if (row === null) return;
    const timer = setTimeout(() => dismissUndo(row.id), shownFor);
    return () => clearTimeout(timer);
  }, [row, dismissUndo]);
  return (
    <div role="status" className="shrink-0 px-2">
      {row && (
        <div className="mb-2 flex items-center gap-2 rounded-card border border-line bg-surface-raised py-1 pr-1 pl-2.5 text-small text-fg-2">
          <span className="cut flex-1">“{titleOf(row)}” is deleted</span>
          <Button size="s" icon="undo" data-testid="undo-delete" onClick={() => void restoreSession(row.id)}>
            Undo
          </Button>
        </div>
      )}
    </div>
  );
}
