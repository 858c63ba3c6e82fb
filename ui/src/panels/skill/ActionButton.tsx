import type { PanelAction } from '../../ipc';
import { Button, iconOf, IconButton, Menu } from '../../shared';
import { offered, type Row } from './answer';
import { usePanel } from './context';

/** A declared button. */
export function ActionButton({ action, row, size = 'm' }: { action: PanelAction; row?: Row; size?: 's' | 'm' }) {
  const panel = usePanel();
  const icon = iconOf(action.icon);
  return (
    <Button size={size} {...(icon ? { icon } : {})} onClick={() => void panel.act(action, row)}>
      {action.label}
    </Button>
  );
}

/** What can be done with a row, in a menu; nothing where nothing can. */
export function RowMenu({ actions, row, title }: { actions: readonly PanelAction[]; row: Row; title: string }) {
  const panel = usePanel();
  const own = offered(actions, row);
  if (own.length === 0) return null;
  return (
    <Menu
      align="end"
      groups={[
        {
          items: own.map((action) => {
            const icon = iconOf(action.icon);
            return { label: action.label, ...(icon ? { icon } : {}), onSelect: () => void panel.act(action, row) };
          }),
        },
      ]}
    >
      <IconButton icon="more" iconSize={14} label={`Actions for ${title}`} className="size-6" />
    </Menu>
  );
}
