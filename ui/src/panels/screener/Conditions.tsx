import { Button, count, counted, Icon, LinkButton, Segments } from '../../shared';
import { revealed } from '../../shared/invisible';
import { listKeys } from '../../shared/list-keys';
import { shortDay } from '../symbol/words';
import { ConditionRow } from './ConditionRow';
import { useScreener } from './context';
import { changesOf } from './draft';
import { Problems } from './Problems';
import { ScoreField } from './ScoreField';
import { NotSaved, SaveAs } from './ScreenerHead';
import { UniverseField } from './UniverseField';
import { outdatedText } from './words';

/** Universe, conditions and score of the open screen, and the saved screens. */
export function Conditions() {
  const { opened, room, dispatch } = useScreener();
  const { conditions } = opened.draft;
  return (
    <section aria-label="Conditions" className={`flex min-h-0 flex-col bg-surface-side ${room === 'one' ? 'flex-1' : 'w-90 shrink-0 border-r border-line'}`}>
      <div data-scroll="" className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto">
        <div className="flex max-w-150 flex-col gap-3 px-4 py-3.5">
          <header className="flex min-h-5 flex-wrap items-center gap-2">
            <h2 className="text-ui font-semibold">Conditions</h2>
            <span className="text-small text-fg-2">{conditions.length === 0 ? 'none yet' : `${count(conditions.length)}, all must hold`}</span>
            <span className="flex-1" />
            {room === 'one' && <NotSaved />}
            {opened.isChanged && (
              <LinkButton className="text-small" onClick={() => dispatch({ type: 'discarded', screen: opened.name })}>
                Discard
              </LinkButton>
            )}
          </header>
          {opened.saved && <Problems problems={opened.saved.problems} note={opened.saved.path} label="Problems with the screen" />}
          <UniverseField />
          <Rows />
          <Missing />
          <ScoreField />
          <Outdated />
          <SavedScreens />
        </div>
      </div>
      <WhatLeaves />
    </section>
  );
}

function Rows() {
  const { opened, scanning, addCondition } = useScreener();
  const { conditions } = opened.draft;
  const used = scanning?.isRunning === true ? scanning.run : scanning?.found;
  const changed = used?.screen === opened.name ? changesOf(used.draft, opened.draft).map(({ key }) => key) : [];
  return (
    <div className="flex flex-col gap-1">
      <ul aria-label="Conditions" className="flex flex-col gap-1 empty:hidden">
        {conditions.map((condition) => (
          <ConditionRow key={`${opened.name} ${condition.key}`} condition={condition} isChanged={changed.includes(condition.key)} />
        ))}
      </ul>
      <span>
        <Button variant="quiet" icon="plus" className="-ml-1.5 px-1.5!" onClick={addCondition}>
          Add condition
        </Button>
      </span>
    </div>
  );
}

function Missing() {
  const { opened, edit } = useScreener();
  return (
    <div className="flex flex-col gap-1">
      <span className="text-small text-fg-2">When a figure is missing</span>
      <div className="[&>*]:flex [&>*>*]:flex-1">
        <Segments
          label="When a figure is missing"
          value={opened.draft.missing}
          options={[
            { value: 'leave_out', label: 'Leave out' },
            { value: 'keep', label: 'Keep and mark' },
          ]}
          onChange={(missing) => edit({ type: 'missing', missing })}
        />
      </div>
    </div>
  );
}

/** Says that the hits do not match the open screen. */
export function Outdated() {
  const { scanning, opened, screens, startScan } = useScreener();
  const used = scanning?.isRunning === true ? scanning.run : scanning?.found;
  const text = used == null ? null : outdatedText(used, scanning?.isRunning === true, opened.name, opened.draft, screens.fields);
  return (
    <div role="status" className="empty:hidden">
      {text !== null && (
        <div className="flex items-start gap-2.5 rounded-card bg-accent-soft px-2.5 py-2 text-small" data-testid="outdated">
          <Icon name="info" size={14} className="mt-0.5 text-accent" />
          <p className="selectable min-w-0 flex-1">
            {text} {opened.draft.conditions.length > 0 && <LinkButton onClick={startScan}>Start again</LinkButton>}
          </p>
        </div>
      )}
    </div>
  );
}

function SavedScreens() {
  const { screens, opened, state, scanning, dispatch, today, room } = useScreener();
  return (
    <section aria-label="Saved screens" className="-mx-2 mt-1">
      <header className="flex items-center gap-3 px-2 pb-1">
        <h3 className="text-small font-medium text-fg-2">Saved screens</h3>
        <span className="flex-1" />
        {room === 'one' && opened.saved !== null && <SaveAs />}
        <LinkButton className="text-small" disabled={opened.name === ''} onClick={() => dispatch({ type: 'opened', screen: '' })}>
          New screen
        </LinkButton>
      </header>
      {screens.screens.length === 0 && <p className="px-2 text-small text-fg-2">No screen yet. Add conditions, then save them.</p>}
      <ul className="flex flex-col" data-list="" onKeyDown={listKeys}>
        {screens.screens.map(({ name, path, last, problems }) => {
          const isOpen = name === opened.name;
          const isRunning = scanning?.isRunning === true && scanning.run.screen === name;
          return (
            <li key={path} data-list-item="" data-note-path={path}>
              <button
                type="button"
                aria-current={isOpen || undefined}
                onClick={() => dispatch({ type: 'opened', screen: name })}
                className={`flex min-h-7 w-full items-center gap-2 rounded-control px-2 text-left text-small ${isOpen ? 'bg-selected' : 'hover:bg-hover'}`}
              >
                <span className="cut min-w-0 flex-1">{revealed(name)}</span>
                {problems.length > 0 && <Icon name="warn" size={12} className="text-warn" />}
                {state.drafts[name] !== undefined && !isOpen && <Icon name="pencil" size={12} className="text-warn" />}
                <span className="shrink-0 text-meta text-fg-2">
                  {problems.length > 0 && <span className="sr-only">has problems, </span>}
                  {state.drafts[name] !== undefined && !isOpen && <span className="sr-only">not saved, </span>}
                  {isRunning ? 'running' : last === null ? '' : `${counted(last.hits, 'hit')}, ${shortDay(last.at, today)}`}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** States which requests leave the machine. */
function WhatLeaves() {
  const { scan, universes, opened } = useScreener();
  const size = universes.find(({ name }) => name === opened.draft.universe)?.count ?? null;
  const of = size === null ? 'quotes' : `up to ${counted(size, 'quote')}`;
  const asks = scan?.asks ?? [];
  return (
    <footer className="flex shrink-0 items-start gap-2.5 border-t border-line px-4 py-2.5 text-small text-fg-2">
      <Icon name="globe" size={14} className="mt-0.5" />
      <p>
        {scan !== null && asks.length === 0 ? 'The last scan used stored figures only.' : `A scan asks ${asks.length === 0 ? 'your sources of prices' : asks.map(revealed).join(', ')} for ${of}.`} Conditions and hits stay on this machine.
      </p>
    </footer>
  );
}
