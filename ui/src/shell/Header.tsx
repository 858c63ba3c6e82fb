import { useState, type ReactNode } from 'react';

import { Button, counted, IconButton, keyText, RenameField } from '../shared';
import { openRow, titleOf } from '../state/app';
import { useActions, useApp } from '../state/hooks';
import { keysOf } from '../state/keys';
import { ModelMenu } from './ModelMenu';
import { SkillChips, useShownSkills } from './SkillChips';

interface HeaderProps {
  /** Whether the panel fits beside the conversation. */
  readonly roomForPanel: boolean;
  /** The button that shows the list, if there is no rail. */
  readonly list?: ReactNode;
  /** Number of notes changed by the last turn. */
  readonly changed: number;
  /** The chat's menu; receives the rename action. */
  readonly menu: (rename: () => void) => ReactNode;
}

/** The open chat, its model, and its active skills. */
export function Header({ roomForPanel, list, changed, menu }: HeaderProps) {
  const row = useApp(openRow);
  const panelOpen = useApp((app) => app.panel.open);
  const skills = useShownSkills();
  const keys = useApp((app) => app.keys);
  const { togglePanel, setPanel, setFind, renameSession } = useActions();
  const [renaming, setRenaming] = useState(false);
  return (
    <header
      data-region="header"
      tabIndex={-1}
      aria-label="Chat"
      className="flex h-12 shrink-0 items-center gap-2 border-b border-line pr-3 pl-5 max-narrow:pl-3"
    >
      {list}
      {row && renaming ? (
        <RenameField
          title={row.title}
          onDone={(title) => {
            setRenaming(false);
            if (title !== null) void renameSession(row.id, title);
          }}
        />
      ) : (
        <h1 className="cut min-w-16 text-body font-semibold" data-tip={row?.title}>
          {titleOf(row)}
        </h1>
      )}
      <Divider />
      <ModelMenu />
      {skills.length > 0 ? (
        <>
          <Divider />
          <SkillChips skills={skills} />
        </>
      ) : (
        <span className="flex-1" />
      )}
      {!roomForPanel && changed > 0 && (
        <Button icon="pencil" size="s" onClick={() => setPanel({ open: true, tab: 'changes' })}>
          {counted(changed, 'change')}
        </Button>
      )}
      {row && <IconButton icon="search" label="Find in this chat" keys={keyText(keysOf(keys, 'find'))} data-testid="open-find" onClick={() => setFind('')} />}
      {row && menu(() => setRenaming(true))}
      {(roomForPanel || changed === 0) && (
        <IconButton
          icon="panel"
          label={panelOpen ? 'Hide panel' : 'Show panel'}
          keys={keyText(keysOf(keys, 'panel'))}
          pressed={panelOpen}
          onClick={togglePanel}
        />
      )}
    </header>
  );
}

function Divider() {
  return <span aria-hidden="true" className="mx-0.5 h-4 w-px shrink-0 bg-line-strong" />;
}
