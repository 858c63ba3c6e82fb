import { useRef, useState } from 'react';

import type { SessionRow } from '../ipc';
import { clockTime, Dot, Icon, IconButton, Kbd, keyText, RenameField, skillIcon, type IconName } from '../shared';
import { badgeOf } from '../shared/glance';
import { listKeys } from '../shared/list-keys';
import { archivedSessions, groupSessions, shownSkillPanel, titleOf } from '../state/app';
import { asks } from '../state/asking';
import { useActions, useApp } from '../state/hooks';
import { keysOf } from '../state/keys';
import { ChatMenu } from './ChatMenu';
import { FoundChats } from './FoundChats';
import { UndoBar } from './UndoBar';
import { VaultMenu } from './VaultMenu';
import { VaultStatus } from './VaultStatus';

interface ChatListProps {
  readonly now: Date;
  /** Collapses the list to the rail, or closes the sheet that contains it. */
  readonly onFold: () => void;
}

/** The chats by day, with navigation above and the vault below. */
export function ChatList({ now, onFold }: ChatListProps) {
  const view = useApp((app) => app.view);
  const panels = useApp((app) => app.skillPanels);
  const glances = useApp((app) => app.glances);
  const shown = useApp(shownSkillPanel);
  const keys = useApp((app) => app.keys);
  const { newChat, show, toggleSkillPanel } = useActions();
  const [search, setSearch] = useState('');
  const rows = useRef<HTMLDivElement>(null);

  return (
    <nav
      data-region="list"
      data-testid="chat-list"
      tabIndex={-1}
      aria-label="Chats"
      className="flex h-full min-h-0 w-full flex-col bg-surface-side"
      data-list
      onKeyDown={listKeys}
    >
      <div className="flex h-12 shrink-0 items-center gap-2.5 pr-2 pl-4">
        <Icon name="nova" size={14} />
        <VaultMenu />
        <IconButton icon="sidebar" label="Hide list" keys={keyText(keysOf(keys, 'list'))} onClick={onFold} />
      </div>

      <div className="flex shrink-0 flex-col gap-px px-2">
        <Place icon="plus" label="New chat" keys={keysOf(keys, 'new-chat')} testId="new-chat" onClick={newChat} />
        <label
          data-list-search
          className="my-1 flex h-7.5 items-center gap-2.5 rounded-control border border-line bg-surface-raised px-2 focus-within:border-accent"
        >
          <Icon name="search" className="text-fg-2" />
          <input
            type="text"
            aria-label="Search chats"
            placeholder="Search chats"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape' && search !== '') {
                event.preventDefault();
                event.stopPropagation();
                setSearch('');
              } else if (event.key === 'ArrowDown' || event.key === 'Enter') {
                event.preventDefault();
                rows.current?.querySelector<HTMLElement>('[data-chat]')?.focus();
              }
            }}
            className="selectable w-full min-w-0 bg-transparent text-ui outline-none"
          />
        </label>
        {panels.map(({ skill, name, icon }, at) => (
          <Place
            key={skill}
            icon={skillIcon(skill, '', icon)}
            label={name}
            {...(at < 9 ? { keys: `Ctrl ${at + 1}`, quietKeys: true } : {})}
            testId="nav-skill"
            note={badgeOf(glances, skill)}
            current={view.kind === 'chat' && shown?.skill === skill}
            onClick={() => toggleSkillPanel(skill)}
          />
        ))}
        <Place
          icon="play"
          label="Run a tool"
          testId="nav-run-tool"
          current={view.kind === 'run-tool'}
          onClick={() => show({ kind: 'run-tool', tool: null })}
        />
      </div>

      <div ref={rows} className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
        {search.trim() === '' ? <Groups now={now} /> : <FoundChats query={search} />}
      </div>
      <UndoBar />

      <div className="flex h-11 shrink-0 items-center gap-2.5 border-t border-line pr-2 pl-4 text-small text-fg-2">
        <VaultStatus />
        <IconButton
          icon="sliders"
          label="Settings"
          keys={keyText(keysOf(keys, 'settings'))}
          data-testid="nav-settings"
          onClick={() => show({ kind: 'settings', page: 'skills' })}
        />
      </div>
    </nav>
  );
}

function Groups({ now }: { now: Date }) {
  const sessions = useApp((app) => app.sessions);
  const groups = groupSessions(sessions, now);
  const archived = archivedSessions(sessions);
  const first = groups[0]?.rows[0];
  return (
    <>
      {sessions.length === 0 && <p className="px-2 pt-4 text-small text-fg-3">No chats yet. The first message starts one.</p>}
      {groups.map((group) => (
        <section key={group.label} aria-label={group.label}>
          <h2 className="px-2 pt-3 pb-1.5 text-meta font-semibold text-fg-2">{group.label}</h2>
          <ul className="flex flex-col">
            {group.rows.map((row) => (
              <ChatRow key={row.id} row={row} today={group.label === 'Today'} first={row === first} />
            ))}
          </ul>
        </section>
      ))}
      {archived.length > 0 && <Archived rows={archived} />}
      <Deleted />
    </>
  );
}

