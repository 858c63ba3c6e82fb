// One routine in two lines: its schedule, and its last run.

import type { RoutineRow, UserError } from '../../ipc';
import { Button, ErrorBox, Icon, LinkButton, Switch, type IconName } from '../../shared';
import { NoteLink } from '../../shared/NoteLink';
import { Revealed } from '../../shared/Revealed';
import { lastText, nextText } from '../../shared/routines';

interface RoutineLineProps {
  readonly row: RoutineRow;
  readonly now: Date;
  /** The error of the last action. */
  readonly refused: UserError | null;
  readonly onEdit: () => void;
  readonly onSwitch: (enabled: boolean) => void;
  readonly onRun: () => void;
  readonly onOpenChat: (session: string) => void;
}

export function RoutineLine({ row, now, refused, onEdit, onSwitch, onRun, onOpenChat }: RoutineLineProps) {
  const { name, path, when, zone, allow, tool, skills, problem, enabled, last } = row;
  const runs = last?.end === 'running' || last?.end === 'waiting';
  return (
    <li tabIndex={0} data-list-item data-testid="routine-row" className="border-b border-line px-4 py-2.5 outline-offset-[-2px] hover:bg-hover">
      <div className="flex items-start gap-3">
        <Icon name={iconOf(row)} className={`mt-0.5 ${problem === null ? (enabled ? '' : 'text-fg-3') : 'text-warn'}`} />
        <div className="min-w-0 flex-1">
          <p className="flex items-baseline gap-2">
            <span className={`cut text-ui font-medium ${enabled ? '' : 'text-fg-2'}`}>
              <Revealed text={name} />
            </span>
            <span className="cut text-small text-fg-2">
              <Revealed text={[when.join('; '), zone].filter((part) => part !== '').join(', ')} />
            </span>
            <span className="cut font-mono text-small text-fg-2">
              <Revealed text={tool === '' ? skills.join(', ') : tool} />
            </span>
          </p>
          <p className={`text-small ${problem === null ? 'text-fg-2' : 'text-warn'}`}>
            <Revealed text={nextText(row, now)} />
          </p>
          {last && (
            <p className={`text-small ${last.end === 'failed' ? 'text-danger' : 'text-fg-2'}`}>
              {lastText(last, now)}{' '}
              {last.session !== '' && (
                <LinkButton aria-label={`${last.end === 'waiting' ? 'Answer' : 'Open chat'}: ${name}`} onClick={() => onOpenChat(last.session)}>
                  {last.end === 'waiting' ? 'Answer' : 'Open chat'}
                </LinkButton>
              )}
            </p>
          )}
          <p className="text-small text-fg-3">
            {allow.length === 0 ? 'Asks before every change' : <Revealed text={`May run without asking: ${allow.join(', ')}`} />}
          </p>
          {refused && <ErrorBox error={refused} />}
        </div>
        <NoteLink note={path} className="shrink-0 text-small">
          Open note
        </NoteLink>
        <LinkButton className="shrink-0 text-small" aria-label={`Edit ${name}`} onClick={onEdit}>
          Edit
        </LinkButton>
        <Button size="s" icon="play" disabled={runs || problem !== null} aria-label={`Run ${name} now`} onClick={onRun}>
          Run now
        </Button>
        <Switch checked={enabled} onChange={onSwitch} label={`${name} on`} testId="routine-switch" />
      </div>
    </li>
  );
}

function iconOf({ problem, last }: RoutineRow): IconName {
  if (problem !== null) return 'warn';
  return last?.end === 'waiting' ? 'question' : 'clock';
}
