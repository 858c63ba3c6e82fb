import { nothing, useBackend, type RoutineRow } from '../../ipc';
import { Icon, LinkButton } from '../../shared';
import { revealed } from '../../shared/invisible';
import { lastText, waits } from '../../shared/routines';
import { useActions, useApp, useRpc } from '../../state/hooks';

/** Routines that failed or wait for an answer, one line each. */
export function WaitingRoutines({ now }: { now: Date }) {
  const revision = useApp(({ revisions }) => revisions.routines);
  const rows = useRpc('list_routines', nothing, revision).data?.filter(waits) ?? [];
  if (rows.length === 0) return null;
  return (
    <section aria-label="Waits for you" className="rounded-card border border-line-strong px-3 py-1">
      <ul>
        {rows.map((row) => (
          <Line key={row.path} row={row} now={now} />
        ))}
      </ul>
    </section>
  );
}

function Line({ row: { path, name, last }, now }: { row: RoutineRow; now: Date }) {
  const backend = useBackend();
  const { openSession, show } = useActions();
  if (last === null) return null;
  const isQuestion = last.end === 'waiting';
  const see = () => void backend.rpc('see_routine', { path }).catch(() => null);
  const open = () => {
    see();
    if (last.session === '') show({ kind: 'settings', page: 'routines' });
    else void openSession(last.session);
  };
  return (
    <li className="flex h-7.5 items-center gap-2 text-small" data-testid="waiting-routine">
      <Icon name={isQuestion ? 'question' : 'warn'} size={14} className={isQuestion ? 'text-accent' : 'text-warn'} />
      <span className="shrink-0 font-medium">{revealed(name)}</span>
      <span className="cut min-w-0 flex-1 text-fg-2">{lastText(last, now)}</span>
      {!isQuestion && (
        <LinkButton className="shrink-0" aria-label={`Dismiss: ${revealed(name)}`} onClick={see}>
          Dismiss
        </LinkButton>
      )}
      <LinkButton className="shrink-0" aria-label={`${isQuestion ? 'Answer' : 'Open'}: ${revealed(name)}`} onClick={open}>
        {isQuestion ? 'Answer' : 'Open'}
      </LinkButton>
    </li>
  );
}
