import { clockTime, EffectBadge, ErrorBox, Icon, LinkButton, runningText, Button } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { useClock } from '../../shared/useClock';
import type { UserError } from '../../ipc';
import { Asking } from '../skill/Region';
import { settingsLabel } from '../symbol/words';
import { useScreener } from './context';
import type { RunView } from './runs';

interface RunBarProps {
  readonly view: RunView;
  /** "412/1,200, 9 hits so far" */
  readonly text: string;
  readonly fraction: number | null;
  readonly onStop: () => void;
  readonly label: string;
}

/** Progress, elapsed time and Stop of a long call; afterwards its outcome. */
export function RunBar({ view: { run, isRunning, effect }, text, fraction, onStop, label }: RunBarProps) {
  const now = useClock(isRunning);
  const done = fraction === null ? null : Math.min(1, Math.max(0, fraction));
  const isStopped = run.result?.error?.code === 'cancelled';
  const icon = isRunning ? 'spinner' : isStopped ? 'ban' : run.result?.ok === true ? 'check' : 'failed';
  return (
    <div className="shrink-0">
      {isRunning && <Asking run={run.id} />}
      <div className="flex min-h-11 flex-wrap items-center gap-2.5 px-5 py-1.5 text-small">
        <Icon name={icon} size={14} className={isRunning ? '' : isStopped ? 'text-fg-2' : run.result?.ok === true ? 'text-ok' : 'text-danger'} />
        <span className="selectable min-w-0 flex-1 font-medium">
          <Revealed text={run.stopping ? `Stopping, ${text}` : text} />
        </span>
        {isRunning && effect !== null && effect !== 'read' && <EffectBadge effect={effect} />}
        <span className="text-fg-2 tabular-nums">{isRunning ? runningText(now - Date.parse(run.startedAt)) : run.endedAt !== null && `${runningText(Date.parse(run.endedAt) - Date.parse(run.startedAt))}, ended ${clockTime(run.endedAt)}`}</span>
        {isRunning && (
          <Button icon="stop" size="s" className="h-7" aria-label={`Stop ${label.toLowerCase()}`} disabled={run.stopping} onClick={onStop}>
            {run.stopping ? 'Stopping…' : 'Stop'}
          </Button>
        )}
      </div>
      {isRunning && done !== null && (
        <div role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(done * 100)} className="mx-5 mb-1 h-1 overflow-hidden rounded-full bg-selected">
          <div className="h-full origin-left rounded-full bg-accent-fill transition-transform duration-220 ease-nova" style={{ transform: `scaleX(${done})` }} />
        </div>
      )}
      {/* Announced in quarters, not at each step. */}
      <p role="status" className="sr-only">
        {isRunning ? (done === null ? `${label} runs` : `${label}: ${Math.floor(done * 4) * 25} %`) : `${label}: ${text}`}
      </p>
    </div>
  );
}

/** An error with its remedies. */
export function Failure({ error, onAgain, actions }: { error: UserError; onAgain: () => void; actions?: React.ReactNode }) {
  const { openSettings } = useScreener();
  const settings = settingsLabel(`${error.message} ${error.hint}`);
  return (
    <ErrorBox
      error={error}
      actions={
        <>
          {actions}
          <LinkButton onClick={onAgain}>Try again</LinkButton>
          {settings !== null && <LinkButton onClick={openSettings}>{settings}</LinkButton>}
        </>
      }
    />
  );
}
