// A skill's tools with switches: disabled ones are hidden from every model.

import { useEffect, useRef, useState } from 'react';

import { nothing, type SkillDetail, type SkillRow, type ToolSwitch, type UserError } from '../ipc';
import { Badge, count, counted, durationText, EffectBadge, ErrorBox, Icon, LinkButton, Switch, troubleOf } from '../shared';
import { useActions, useApp, useRpc } from '../state/hooks';
import { Part } from './Part';
import type { Change, Skills } from './useSkills';

interface SkillToolsProps {
  readonly row: SkillRow;
  readonly detail: SkillDetail | null;
  readonly attempt: Skills['attempt'];
}

export function SkillTools({ row, detail, attempt }: SkillToolsProps) {
  const revision = useApp(({ revisions }) => revisions.registry);
  const tools = useRpc('list_tools', nothing, revision);
  const { show } = useActions();
  const { isToolOn, switchTool, error } = useSwitches(detail, (change) => attempt(row.id, change));

  const own = (tools.data ?? []).filter(({ skill }) => skill === row.id);
  // The whole skill's reason is shown above; only additional reasons of tools are shown here.
  const troubles = new Map(
    own.map((tool) => [tool.name, tool.state === row.state && tool.state !== 'available' ? null : troubleOf(tool)]),
  );
  // Unusable and disabled tools are listed with the others.
  const stuck = own.filter(({ name }) => troubles.get(name)?.usable === false);
  const switches = new Map(detail?.tools.map((tool) => [tool.name, tool]));
  const names = [...new Set([...row.tools, ...stuck.map(({ name }) => name), ...switches.keys()])];
  if (names.length === 0) return null;

  const off = [...switches.values()].filter((tool) => !isToolOn(tool)).length;
  const usable = names.length - stuck.length - off;
  const note =
    off > 0
      ? `${names.length - off} of ${names.length} on. A switched-off tool is hidden from every model.`
      : usable === names.length
        ? `${names.length}, each can be run through a form`
        : `${names.length}, of which ${usable} can be run through a form`;
  const short = (name: string) => (name.startsWith(`${row.id}.`) ? name.slice(row.id.length + 1) : name);
  return (
    <Part title="Tools" note={note}>
      {error && (
        <div className="mb-2">
          <ErrorBox error={error} />
        </div>
      )}
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(210px,1fr))] gap-x-6 gap-y-1">
        {names.map((name) => {
          const tool = own.find((one) => one.name === name);
          const trouble = troubles.get(name) ?? null;
          const one = switches.get(name);
          const on = one === undefined || isToolOn(one);
          return (
            <li
              key={name}
              data-testid="skill-tool"
              data-tool={name}
              className={trouble ? 'col-span-full' : ''}
              data-tip={[tool?.description, one && callsText(one)].filter(Boolean).join('\n')}
            >
              <div className="flex h-6 items-center gap-2">
                <LinkButton
                  className={`cut flex-1 text-left font-mono font-normal ${on ? 'text-fg!' : ''}`}
                  disabled={!on}
                  onClick={() => show({ kind: 'run-tool', tool: name })}
                >
                  {short(name)}
                </LinkButton>
                {trouble && (
                  <Badge tone={trouble.tone} {...(trouble.tone === 'grey' ? {} : { icon: 'warn' as const })}>
                    {trouble.word}
                  </Badge>
                )}
                {one && one.errors > 0 && <Errors number={one.errors} />}
                {tool && (trouble === null || trouble.usable) && <EffectBadge effect={tool.effect} />}
                {one && (
                  <Switch checked={on} onChange={(next) => switchTool(one, next)} label={`${short(name)} on`} testId="tool-switch" />
                )}
              </div>
              {trouble && trouble.message !== '' && <p className="mb-1 break-words text-fg-2">{trouble.message}</p>}
            </li>
          );
        })}
      </ul>
    </Part>
  );
}

function Errors({ number }: { number: number }) {
  return (
    <span className="flex shrink-0 items-center gap-0.5 text-meta text-warn">
      <Icon name="failed" size={12} />
      {count(number)}
      <span className="sr-only"> {number === 1 ? 'error' : 'errors'}</span>
    </span>
  );
}

/** A switch just moved, until the reload after its change agrees. */
interface Moved {
  readonly on: boolean;
  readonly click: number;
  /** The data when the change was made. */
  readonly over: SkillDetail | null;
}

function useSwitches(detail: SkillDetail | null, attempt: (change: Change) => Promise<UserError | null>) {
  const [moved, setMoved] = useState<ReadonlyMap<string, Moved>>(new Map());
  const [error, setError] = useState<UserError | null>(null);
  const latest = useRef(detail);
  useEffect(() => {
    latest.current = detail;
  }, [detail]);
  const clicks = useRef(0);

  const isToolOn = ({ name, on }: ToolSwitch) => {
    const to = moved.get(name);
    return to !== undefined && (to.over === null || to.over === detail) ? to.on : on;
  };
  const switchTool = ({ name, tool }: ToolSwitch, on: boolean) => {
    const click = ++clicks.current;
    setError(null);
    setMoved((old) => new Map(old).set(name, { on, click, over: null }));
    void attempt({ tool: { tool, on } }).then((refused) => {
      if (refused) setError(refused);
      setMoved((old) => {
        // A later click has its own response.
        if (old.get(name)?.click !== click) return old;
        const next = new Map(old);
        if (refused) next.delete(name);
        else next.set(name, { on, click, over: latest.current });
        return next;
      });
    });
  };
  return { isToolOn, switchTool, error };
}

function callsText({ calls, errors, mean_ms }: ToolSwitch): string {
  if (calls === 0) return 'Never called';
  return [counted(calls, 'call'), counted(errors, 'error'), ...(mean_ms === null ? [] : [`${durationText(mean_ms)} on average`])].join(', ');
}