function Archived({ rows }: { rows: readonly SessionRow[] }) {
  const [shown, setShown] = useState(false);
  return (
    <section aria-label="Archived">
      <h2 className="pt-3 pb-1.5">
        <button
          type="button"
          data-testid="archived"
          aria-expanded={shown}
          onClick={() => setShown(!shown)}
          className="flex w-full items-center gap-1.5 rounded-control px-2 text-meta font-semibold text-fg-2 hover:bg-hover"
        >
          <Icon name={shown ? 'chevron-down' : 'chevron-right'} size={12} />
          <span className="flex-1 text-left">Archived</span>
          <span className="tabular text-fg-3">{rows.length}</span>
        </button>
      </h2>
      {shown && (
        <ul className="flex flex-col">
          {rows.map((row) => (
            <ChatRow key={row.id} row={row} today={false} first={false} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** The link to the trash, while it has content or is shown. */
function Deleted() {
  const chats = useApp((app) => app.trash.length);
  const shown = useApp((app) => app.view.kind === 'trash');
  const { show } = useActions();
  if (chats === 0 && !shown) return null;
  return (
    <button
      type="button"
      data-testid="nav-trash"
      aria-current={shown ? 'page' : undefined}
      onClick={() => show({ kind: 'trash' })}
      className={`mt-1.5 flex h-7.5 w-full items-center gap-2 rounded-control px-2 text-meta font-semibold text-fg-2 ${shown ? 'bg-selected' : 'hover:bg-hover'}`}
    >
      <Icon name="trash" size={12} />
      <span className="flex-1 text-left">Deleted chats</span>
      <span className="tabular text-fg-3">{chats}</span>
    </button>
  );
}

function ChatRow({ row, today, first }: { row: SessionRow; today: boolean; first: boolean }) {
  const open = useApp((app) => app.open === row.id && app.view.kind === 'chat');
  const anyOpen = useApp((app) => app.open !== null);
  const waits = useApp((app) => asks(app, row.id));
  const { openSession, renameSession } = useActions();
  const [renaming, setRenaming] = useState(false);
  const [menu, setMenu] = useState(false);

  if (renaming) {
    return (
      <li className="flex h-7.5 items-center px-1">
        <RenameField
          title={row.title}
          onDone={(title) => {
            setRenaming(false);
            if (title !== null) void renameSession(row.id, title);
          }}
        />
      </li>
    );
  }
  return (
    <li
      onContextMenu={(event) => {
        event.preventDefault();
        setMenu(true);
      }}
      className={`group/row relative flex h-7.5 items-center rounded-control ${open ? 'bg-selected' : 'hover:bg-hover focus-within:bg-hover'}`}
    >
      <button
        type="button"
        data-chat={row.id}
        data-list-item
        // One tab stop: the open chat, else the first.
        tabIndex={open || (first && !anyOpen) ? 0 : -1}
        aria-current={open ? 'page' : undefined}
        onClick={() => void openSession(row.id)}
        className={`flex h-full min-w-0 flex-1 items-center gap-2 rounded-control px-2 text-left text-ui ${open ? 'font-medium text-fg' : 'text-fg-2'}`}
      >
        <span className="cut flex-1">{titleOf(row)}</span>
        {waits ? (
          <span data-tip="Waits for your answer" className="flex items-center group-focus-within/row:invisible group-hover/row:invisible group-has-data-[state=open]/row:invisible">
            <Icon name="question" size={14} className="text-accent" />
            <span className="sr-only">waits for your answer</span>
          </span>
        ) : row.running ? (
          <span className="flex items-center group-focus-within/row:invisible group-hover/row:invisible group-has-data-[state=open]/row:invisible">
            <Dot className="bg-accent" />
            <span className="sr-only">running</span>
          </span>
        ) : (
          today &&
          !open && (
            <time
              dateTime={row.updated_at}
              className="tabular text-meta text-fg-3 group-focus-within/row:invisible group-hover/row:invisible group-has-data-[state=open]/row:invisible"
            >
              {clockTime(row.updated_at)}
            </time>
          )
        )}
      </button>
      <span className="absolute right-0.5 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 has-data-[state=open]:opacity-100">
        <ChatMenu row={row} onRename={() => setRenaming(true)} className="size-6.5" open={menu} onOpenChange={setMenu} />
      </span>
    </li>
  );
}

interface PlaceProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly keys?: string;
  /** Shows the keys on hover only, not beside the label. */
  readonly quietKeys?: boolean;
  /** Text after the label, such as "2 overdue". */
  readonly note?: string;
  readonly current?: boolean;
  readonly testId?: string;
}

function Place({ icon, label, onClick, keys, quietKeys = false, note = '', current = false, testId }: PlaceProps) {
  return (
    <button
      type="button"
      data-testid={testId}
      aria-current={current ? 'page' : undefined}
      data-tip={keys && quietKeys ? keyText(keys) : undefined}
      onClick={onClick}
      className={`flex h-7.5 items-center gap-2.5 rounded-control px-2 text-left text-ui ${current ? 'bg-selected font-medium text-fg' : 'text-fg-2 hover:bg-hover'}`}
    >
      <Icon name={icon} />
      <span className="cut flex-1">{label}</span>
      {note !== '' && <span className="tabular shrink-0 text-meta font-normal text-fg-3">{note}</span>}
      {keys && !quietKeys && <Kbd>{keyText(keys)}</Kbd>}
    </button>
  );
}
