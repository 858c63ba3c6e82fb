import { useState } from 'react';

import type { SessionRow } from '../ipc';
import { IconButton, Menu } from '../shared';
import { useActions } from '../state/hooks';

interface ChatMenuProps {
  readonly row: SessionRow;
  readonly onRename: () => void;
  readonly className?: string;
}

/** What can be done with a chat. Deleting cannot be taken back, so it is said twice. */
export function ChatMenu({ row, onRename, className = '' }: ChatMenuProps) {
  const { deleteSession } = useActions();
  const [sure, setSure] = useState(false);
  return (
    <Menu
      align="end"
      onOpenChange={(open) => open && setSure(false)}
      groups={[
        {
          items: [
            // The field takes the focus after the menu has given it back.
            { label: 'Rename', icon: 'pencil', onSelect: () => setTimeout(onRename) },
            sure
              ? { label: 'Delete its messages for good', icon: 'trash', danger: true, onSelect: () => void deleteSession(row.id) }
              : { label: 'Delete chat', icon: 'trash', keepOpen: true, onSelect: () => setSure(true) },
          ],
        },
      ]}
      footer={sure ? 'Changes it made to notes stay.' : undefined}
    >
      <IconButton icon="more" label={`More for ${row.title}`} className={className} />
    </Menu>
  );
}
