// One skill in a line of fixed height, 52 px: a long reason is truncated in the middle and complete in the
// detail.

import type { SkillRow } from '../ipc';
import { Badge, count, counted, Dot, Icon, LinkButton, Menu, skillIcon, skillStates, Switch, whenText, type IconName } from '../shared';
import { DayBars } from './DayBars';
import { allTokens, halves, isOn, lastDays, loadsText, remedyOf, sourceName, stateLine, lifetimeText, worksInPart, type Remedy } from './skill-rows';
import { TokenBar } from './TokenBar';
import type { Change } from './useSkills';

interface SkillLineProps {
  readonly row: SkillRow;
  /** The grid, shared with the heading. */
  readonly columns: string;
  readonly scale: number;
  readonly chosen: boolean;
  /** Its id is taken by another skill, so nothing can be set. */
  readonly shadowed: boolean;
  /** Current time, ms. */
  readonly now: number;
  readonly onOpen: () => void;
  readonly onToggle: (on: boolean) => void;
  readonly onSet: (change: Change) => void;
  readonly onRemedy: (remedy: Remedy) => void;
}

export function SkillLine({ row, columns, scale, chosen, shadowed, now, onOpen, onToggle, onSet, onRemedy }: SkillLineProps) {
  const on = isOn(row);
  return (
    <li
      data-testid="skill-row"
      data-list-item
      data-skill={row.id}
      data-state={row.state}
      className={`relative h-13 border-b border-line px-4 ${columns} ${chosen ? 'settings:bg-selected' : ''} hover:bg-hover`}
    >
      <Icon name={skillIcon(row.id, row.source)} className={`mb-4 ${on ? '' : 'text-fg-3'}`} />
      <div className="min-w-0 pr-2">
        <p className="flex items-center gap-1.5">
          <button
            type="button"
            data-testid="skill-name"
            onClick={onOpen}
            aria-current={chosen || undefined}
            className={`cut text-ui font-medium after:absolute after:inset-0 ${on ? '' : 'text-fg-2'}`}
          >
            {row.name}
          </button>
          <span className="shrink-0 text-meta text-fg-3">{row.version}</span>
          <Badge tone="outline">{sourceName(row.source).replace(/^(?!MCP)./, (first) => first.toLowerCase())}</Badge>
        </p>
        <StateText row={row} remedy={shadowed ? null : remedyOf(row)} onRemedy={onRemedy} />
      </div>
      {shadowed ? <span /> : <Loads row={row} onSet={onSet} />}
      <div className="pr-3">
        <TokenBar tokens={row.tokens} scale={scale} className="h-1.5" />
        <p className="tabular mt-0.5 text-meta text-fg-2">{count(allTokens(row))}</p>
      </div>
      <Use row={row} now={now} />
      <div className="relative flex items-center justify-end">
        {!shadowed && (
          <>
            <Toggle
              icon="pin"
              pressed={row.pinned}
              label={`Pin ${row.name}`}
              hint={row.pinned ? 'Pinned: active from the first message of a new chat' : 'Pin: active from the first message of a new chat'}
              testId="skill-pin"
              onToggle={(pinned) => onSet({ pinned })}
            />
            <Toggle
              icon={row.hidden ? 'eye-off' : 'eye'}
              pressed={row.hidden}
              label={`Hide ${row.name}`}
              hint={row.hidden ? 'Hidden from the model: only you can choose it' : 'Hide from the model: only you can choose it'}
              testId="skill-hide"
              onToggle={(hidden) => onSet({ hidden })}
            />
            <span className="ml-2 flex">
              <Switch checked={on} onChange={onToggle} label={`${row.name} on`} testId="skill-switch" />
            </span>
          </>
        )}
      </div>
    </li>
  );
}

