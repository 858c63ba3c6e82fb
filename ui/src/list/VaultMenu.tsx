import { useState } from 'react';

import { nothing, useBackend } from '../ipc';
import { Icon, Menu, type MenuItem } from '../shared';
import { useSuggestLinks } from '../shared/useSuggestLinks';
import { useActions, useApp, useRpc } from '../state/hooks';

/** The vault's name; its menu opens another vault, or this one's folder and settings. */
export function VaultMenu() {
  const vault = useApp((app) => app.status?.vault ?? null);
  const backend = useBackend();
  const { askVault, chooseVault, show, report } = useActions();
  const [open, setOpen] = useState(false);
  const suggestLinks = useSuggestLinks(open && vault !== null);
  const page = useRpc('vault_page', open ? nothing : null, vault?.path);
  const recent: MenuItem[] = (page.data?.recent ?? []).map(({ path, shown, name, notes }) => ({
    label: name,
    icon: notes === null ? 'warn' : 'book',
    note: notes === null ? 'not found' : shown,
    disabled: notes === null,
    onSelect: () => void askVault(path),
  }));
  return (
    <Menu
      open={open}
      onOpenChange={setOpen}
      groups={[
        { items: [{ label: 'Open another vault…', icon: 'book', testId: 'vault-open-another', onSelect: () => void chooseVault() }] },
        ...(recent.length > 0 ? [{ heading: 'Recent vaults', items: recent }] : []),
        {
          items: [
            ...(vault === null
              ? []
              : [{ label: 'Show in the file manager', icon: 'folder' as const, onSelect: () => void backend.rpc('show_vault_folder', nothing).catch(report) }]),
            { label: 'Private notes, extra roots, history', icon: 'sliders', testId: 'vault-settings', onSelect: () => show({ kind: 'settings', page: 'vault' }) },
            // Last: it appears once the skill has responded, and must not move entries under the pointer.
            ...(suggestLinks === null ? [] : [{ label: 'Suggest links between notes', icon: 'brackets' as const, testId: 'vault-suggest-links', onSelect: () => suggestLinks(null) }]),
          ],
        },
      ]}
    >
      <button
        type="button"
        data-testid="vault-menu"
        data-tip={vault?.path}
        aria-label={`${vault?.name ?? 'Nova'}: vault`}
        className="-ml-1.5 flex h-7 min-w-0 flex-1 items-center gap-1 rounded-control px-1.5 text-left hover:bg-hover data-[state=open]:bg-hover"
      >
        <span className="cut text-ui font-semibold">{vault?.name ?? 'Nova'}</span>
        <Icon name="chevron-down" size={12} className="text-fg-3" />
      </button>
    </Menu>
  );
}
