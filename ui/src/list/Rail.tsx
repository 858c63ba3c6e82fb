import { Dot, Icon, IconButton, keyText, skillIcon } from '../shared';
import { badgeOf } from '../shared/glance';
import { shownSkillPanel } from '../state/app';
import { asks } from '../state/asking';
import { useActions, useApp } from '../state/hooks';
import { keysOf } from '../state/keys';
import { VaultStatusIcons } from './VaultStatus';

interface RailProps {
  /** Shows the list, expanded or as a sheet. */
  readonly onUnfold: () => void;
  readonly onSearch: () => void;
}

/** The list collapsed to icons. */
export function Rail({ onUnfold, onSearch }: RailProps) {
  const view = useApp((app) => app.view);
  const keys = useApp((app) => app.keys);
  const panels = useApp((app) => app.skillPanels);
  const glances = useApp((app) => app.glances);
  const shown = useApp(shownSkillPanel);
  const { newChat, show, toggleSkillPanel } = useActions();
  return (
    <nav
      data-region="list"
      tabIndex={-1}
      aria-label="Chats"
      className="flex h-full w-12 shrink-0 flex-col items-center gap-2 border-r border-line bg-surface-side py-2.5"
    >
      <ListButton onShow={onUnfold} />
      <IconButton icon="plus" label="New chat" keys={keyText(keysOf(keys, 'new-chat'))} data-testid="new-chat" onClick={newChat} />
      <IconButton icon="search" label="Search chats" onClick={onSearch} />
      {panels.map(({ skill, name, icon }, at) => (
        <IconButton
          key={skill}
          icon={skillIcon(skill, '', icon)}
          label={[name, badgeOf(glances, skill)].filter((text) => text !== '').join(', ')}
          {...(at < 9 ? { keys: keyText(`Ctrl ${at + 1}`) } : {})}
          className={at === 0 ? 'mt-3' : ''}
          data-testid="nav-skill"
          data-skill={skill}
          pressed={view.kind === 'chat' && shown?.skill === skill}
          onClick={() => toggleSkillPanel(skill)}
        />
      ))}
      <IconButton
        icon="play"
        label="Run a tool"
        className={panels.length === 0 ? 'mt-3' : ''}
        data-testid="nav-run-tool"
        pressed={view.kind === 'run-tool'}
        onClick={() => show({ kind: 'run-tool', tool: null })}
      />
      <span className="flex-1" />
      <VaultStatusIcons />
      <IconButton
        icon="sliders"
        label="Settings"
        keys={keyText(keysOf(keys, 'settings'))}
        data-testid="nav-settings"
        onClick={() => show({ kind: 'settings', page: 'skills' })}
      />
    </nav>
  );
}

/** Shows the list; marked if a chat waits or runs. */
export function ListButton({ onShow }: { onShow: () => void }) {
  const keys = useApp((app) => app.keys);
  const { label, waits, running } = useListLabel();
  return (
    <span className="relative">
      <IconButton icon="sidebar" label={label} keys={keyText(keysOf(keys, 'list'))} data-testid="show-list" onClick={onShow} />
      {waits ? (
        <Icon name="question" size={12} className="pointer-events-none absolute -top-0.5 -right-0.5 rounded-full bg-surface-side text-accent" />
      ) : (
        running && <Dot className="pointer-events-none absolute top-0.5 right-0 bg-accent" />
      )}
    </span>
  );
}

/** Label of the button that shows the list, with its state. */
function useListLabel(): { readonly label: string; readonly waits: boolean; readonly running: boolean } {
  const running = useApp((app) => app.sessions.some((row) => row.running));
  const waits = useApp((app) => app.sessions.some((row) => asks(app, row.id)));
  const label = waits ? 'Show list, a chat waits for your answer' : running ? 'Show list, a chat is running' : 'Show list';
  return { label, waits, running };
}
