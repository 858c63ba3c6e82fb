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

/** A button of the panel's head with its menu. `small`: only its icon, if it has one. */
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

interface RowMenuProps {
  readonly actions: readonly PanelAction[];
  readonly row: Row;
  readonly title: string;
  /** Lets the row's keys open it, too. */
  readonly opening?: { readonly open: boolean; readonly onOpenChange: (open: boolean) => void };
}

/** A row's actions in a menu, with deletion last; nothing without actions. */
export function RowMenu({ actions, row, title, opening }: RowMenuProps) {
  const panel = usePanel();
  const path = pathOf(row);
  const own = offered(actions, row);
  if (own.length === 0) return null;
  const itemsOf = (some: readonly PanelAction[]) => some.map((action) => itemOf(action, () => void panel.act(action, row)));
  const toNote: MenuItem[] =
    path === null ? [] : [{ label: 'Open note', icon: 'note', onSelect: () => panel.openNote(path), ...(hasKeys(actions) ? { note: <Kbd>O</Kbd> } : {}) }];
  const groups = [[...itemsOf(own.filter((action) => !action.delete)), ...toNote], itemsOf(own.filter((action) => action.delete))];
  return (
    <Menu align="end" {...opening} groups={groups.filter((items) => items.length > 0).map((items) => ({ items }))}>
      <IconButton icon="more" iconSize={14} label={`Actions for ${title}`} className="size-6" />
    </Menu>
  );
}

/** Whether the row's actions have keys: then O opens its note in the window. */
export function hasKeys(actions: readonly PanelAction[]): boolean {
  return actions.some(({ key }) => key !== null);
}

function itemOf(action: PanelAction, onSelect: () => void): MenuItem {
  const icon = iconOf(action.icon);
  return { label: action.label, onSelect, danger: action.delete, ...(icon ? { icon } : {}), ...(action.key === null ? {} : { note: <Kbd>{action.key}</Kbd> }) };
}
