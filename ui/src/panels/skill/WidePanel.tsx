import type { ReactNode } from 'react';

import type { PanelView } from '../../ipc';
import { IconButton, Sheet } from '../../shared';
import { useActions, useApp } from '../../state/hooks';
import { NotePanel } from '../NotePanel';
import { SkillPanel } from './SkillPanel';

/** A skill's panel in place of the conversation, with the composer docked below. */
export function WidePanel({ panel, composer }: { panel: PanelView; composer: ReactNode }) {
  const peek = useApp((app) => app.panel.peek);
  const { setPanel } = useActions();
  return (
    <>
      <div className="min-h-0 flex-1">
        <SkillPanel key={panel.skill} panel={panel} wide />
      </div>
      {composer}
      {peek && (
        <Sheet side="right" width={360} label="Note" onClose={() => setPanel({ peek: false })}>
          <div className="flex h-12 shrink-0 items-center justify-between border-b border-line pr-2.5 pl-3.5">
            <h2 className="text-body font-semibold">Note</h2>
            <IconButton icon="x" label="Close" keys="Esc" onClick={() => setPanel({ peek: false })} />
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto">
            <NotePanel />
          </div>
        </Sheet>
      )}
    </>
  );
}
