// One server in a line. A failed one is higher: the end of its error output is below.

import type { ServerRow } from '../../ipc';
import { Badge, count, Dot, Icon, LinkButton, Switch, type IconName } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { serverLine, toolsText, type ServerRemedyName } from './server-rows';

export const columns = 'grid grid-cols-[24px_minmax(0,1fr)_80px_96px_32px] items-center gap-x-1';

interface ServerLineProps {
  readonly row: ServerRow;
  readonly chosen: boolean;
  /** Tokens of a full bar. */
  readonly scale: number;
  /** Milliseconds since the row was loaded. */
  readonly since: number;
  readonly onOpen: () => void;
  readonly onToggle: (on: boolean) => void;
  readonly onRemedy: (remedy: ServerRemedyName) => void;
}

export function ServerLine({ row, chosen, scale, since, onOpen, onToggle, onRemedy }: ServerLineProps) {
  const on = row.state !== 'off';
  const tools = toolsText(row);
  return (
    <li
      data-testid="server-row"
      data-list-item
      data-server={row.name}
      data-state={row.state}
      className={`relative border-b border-line px-4 py-1.75 hover:bg-hover ${chosen ? 'settings:bg-selected' : ''}`}
    >
      <div className={columns}>
        <Icon name={iconOf(row)} className={`mb-4 ${on ? '' : 'text-fg-3'}`} />
        <div className="min-w-0 pr-2">
          <p className="flex items-center gap-1.5">
            <button
              type="button"
              data-testid="server-name"
              aria-current={chosen || undefined}
              onClick={onOpen}
              onKeyDown={(event) => {
                if (event.key !== ' ') return;
                event.preventDefault();
                onToggle(!on);
              }}
              // Space would press the link, but switches the server here.
              onKeyUp={(event) => event.key === ' ' && event.preventDefault()}
              className={`cut text-ui font-medium after:absolute after:inset-x-0 after:top-0 after:h-13 ${on ? '' : 'text-fg-2'}`}
            >
              <Revealed text={row.name} />
            </button>
            {row.version && (
              <span className="shrink-0 text-meta text-fg-3">
                <Revealed text={row.version} />
              </span>
            )}
            <Badge tone="outline">{row.host ?? 'command'}</Badge>
            {row.reaches_vault && (
              <Badge tone="warn" icon="warn" title="Its command names your vault. It can change notes there without asking.">
                reaches the vault
              </Badge>
            )}
          </p>
          <StateText row={row} since={since} onRemedy={onRemedy} />
        </div>
        <div className="text-small">
          <p className={row.tools === null ? 'text-fg-3' : 'tabular'}>{tools.text}</p>
          {tools.lastKnown && row.tools !== null && <p className="text-fg-3">last known</p>}
        </div>
        <div className="pr-4">
          {row.tools === null ? (
            <p className="text-meta text-fg-3">unknown</p>
          ) : (
            <>
              <div className="h-1.5 overflow-hidden">
                <div className="h-full min-w-0.5 bg-c3" style={{ width: `${(row.tools.tokens / scale) * 100}%` }} />
              </div>
              <p className="tabular mt-0.5 text-meta text-fg-2">{count(row.tools.tokens)}</p>
            </>
          )}
        </div>
        <div className="relative flex justify-end">
          <Switch checked={on} onChange={onToggle} label={`${row.name} on`} testId="server-switch" />
        </div>
      </div>
      {row.last_lines.length > 0 && <LastLines row={row} onOpen={onOpen} />}
    </li>
  );
}

function iconOf({ host, reaches_vault }: ServerRow): IconName {
  if (host !== null) return 'globe';
  return reaches_vault ? 'folder' : 'plug';
}

function StateText({ row, since, onRemedy }: { row: ServerRow; since: number; onRemedy: (remedy: ServerRemedyName) => void }) {
  const { dot, text, remedy } = serverLine(row, since);
  return (
    <p className="flex items-center gap-1.5 text-small text-fg-2">
      {dot === null ? <Icon name="spinner" size={12} className="-mx-0.5 text-accent" /> : <Dot className={dot} />}
      <span className="cut" data-tip={row.state === 'failed' ? (row.reason ?? text) : text}>
        <Revealed text={text} />
      </span>
      {remedy && (
        <LinkButton
          className="relative shrink-0 text-small after:absolute after:-inset-x-1 after:-inset-y-0.5"
          aria-label={`${remedy.label}: ${row.name}`}
          data-testid="server-remedy"
          onClick={() => onRemedy(remedy.to)}
        >
          {remedy.label}
        </LinkButton>
      )}
    </p>
  );
}

function LastLines({ row, onOpen }: { row: ServerRow; onOpen: () => void }) {
  return (
    <div className="relative mt-1.5 mb-1 ml-7 overflow-hidden rounded-control border border-line">
      <pre data-testid="server-last-lines" className="selectable bg-surface-sunken px-2.5 py-1.5 font-mono text-small break-words whitespace-pre-wrap">
        {row.last_lines.map((line, at) => (
          <span key={at} className={`block ${/error|denied|fatal|panic/i.test(line) ? 'text-danger' : ''}`}>
            <Revealed text={line} />
          </span>
        ))}
      </pre>
      <p className="flex items-center gap-3 border-t border-line px-2.5 py-1 text-small">
        <LinkButton onClick={() => void navigator.clipboard.writeText(row.last_lines.join('\n'))}>Copy</LinkButton>
        <span className="flex-1 text-right text-fg-3">last lines of its error output</span>
        <LinkButton onClick={onOpen}>Show all</LinkButton>
      </p>
    </div>
  );
}
