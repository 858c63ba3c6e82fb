// One skill in one line of 52 px that never grows: a long reason is cut in the middle and whole in the detail.

import type { SkillRow } from '../ipc';
import { Badge, count, counted, Dot, Icon, LinkButton, skillIcon, skillStates, Switch, whenText } from '../shared';
import { allTokens, halves, isOn, loadsText, sourceName, stateLine, staysText, worksInPart } from './skill-rows';
import { TokenBar } from './TokenBar';

interface SkillLineProps {
  readonly row: SkillRow;
  /** The grid the heading has too. */
  readonly columns: string;
  readonly scale: number;
  readonly chosen: boolean;
  readonly onOpen: () => void;
  readonly onToggle: (on: boolean) => void;
}

export function SkillLine({ row, columns, scale, chosen, onOpen, onToggle }: SkillLineProps) {
  const on = isOn(row);
  return (
    <li
      data-testid="skill-row"
      data-skill={row.id}
      data-state={row.state}
      className={`relative h-13 border-b border-line px-4 ${columns} ${chosen ? 'settings:bg-selected' : ''} hover:bg-hover`}
    >
      <Icon name={skillIcon(row.id, row.source)} className={`mb-4 ${on ? '' : 'text-fg-3'}`} />
      <div className="min-w-0">
        <p className="flex items-center gap-1.5">
          <button
            type="button"
            onClick={onOpen}
            aria-current={chosen || undefined}
            className={`cut text-ui font-medium after:absolute after:inset-0 ${on ? '' : 'text-fg-2'}`}
          >
            {row.name}
          </button>
          <span className="shrink-0 text-meta text-fg-3">{row.version}</span>
          <Badge tone="outline">{sourceName(row.source).replace(/^(?!MCP)./, (first) => first.toLowerCase())}</Badge>
          {row.pinned && <Icon name="pin" size={12} className="text-fg-2" />}
        </p>
        <StateText row={row} onToggle={onToggle} />
      </div>
      <div className="text-small">
        <p>{loadsText(row)}</p>
        <p className="text-fg-3">{staysText(row)}</p>
      </div>
      <div className="pr-3">
        <TokenBar tokens={row.tokens} scale={scale} className="h-1.5" />
        <p className="tabular mt-0.5 text-meta text-fg-2">{count(allTokens(row))}</p>
      </div>
      <div className="text-meta text-fg-3">
        {row.usage.calls + row.usage.activations === 0 ? (
          'never used'
        ) : (
          <>
            <p className="tabular text-fg-2">{counted(row.usage.calls, 'call')}</p>
            {row.usage.last_used && <p>{whenText(row.usage.last_used)}</p>}
          </>
        )}
      </div>
      <div className="relative flex justify-end">
        <Switch checked={on} onChange={onToggle} label={`${row.name} on`} testId="skill-switch" />
      </div>
    </li>
  );
}

function StateText({ row, onToggle }: { row: SkillRow; onToggle: (on: boolean) => void }) {
  const line = stateLine(row);
  const [start, end] = halves(line);
  return (
    <p className="flex items-center gap-1.5 text-small text-fg-2">
      <Dot className={worksInPart(row) ? 'bg-warn' : skillStates[row.state].dot} />
      <span className="flex min-w-0 whitespace-pre" title={line}>
        <span className="cut">{start}</span>
        <span className="shrink-0">{end}</span>
      </span>
      {row.state === 'disabled' && (
        <LinkButton className="relative text-small" onClick={() => onToggle(true)}>
          Switch on
        </LinkButton>
      )}
    </p>
  );
}
