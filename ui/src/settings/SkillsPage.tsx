// Every skill on this machine with its state, the reason for it and what it costs; one switch each.

import { useState } from 'react';

import { nothing, useBackend, userError, type SkillRow, type UserError } from '../ipc';
import { Button, count, Empty, ErrorBox, Icon, LinkButton, Loading, Segments, TextField } from '../shared';
import { useActions, useApp, useRpc } from '../state/hooks';
import { allTokens, carried, isOn, needsAttention, shownSkills, sourceNames, type SkillFilter } from './skill-rows';
import { SkillDetail } from './SkillDetail';
import { SkillLine } from './SkillLine';
import { TokenBar } from './TokenBar';
import { WaitingTools } from './WaitingTools';

export function SkillsPage() {
  const { rows, error, loading, reload, problem, toggle } = useSkills();
  const [filter, setFilter] = useState<SkillFilter>({ search: '', source: 'all', attention: false });
  const asked = useApp(({ view }) => (view.kind === 'settings' ? (view.skill ?? null) : null));
  const [chosen, setChosen] = useState<string | null>(asked);

  const shown = shownSkills(rows, filter);
  // Beside the list the first skill is open; where the detail is a page of its own, none until chosen.
  const skill = rows.find(({ id }) => id === chosen) ?? null;
  const beside = skill ?? shown[0] ?? null;
  const scale = Math.max(1, ...rows.map(allTokens));

  return (
    <>
      <section
        aria-label="Skills"
        className={`min-w-0 flex-1 flex-col settings:flex settings:w-185 settings:flex-none settings:border-r settings:border-line ${skill ? 'hidden' : 'flex'}`}
      >
        <header className="flex h-12 shrink-0 items-center gap-2.5 border-b border-line px-4">
          <h1 className="text-body font-semibold">Skills</h1>
          <span className="text-small text-fg-3">{count(rows.length)}</span>
          <span className="flex-1" />
          <TextField
            icon="search"
            frame="line"
            placeholder="Filter"
            aria-label="Filter skills"
            className="w-45"
            value={filter.search}
            onChange={(event) => setFilter({ ...filter, search: event.target.value })}
          />
        </header>
        <div className="min-h-0 flex-1 overflow-y-auto">
          {(error ?? problem) && (
            <div className="px-4 pt-3">
              <ErrorBox
                error={(error ?? problem) as UserError}
                actions={error && <LinkButton onClick={reload}>Try again</LinkButton>}
              />
            </div>
          )}
          <WaitingTools />
          <Carries rows={rows} />
          <Filters rows={rows} filter={filter} onChange={setFilter} />
          <div aria-hidden="true" className={`${columns} h-6 px-4 text-meta text-fg-3`}>
            <span />
            <span>Skill and state</span>
            <span>Loads</span>
            <span>Tokens</span>
            <span>Use</span>
            <span className="text-right">On</span>
          </div>
          <ul>
            {shown.map((row) => (
              <SkillLine
                key={row.id}
                row={row}
                columns={columns}
                scale={scale}
                chosen={row.id === beside?.id}
                onOpen={() => setChosen(row.id)}
                onToggle={(on) => void toggle(row.id, on)}
              />
            ))}
          </ul>
          {rows.length === 0 && loading && (
            <div className="p-4">
              <Loading lines={4} />
            </div>
          )}
          {rows.length > 0 && shown.length === 0 && (
            <Empty
              action={
                <Button onClick={() => setFilter({ search: '', source: 'all', attention: false })}>Show all</Button>
              }
            >
              {filter.attention ? 'No skill here needs attention.' : 'No skill passes the filter.'}
            </Empty>
          )}
        </div>
      </section>
      {beside && (
        <section
          aria-label={beside.name}
          className={`min-w-0 flex-1 settings:block settings:min-w-110 ${skill ? 'block' : 'hidden'}`}
          data-testid="skill-detail"
        >
          <SkillDetail
            key={beside.id}
            row={beside}
            {...(skill ? { onBack: () => setChosen(null) } : {})}
            onToggle={(on) => void toggle(beside.id, on)}
          />
        </section>
      )}
    </>
  );
}

const columns = 'grid grid-cols-[24px_minmax(0,1fr)_96px_108px_76px_44px] items-center gap-x-1';

/** The rows, with a switch just moved already standing where it was moved to. */
function useSkills() {
  const backend = useBackend();
  const { registryChanged } = useActions();
  const revision = useApp(({ revisions }) => revisions.registry);
  const listed = useRpc('list_skills', nothing, revision);
  const [moved, setMoved] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [answer, setAnswer] = useState<{ after: readonly SkillRow[] | null; rows: readonly SkillRow[] } | null>(null);
  const [problem, setProblem] = useState<UserError | null>(null);

  const toggle = async (skill: string, enabled: boolean) => {
    setProblem(null);
    setMoved((old) => new Map(old).set(skill, enabled));
    try {
      const rows = await backend.rpc('enable_skill', { skill, enabled });
      setAnswer({ after: listed.data, rows });
      registryChanged();
    } catch (thrown) {
      setProblem(userError(thrown));
    } finally {
      setMoved((old) => new Map([...old].filter(([id]) => id !== skill)));
    }
  };

  // The answer holds until the list is read again.
  const current = answer && answer.after === listed.data ? answer.rows : (listed.data ?? []);
  const rows = current.map((row) => {
    const on = moved.get(row.id);
    return on === undefined || on === isOn(row)
      ? row
      : { ...row, state: on ? ('starting' as const) : ('disabled' as const), reason: null };
  });
  return { rows, error: listed.error, loading: listed.loading, reload: listed.reload, problem, toggle };
}

function Carries({ rows }: { rows: readonly SkillRow[] }) {
  const tokens = carried(rows);
  if (rows.length === 0) return null;
  const parts = [
    { name: 'catalog', value: tokens.catalog, colour: 'bg-c1' },
    { name: 'instructions of always-on skills', value: tokens.instructions, colour: 'bg-c2' },
    { name: 'their schemas', value: tokens.schemas, colour: 'bg-c3' },
  ];
  return (
    <div className="px-4 pt-3.5 short:pt-2.5">
      <p className="text-ui font-medium">Skills add {count(tokens.all)} tokens to every request</p>
      <TokenBar tokens={tokens} scale={tokens.all} className="mt-1.5 h-2 rounded-full bg-surface-sunken" />
      <ul className="mt-1.5 flex flex-wrap gap-x-4 text-meta text-fg-2">
        {parts.map(({ name, value, colour }) => (
          <li key={name} className="flex items-center gap-1.5">
            <span aria-hidden="true" className={`size-2 rounded-[2px] ${colour}`} />
            {name} {count(value)}
          </li>
        ))}
      </ul>
    </div>
  );
}

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
        label="Where skills come from"
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
