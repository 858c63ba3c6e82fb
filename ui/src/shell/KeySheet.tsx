import { IconButton, LinkButton } from '../shared';
import { KeyTable } from '../shared/KeyTable';
import { Over } from '../shared/Over';
import { useActions } from '../state/hooks';

/** All keys, over the window. */
export function KeySheet() {
  const { setOver, show } = useActions();
  const close = () => setOver(null);
  return (
    <Over label="Keys" onClose={close}>
      <div className="flex h-12 shrink-0 items-center gap-3 border-b border-line pr-2 pl-4" data-testid="key-sheet">
        <h2 className="flex-1 text-body font-semibold">Keys</h2>
        <LinkButton
          className="text-small"
          onClick={() => {
            close();
            show({ kind: 'settings', page: 'keyboard' });
          }}
        >
          Change
        </LinkButton>
        <IconButton icon="x" label="Close" keys="Esc" onClick={close} />
      </div>
      <div className="min-h-0 overflow-y-auto px-4 pt-1 pb-4" tabIndex={0} role="group" aria-label="Keyboard shortcuts">
        <KeyTable />
      </div>
    </Over>
  );
}
