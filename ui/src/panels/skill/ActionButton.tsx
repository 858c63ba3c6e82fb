import type { PanelAction } from '../../ipc';
import { Button, Icon, iconOf, IconButton, Kbd, Menu, type MenuItem } from '../../shared';
import { offered, pathOf, type Row } from './answer';
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

/** A button of the panel's head, with what its arrow offers. `small`: its icon alone, where it has one. */
export function HeadAction({ action, small }: { action: PanelAction; small: boolean }) {
  const panel = usePanel();
  const icon = iconOf(action.icon);
  if (small && icon) return <IconButton icon={icon} label={action.label} onClick={() => void panel.act(action)} />;
  if (action.more.length === 0) return <ActionButton action={action} />;
  return (
    <span className="inline-flex [&>button:first-child]:rounded-r-none [&>button:last-child]:-ml-px [&>button:last-child]:rounded-l-none">
      <ActionButton action={action} />
      <Menu align="end" groups={[{ items: action.more.map((one) => itemOf(one, () => void panel.act(one))) }]}>
        <button
          type="button"
          aria-label="More actions"
          className="flex h-7 w-7 shrink-0 items-center justify-center rounded-control border border-line-strong hover:bg-hover"
        >
          <Icon name="chevron-down" size={12} />
        </button>
      </Menu>
    </span>
  );
}

/** What can be done with a row, in a menu; nothing where nothing can. */
export function RowMenu({ actions, row, title }: { actions: readonly PanelAction[]; row: Row; title: string }) {
  const panel = usePanel();
  const path = pathOf(row);
  const own = offered(actions, row);
  if (own.length === 0) return null;
  const open: MenuItem[] = path === null ? [] : [{ label: 'Open note', icon: 'note', onSelect: () => panel.openNote(path) }];
  return (
    <Menu align="end" groups={[{ items: [...own.map((action) => itemOf(action, () => void panel.act(action, row))), ...open] }]}>
      <IconButton icon="more" iconSize={14} label={`Actions for ${title}`} className="size-6" />
    </Menu>
  );
}

function itemOf(action: PanelAction, onSelect: () => void): MenuItem {
  const icon = iconOf(action.icon);
  return { label: action.label, onSelect, ...(icon ? { icon } : {}), ...(action.key === null ? {} : { note: <Kbd>{action.key}</Kbd> }) };
}
