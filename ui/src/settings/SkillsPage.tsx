// All skills with state, reason, cost and a switch.

import { Fragment, useCallback, useLayoutEffect, useRef, useState, type ReactNode } from 'react';

import type { SkillRow } from '../ipc';
import { Button, count, Empty, ErrorBox, Icon, LinkButton, Loading, Segments, TextField } from '../shared';
import { listKeys } from '../shared/list-keys';
import { useClock } from '../shared/useClock';
import { useActions, useApp } from '../state/hooks';
import { AddSkill } from './AddSkill';
import { MisroutingQuestion } from './Misrouting';
import { allTokens, isShadowed, needsAttention, shownSkills, sourceNames, type Remedy, type SkillFilter } from './skill-rows';
import { RequestCost } from './RequestCost';
import { RouterSwitch } from './RouterSwitch';
import { SkillDetail } from './SkillDetail';
import { SkillLine } from './SkillLine';
import { useSkills, type Place } from './useSkills';
import { WaitingTools } from './WaitingTools';

const ALL: SkillFilter = { search: '', source: 'all', attention: false };

export function SkillsPage() {
  const skills = useSkills();
  const { rows, error, loading, reload, refused, misrouting } = skills;
  const { show } = useActions();
  const now = useClock(false);
  const [filter, setFilter] = useState<SkillFilter>(ALL);
  const asked = useApp(({ view }) => (view.kind === 'settings' ? (view.skill ?? null) : null));
  const [chosen, setChosen] = useState<string | null>(asked);

  const shown = shownSkills(rows, filter);
  // Beside the list, the first skill is open, and stays so when another is pinned above it; if the detail is
  // its own page, none is open until chosen.
  const [first, setFirst] = useState<string | null>(null);
  if (first === null && shown[0]) setFirst(shown[0].id);
  const keyOf = (row: SkillRow) => (isShadowed(row, rows) ? `${row.id} ${row.source}` : row.id);
  const skill = rows.find((row) => keyOf(row) === chosen) ?? null;
  const beside = skill ?? shown.find(({ id }) => id === first) ?? shown[0] ?? null;
  const scale = Math.max(1, ...rows.map(allTokens));
  const keepFocus = useFocusThroughMoves(shown.map(({ id }) => id).join());

  /** A third-party skill is enabled in its review. */
  const toggle = (row: SkillRow, on: boolean, place: Place) =>
    on && row.state === 'needs_review' ? review(row) : skills.switchSkill(row.id, on, place);
  const review = (row: SkillRow) =>
    row.source === 'mcp' ? show({ kind: 'settings', page: 'servers', skill: row.id }) : setChosen(keyOf(row));
  const fix = (row: SkillRow, { to }: Remedy, place: Place) => {
    if (to === 'switch_on') toggle(row, true, place);
    else if (to === 'credentials') show({ kind: 'settings', page: 'credentials' });
    else if (to === 'file') skills.showFiles(row.id, place);
    else if (to === 'server') review(row);
    else setChosen(keyOf(row));
  };
  const nameOf = (id: string) => rows.find((row) => row.id === id)?.name ?? id;
  const said = (row: SkillRow, place: Place): ReactNode => {
    if (misrouting?.skill === row.id && misrouting.place === place)
      return <MisroutingQuestion row={row} taken={misrouting.taken} nameOf={nameOf} onAnyway={skills.switchOnAnyway} onLeave={skills.leaveOff} />;
    return refused?.skill === row.id && refused.place === place && <ErrorBox error={refused.error} />;
  };

  const besideSays = beside && !isShadowed(beside, rows) && said(beside, 'detail');

  return (
    <>
      <section
        aria-label="Skills"
        className={`min-w-0 flex-1 flex-col settings:flex settings:w-185 settings:flex-none settings:border-r settings:border-line ${skill ? 'hidden' : 'flex'}`}
      >
        <Head number={rows.length} search={filter.search} onSearch={(search) => setFilter({ ...filter, search })} onCreated={setChosen} />
        <div className="min-h-0 flex-1 overflow-y-auto">
          {error && (
            <div className="px-4 pt-3">
              <ErrorBox error={error} actions={<LinkButton onClick={reload}>Try again</LinkButton>} />
            </div>
          )}
          <WaitingTools />
          <RequestCost rows={rows} onHide={(id) => skills.set(id, { hidden: true }, 'row')} />
          <RouterSwitch />
          <Filters rows={rows} filter={filter} onChange={setFilter} />
          <ColumnHeads />
          <ul data-list onKeyDown={listKeys}>
            {shown.map((row) => {
              const below = !isShadowed(row, rows) && said(row, 'row');
              return (
                <Fragment key={keyOf(row)}>
                  <SkillLine
                    row={row}
                    columns={columns}
                    scale={scale}
                    chosen={row === beside}
                    shadowed={isShadowed(row, rows)}
                    now={now}
                    onOpen={() => setChosen(keyOf(row))}
                    onToggle={(on) => toggle(row, on, 'row')}
                    onSet={(change) => {
                      keepFocus();
                      skills.set(row.id, change, 'row');
                    }}
                    onRemedy={(remedy) => fix(row, remedy, 'row')}
                  />
                  {below && <li className="border-b border-line px-4 py-2.5">{below}</li>}
                </Fragment>
              );
            })}
          </ul>
          {rows.length === 0 && loading && (
            <div className="p-4">
              <Loading lines={4} />
            </div>
          )}
          {rows.length > 0 && shown.length === 0 && <NothingShown attention={filter.attention} onShowAll={() => setFilter(ALL)} />}
        </div>
      </section>
      {beside && (
        <section
          aria-label={beside.name}
          className={`min-w-0 flex-1 settings:block settings:min-w-110 ${skill ? 'block' : 'hidden'}`}
          data-testid="skill-detail"
        >
          <SkillDetail
            key={keyOf(beside)}
            shadowed={isShadowed(beside, rows)}
            row={beside}
            {...(skill ? { onBack: () => setChosen(null) } : {})}
            onToggle={(on) => toggle(beside, on, 'detail')}
            onSet={(change) => skills.set(beside.id, change, 'detail')}
            onRemedy={(remedy) => fix(beside, remedy, 'detail')}
            attempt={skills.attempt}
            now={now}
          >
            {besideSays && <div className="px-4 pt-3.5">{besideSays}</div>}
          </SkillDetail>
        </section>
      )}
    </>
  );
}

