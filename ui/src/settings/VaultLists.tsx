// The vault page's lists: other vaults, private notes, extra roots.

import { type KeyboardEvent, type ReactNode, useState } from 'react';

import type { RecentVault, VaultPage } from '../ipc';
import { Button, counted, dateText, Icon, IconButton, type IconName } from '../shared';
import { listKeys } from '../shared/list-keys';
import { NoteFinder } from '../shared/NoteFinder';
import { useActions } from '../state/hooks';
import { Part } from './Part';
import type { VaultPageState } from './useVaultPage';

export function RecentVaults({ vaults, forget }: { vaults: readonly RecentVault[]; forget: (path: string) => void }) {
  const { askVault, chooseVault } = useActions();
  return (
    <Part title="Recent vaults">
      {vaults.length === 0 && <p className="text-small text-fg-3">No other vault has been opened yet.</p>}
      <Rows label="Recent vaults">
        {vaults.map(({ path, shown, name, notes, opened, missing_since }) => (
          <Row key={path} icon={notes === null ? 'warn' : 'book'} onDelete={() => forget(path)}>
            <span className="cut shrink-0 text-ui font-medium">{name}</span>
            <span className="selectable cut min-w-0 flex-1 font-mono text-small text-fg-3">{shown}</span>
            {notes === null ? (
              <span className="shrink-0 text-small text-warn">not found{missing_since !== null && ` since ${dateText(new Date(missing_since))}`}</span>
            ) : (
              <span className="tabular shrink-0 text-small text-fg-3">
                {counted(notes, 'note')}
                {opened !== null && `, opened ${dateText(new Date(opened))}`}
              </span>
            )}
            <Button
              size="s"
              aria-label={notes === null ? `Find it: ${name}` : `Open ${name}`}
              onClick={() => void (notes === null ? chooseVault() : askVault(path))}
            >
              {notes === null ? 'Find it' : 'Open'}
            </Button>
            <Remove label={`Remove ${name} from the list`} onClick={() => forget(path)} />
          </Row>
        ))}
      </Rows>
    </Part>
  );
}

export function PrivateNotes({ page, state }: { page: VaultPage; state: VaultPageState }) {
  const { openNote, show } = useActions();
  const [finding, setFinding] = useState(false);
  const more = page.own_private.length >= 50;
  return (
    <Part
      title="Private"
      note={<span className="text-small">{counted(page.private_notes, 'note')}. Never read for a cloud model or an MCP client.</span>}
      action={
        page.open && (
          <span className="flex gap-2">
            <Button size="s" icon="plus" data-testid="private-folder" onClick={() => state.pick((path) => state.setPrivate(path, true))}>
              Folder
            </Button>
            <Button size="s" icon="plus" data-testid="private-note" onClick={() => setFinding(true)}>
              Note
            </Button>
          </span>
        )
      }
    >
      {finding && <NoteFinder label="Make a note private" onChoose={(path) => state.setPrivate(path, true)} onClose={() => setFinding(false)} />}
      {page.private.length + page.own_private.length === 0 && <p className="text-small text-fg-3">No private notes. Add a folder or a note.</p>}
      <Rows label="Private notes and folders">
        {page.private.map(({ entry, is_note, notes }) => (
          <Row key={entry} icon={is_note ? 'note' : 'folder'} onDelete={() => state.setPrivate(entry, false)}>
            <span className="selectable cut flex-1 font-mono text-small">{entry === '/' ? '/ (the whole vault)' : entry}</span>
            <span className={`tabular shrink-0 text-small ${notes === 0 && page.open ? 'text-warn' : 'text-fg-3'}`}>
              {notes === 0 && page.open ? 'no such notes' : counted(notes, 'note')}
            </span>
            <Remove label={`Remove ${entry} from the private notes`} onClick={() => state.setPrivate(entry, false)} />
          </Row>
        ))}
        {page.own_private.map(({ path, unreadable }) => (
          <Row key={path} icon="note">
            <span className="selectable cut flex-1 font-mono text-small">{path}</span>
            <span className={`shrink-0 text-small ${unreadable ? 'text-warn' : 'text-fg-3'}`}>
              {unreadable ? 'its properties cannot be read' : 'set in the note itself'}
            </span>
            <IconButton
              icon="expand"
              iconSize={14}
              label={`Show ${path}`}
              onClick={() => {
                show({ kind: 'chat' });
                openNote(path);
              }}
            />
          </Row>
        ))}
      </Rows>
      {more && <p className="pt-1.5 text-small text-fg-3">The first 50 notes that are marked private themselves.</p>}
    </Part>
  );
}

export function ExtraRoots({ page, state }: { page: VaultPage; state: VaultPageState }) {
  return (
    <Part
      title="Extra roots"
      note={<span className="text-small">Folders outside the vault. A link at the top of the vault points to each.</span>}
      action={
        page.open && (
          <Button size="s" icon="plus" data-testid="root-add" onClick={() => state.pick((path) => state.setRoot(path, true))}>
            Folder
          </Button>
        )
      }
    >
      {page.roots.length === 0 && <p className="text-small text-fg-3">No extra roots. Add a folder outside the vault.</p>}
      <Rows label="Extra roots">
        {page.roots.map(({ path, shown, links, found }) => (
          <Row key={path} icon="external" onDelete={() => state.setRoot(path, false)}>
            <span className="selectable cut flex-1 font-mono text-small">{shown}</span>
            <span className={`shrink-0 text-small ${found && links.length > 0 ? 'text-fg-3' : 'text-warn'}`}>
              {!found ? 'not found' : links.length > 0 ? `as ${links.join(', ')}` : 'no link at the top of the vault'}
            </span>
            <Remove label={`Remove ${shown} from the extra roots`} onClick={() => state.setRoot(path, false)} />
          </Row>
        ))}
      </Rows>
    </Part>
  );
}

export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul aria-label={label} data-list onKeyDown={listKeys} className="divide-y divide-line empty:hidden">
      {children}
    </ul>
  );
}

export function Row({ icon, onDelete, children }: { icon: IconName; onDelete?: () => void; children: ReactNode }) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Delete' || !onDelete) return;
    event.preventDefault();
    onDelete();
  };
  return (
    <li data-list-item data-testid="vault-row" onKeyDown={onKeyDown} className="flex min-h-8.5 items-center gap-3">
      <Icon name={icon} className={icon === 'warn' ? 'text-warn' : 'text-fg-2'} />
      {children}
    </li>
  );
}

export function Remove({ label, onClick }: { label: string; onClick: () => void }) {
  return <IconButton icon="x" iconSize={14} label={label} className="-mr-1.5" onClick={onClick} />;
}