function StateText({ row, remedy, onRemedy }: { row: SkillRow; remedy: Remedy | null; onRemedy: (remedy: Remedy) => void }) {
  const line = stateLine(row);
  const [start, end] = halves(line);
  return (
    <p className="flex items-center gap-1.5 text-small text-fg-2">
      {row.hidden && isOn(row) ? (
        <Icon name="eye-off" size={12} className="-mx-0.5 text-fg-3" />
      ) : (
        <Dot className={worksInPart(row) ? 'bg-warn' : skillStates[row.state].dot} />
      )}
      <span className="flex min-w-0 whitespace-pre" data-tip={line}>
        <span className="cut">{start}</span>
        <span className="shrink-0">{end}</span>
      </span>
      {remedy && (
        <LinkButton
          className="relative shrink-0 text-small after:absolute after:-inset-x-1 after:-inset-y-0.5"
          aria-label={`${remedy.label}: ${row.name}`}
          data-testid="skill-remedy"
          onClick={() => onRemedy(remedy)}
        >
          {remedy.label}
        </LinkButton>
      )}
    </p>
  );
}

function Loads({ row, onSet }: { row: SkillRow; onSet: (change: Change) => void }) {
  const always = row.mode === 'always';
  const stays = lifetimeText(row);
  return (
    <div className="text-small">
      <Menu
        groups={[
          {
            heading: 'Loads',
            items: [
              { label: 'On demand', checked: !always, onSelect: () => always && onSet({ mode: 'on_demand' }) },
              { label: 'Always', checked: always, onSelect: () => !always && onSet({ mode: 'always' }) },
            ],
          },
          ...(always
            ? []
            : [
                {
                  heading: 'Stays for',
                  items: [
                    { label: 'This chat', checked: row.lifetime !== 'turn', onSelect: () => row.lifetime === 'turn' && onSet({ lifetime: 'session' }) },
                    { label: 'This turn', checked: row.lifetime === 'turn', onSelect: () => row.lifetime !== 'turn' && onSet({ lifetime: 'turn' }) },
                  ],
                },
              ]),
        ]}
      >
        <button
          type="button"
          data-testid="skill-loads"
          aria-label={`${row.name} loads: ${[loadsText(row), stays].filter(Boolean).join(', ')}`}
          className="relative -ml-1 flex items-center gap-1 rounded-badge px-1 after:absolute after:inset-x-0 after:-inset-y-1 hover:bg-hover"
        >
          {loadsText(row)}
          <Icon name="chevron-down" size={12} className="text-fg-2" />
        </button>
      </Menu>
      {stays && <p className="text-fg-3">{stays}</p>}
    </div>
  );
}

function Use({ row, now }: { row: SkillRow; now: number }) {
  const { calls, activations, last_used, days } = row.usage;
  const shown = lastDays(days, now);
  const recent = shown.reduce((sum, day) => sum + day.calls, 0);
  return (
    <div className="min-w-0 text-meta text-fg-3">
      {recent > 0 ? (
        <>
          <DayBars days={shown} />
          <p className="tabular mt-0.5 text-fg-2">{counted(recent, 'call')}</p>
        </>
      ) : calls + activations === 0 ? (
        'never used'
      ) : (
        <>
          <p>no calls</p>
          {last_used && <p className="cut">last {whenText(last_used)}</p>}
        </>
      )}
    </div>
  );
}

interface ToggleProps {
  readonly icon: IconName;
  readonly pressed: boolean;
  /** The button's purpose, independent of its state. */
  readonly label: string;
  readonly hint: string;
  readonly testId: string;
  readonly onToggle: (pressed: boolean) => void;
}

function Toggle({ icon, pressed, label, hint, testId, onToggle }: ToggleProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={pressed}
      data-tip={hint}
      data-testid={testId}
      onClick={() => onToggle(!pressed)}
      className={`relative flex size-5.5 shrink-0 items-center justify-center rounded-control after:absolute after:-inset-y-1 after:inset-x-0 hover:bg-hover ${pressed ? 'text-fg' : 'text-fg-3'}`}
    >
      <Icon name={icon} size={14} className={pressed && icon === 'pin' ? 'fill-current' : ''} />
    </button>
  );
}
