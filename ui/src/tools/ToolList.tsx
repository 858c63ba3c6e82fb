// All tools by skill: a column, or a menu in a narrow window. Unavailable ones stay in place with the reason.

import { useMemo, useState, type KeyboardEvent } from 'react';

import type { SkillRow, ToolRow } from '../ipc';
import { EffectBadge, Empty, Icon, Menu, skillIcon, TextField, troubleOf } from '../shared';
import { listStep } from '../shared/list-keys';
import { byName } from '../shared/natural';

export interface ToolGroup {
  readonly skill: string;
  readonly name: string;
  readonly source: string;
  readonly tools: readonly ToolRow[];
}

/** Groups sorted by skill name; `search` covers name, skill and description. */
export function groupTools(tools: readonly ToolRow[], skills: readonly SkillRow[], search = ''): ToolGroup[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, ToolRow[]>();
  for (const tool of tools) {
    const row = skills.find(({ id }) => id === tool.skill);
    const text = `${tool.name} ${tool.skill} ${row?.name ?? ''} ${tool.description}`.toLowerCase();
    if (words.every((word) => text.includes(word))) groups.set(tool.skill, [...(groups.get(tool.skill) ?? []), tool]);
  }
  return [...groups]
    .map(([skill, rows]) => {
      const row = skills.find(({ id }) => id === skill);
      return { skill, name: row?.name ?? skill, source: row?.source ?? '', tools: rows };
    })
    .toSorted((a, b) => byName(a.name, b.name));
}

/** `crm.add_contact` → `add_contact` */
export function toolId({ name, skill }: ToolRow): string {
  return name.startsWith(`${skill}.`) ? name.slice(skill.length + 1) : name;
}

export function canRun(tool: ToolRow): boolean {
  return tool.state === 'available' || tool.state === 'active';
}

interface ToolListProps {
  readonly tools: readonly ToolRow[];
  readonly skills: readonly SkillRow[];
  /** `skill.tool` */
  readonly chosen: string | null;
  readonly onChoose: (tool: string) => void;
}

export function ToolList({ tools, skills, chosen, onChoose }: ToolListProps) {
  const [search, setSearch] = useState('');
  const groups = useMemo(() => groupTools(tools, skills, search), [tools, skills, search]);

  const onSearchKey = (event: KeyboardEvent) => {
    const first = groups[0]?.tools[0];
    if (event.key === 'Enter' && first) {
      event.preventDefault();
      onChoose(search.trim() === '' && chosen !== null ? chosen : first.name);
      // The form is re-rendered for another tool.
      requestAnimationFrame(focusForm);
    }
    if (event.key === 'Escape' && search !== '') {
      event.stopPropagation();
      setSearch('');
    }
  };
  return (
    <nav
      aria-label="Tools"
      data-region="tools"
      tabIndex={-1}
      className="flex w-67 shrink-0 flex-col border-r border-line max-medium:hidden"
    >
      <div className="p-2 pb-1">
        <TextField
          icon="search"
          frame="line"
          placeholder="Find a tool"
          keys={search === '' ? '/' : ''}
          data-tool-search
          aria-label="Find a tool"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={onSearchKey}
        />
      </div>
      <div className="flex-1 overflow-y-auto px-2 pb-3" onKeyDown={moveByKeys}>
        {groups.map((group) => (
          <section key={group.skill} aria-label={group.name}>
            <h2 className="flex h-8 items-center gap-2 px-2 text-meta font-semibold text-fg-2">
              <Icon name={skillIcon(group.skill, group.source)} size={14} />
              {group.name}
            </h2>
            {group.tools.map((tool) => (
              <ToolLine key={tool.name} tool={tool} chosen={tool.name === chosen} onChoose={onChoose} />
            ))}
          </section>
        ))}
        {groups.length === 0 && (
          <Empty>{search === '' ? 'No tools yet. Skills provide them.' : `No tool for “${search}”.`}</Empty>
        )}
      </div>
    </nav>
  );
}

/** The form's first field, or the button of a tool without any. */
function focusForm() {
  const form = document.querySelector('[data-region=form]');
  form?.querySelector<HTMLElement>('form :is(input, textarea, select, button):not(:disabled)')?.focus();
}

function ToolLine({ tool, chosen, onChoose }: { tool: ToolRow; chosen: boolean; onChoose: (tool: string) => void }) {
  const able = canRun(tool);
  const trouble = troubleOf(tool);
  return (
    <button
      type="button"
      data-tool={tool.name}
      aria-current={chosen || undefined}
      data-tip={trouble?.message || tool.description}
      onClick={() => onChoose(tool.name)}
      className={`flex h-7 w-full items-center gap-2 rounded-control px-2 text-left ${chosen ? 'bg-selected' : 'hover:bg-hover'}`}
    >
      <span className={`cut flex-1 font-mono text-small ${able ? 'text-fg' : 'text-fg-3'}`}>{toolId(tool)}</span>
      {able && trouble && (
        <span className="flex shrink-0 items-center gap-1 text-meta text-warn">
          <Icon name="warn" size={12} />
          {trouble.word}
        </span>
      )}
      {able ? (
        <EffectBadge effect={tool.effect} />
      ) : (
        <span className={`shrink-0 text-meta ${trouble?.tone === 'danger' ? 'text-danger' : 'text-fg-3'}`}>{trouble?.word}</span>
      )}
    </button>
  );
}

/** The tools as a menu, if there is no room for the column. */
export function ToolMenu({ tools, skills, chosen, onChoose }: ToolListProps) {
  const groups = groupTools(tools, skills).map((group) => ({
    heading: group.name,
    items: group.tools.map((tool) => ({
      label: <span className="font-mono text-small">{toolId(tool)}</span>,
      note: troubleOf(tool)?.word ?? tool.effect,
      checked: tool.name === chosen,
      onSelect: () => onChoose(tool.name),
    })),
  }));
  return (
    <Menu groups={groups}>
      <button
        type="button"
        data-tool-menu
        className="hidden h-7 items-center gap-1.5 rounded-control px-2 text-ui hover:bg-hover max-medium:flex"
      >
        All tools
        <Icon name="chevron-down" size={14} className="text-fg-2" />
      </button>
    </Menu>
  );
}

function moveByKeys(event: KeyboardEvent<HTMLElement>) {
  const step = listStep(event);
  if (step === 0) return;
  const lines = [...event.currentTarget.querySelectorAll<HTMLElement>('button[data-tool]')];
  const at = lines.indexOf(document.activeElement as HTMLElement);
  const next = lines[at + step];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
}
