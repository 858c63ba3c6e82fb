import type { SessionRow } from '../ipc';
import { IconButton, Menu } from '../shared';
import { titleOf } from '../state/app';
import { useActions } from '../state/hooks';

interface ChatMenuProps {
  readonly row: SessionRow;
  readonly onRename: () => void;
  readonly className?: string;
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
}

/** Actions on a chat. */
export function ChatMenu({ row, onRename, className = '', ...state }: ChatMenuProps) {
  const { deleteSession, setSession, exportSession } = useActions();
  return (
    <Menu
      align="end"
      {...state}
      groups={[
        {
          items: [
            // After the closing menu has restored the focus.
            { label: 'Rename', icon: 'pencil', onSelect: () => setTimeout(onRename) },
            {
              label: row.pinned ? 'Unpin' : 'Pin',
              icon: 'pin',
              onSelect: () => void setSession({ session: row.id, pinned: !row.pinned }),
            },
            {
              label: row.archived ? 'Unarchive' : 'Archive',
              icon: 'folder',
              onSelect: () => void setSession({ session: row.id, archived: !row.archived }),
            },
            { label: 'Export…', icon: 'upload', onSelect: () => void exportSession(row.id) },
          ],
        },
        {
          items: [
            { label: 'Delete chat', icon: 'trash', danger: true, disabled: row.running, onSelect: () => void deleteSession(row.id) },
          ],
        },
      ]}
      footer={row.running ? 'A running chat is stopped first.' : undefined}
    >
      <IconButton icon="more" label={`More for ${titleOf(row)}`} className={className} />
    </Menu>
  );
}
