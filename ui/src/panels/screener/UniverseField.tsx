import { Button, count, Icon, Menu } from '../../shared';
import { revealed } from '../../shared/invisible';
import { useActions } from '../../state/hooks';
import { useScreener } from './context';
import { SaveList } from './SaveList';
import { universeText } from './words';

/** Selects the universe. */
export function UniverseField() {
  const { universes, opened, edit } = useScreener();
  const { openNote } = useActions();
  const { universe } = opened.draft;
  const chosen = universes.find(({ name }) => name === universe) ?? null;
  const groups = [
    universes.filter(({ kind }) => kind === 'note'),
    universes.filter(({ kind }) => kind !== 'note'),
  ].flatMap((group) =>
    group.length === 0
      ? []
      : [{ items: group.map(({ name, count: size }) => ({ label: revealed(name), note: size === null ? '' : count(size), checked: name === universe, onSelect: () => edit({ type: 'universe', universe: name }) })) }],
  );
  return (
    <div className="flex flex-col gap-1">
      <span className="text-small font-medium">Universe</span>
      <Menu groups={groups}>
        <Button className="w-full justify-start! border-line-control! px-2! text-small! font-normal!" disabled={groups.length === 0}>
          <span className="sr-only">Universe: </span>
          <span className={`cut min-w-0 flex-1 text-left ${universe === null ? 'text-fg-3' : ''}`}>{universe === null ? 'Choose a universe' : revealed(universe)}</span>
          {chosen?.count != null && <span className="text-fg-2 tabular-nums">{count(chosen.count)}</span>}
          <Icon name="chevron-down" size={12} className="text-fg-2" />
        </Button>
      </Menu>
      {chosen !== null && (
        <p className="text-small text-fg-2">
          {chosen.path === null ? (
            universeText(chosen)
          ) : (
            <button type="button" className="rounded-badge text-left hover:underline" onClick={() => openNote(chosen.path ?? '')}>
              {universeText(chosen)}
            </button>
          )}
        </p>
      )}
      {universe !== null && chosen === null && universes.length > 0 && <p className="text-small text-warn">No list {revealed(universe)} among your notes. Choose another universe.</p>}
      {groups.length === 0 && <p className="text-small text-fg-2">No universe yet: a note that lists symbols.</p>}
      <SaveList />
    </div>
  );
}