function NothingShown({ attention, onShowAll }: { attention: boolean; onShowAll: () => void }) {
  return (
    <Empty action={<Button onClick={onShowAll}>Show all</Button>}>
      {attention ? 'No skill here needs attention.' : 'No skill matches the filter.'}
    </Empty>
  );
}

interface HeadProps {
  readonly number: number;
  readonly search: string;
  readonly onSearch: (search: string) => void;
  /** Receives the id of a newly created skill. */
  readonly onCreated: (skill: string) => void;
}

function Head({ number, search, onSearch, onCreated }: HeadProps) {
  return (
    <header className="flex h-12 shrink-0 items-center gap-2.5 border-b border-line px-4">
      <h1 className="text-body font-semibold">Skills</h1>
      <span className="text-small text-fg-3">{count(number)}</span>
      <span className="flex-1" />
      <TextField
        icon="search"
        frame="line"
        placeholder="Filter"
        aria-label="Filter skills"
        className="w-45"
        value={search}
        onChange={(event) => onSearch(event.target.value)}
      />
      <AddSkill onCreated={onCreated} />
    </header>
  );
}

function ColumnHeads() {
  return (
    <div aria-hidden="true" className={`${columns} h-6 px-4 text-meta text-fg-3`}>
      <span />
      <span>Skill and state</span>
      <span>Loads</span>
      <span>Tokens</span>
      <span>14 days</span>
      <span className="text-right">Pin, hide, on</span>
    </div>
  );
}

const columns = 'grid grid-cols-[24px_minmax(0,1fr)_96px_104px_76px_84px] items-center gap-x-1';

function Filters({
  rows,
  filter,
  onChange,
}: {
  rows: readonly SkillRow[];
  filter: SkillFilter;
  onChange: (filter: SkillFilter) => void;
}) {
  const attention = rows.filter(needsAttention).length;
  const sources = Object.entries(sourceNames)
    .map(([value, name]) => ({ value, name, number: rows.filter(({ source }) => source === value).length }))
    .filter(({ number }) => number > 0);
  const options = [
    { value: 'all', label: 'All' },
    ...sources.map(({ value, name, number }) => ({ value, label: `${name} ${number}` })),
  ];
  return (
    <div className="flex items-center justify-between gap-3 px-4 pt-3.5 pb-2 short:pt-2.5">
      <Segments
        label="Source"
        value={filter.source}
        options={options}
        onChange={(source) => onChange({ ...filter, source })}
      />
      {(attention > 0 || filter.attention) && (
        <button
          type="button"
          aria-pressed={filter.attention}
          data-testid="need-attention"
          onClick={() => onChange({ ...filter, attention: !filter.attention })}
          className={`flex h-6.5 items-center gap-1.5 rounded-control border px-2.5 text-small font-medium ${filter.attention ? 'border-warn-line bg-warn-soft' : 'border-line-strong hover:bg-hover'}`}
        >
          <Icon name="warn" size={14} />
          {attention} {attention === 1 ? 'needs' : 'need'} attention
        </button>
      )}
    </div>
  );
}

/** A row that moves, such as a pinned one, would lose its focus. */
function useFocusThroughMoves(order: string): () => void {
  const kept = useRef<HTMLElement | null>(null);
  useLayoutEffect(() => {
    const last = kept.current;
    kept.current = null;
    if (last?.isConnected && document.activeElement === document.body) last.focus();
  }, [order]);
  return useCallback(() => {
    kept.current = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  }, []);
}
