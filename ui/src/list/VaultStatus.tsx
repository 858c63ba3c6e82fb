import { counted, Dot, IconButton, LinkButton } from '../shared';
import { isVaultGone, watchingOf } from '../state/app';
import { useActions, useApp } from '../state/hooks';

/** The list's footer: notes, how they are watched with the reason, and their problems. */
export function VaultStatus() {
  const vault = useApp((app) => app.status?.vault ?? null);
  const gone = useApp(isVaultGone);
  const problems = useApp((app) => app.problems.rows?.length ?? 0);
  const { showPanel } = useActions();
  if (gone) {
    return (
      <>
        <Dot className="bg-danger" />
        <span className="cut flex-1 text-danger" data-testid="vault-status">
          Folder gone
        </span>
      </>
    );
  }
  if (vault === null) {
    return (
      <>
        <Dot className="bg-danger" />
        <span className="cut flex-1">no vault is open</span>
      </>
    );
  }
  const { state, reason } = watchingOf(vault.watching);
  const text = `${counted(vault.notes, 'note')}, ${state}`;
  return (
    <>
      <Dot className={isWatched(state) ? 'bg-ok' : 'bg-warn'} />
      <div className="flex min-w-0 flex-1 flex-col items-start text-meta">
        {reason === null ? (
          <span className="cut max-w-full" data-tip={text} data-testid="vault-status">
            {text}
          </span>
        ) : (
          <span
            tabIndex={0}
            data-tip={`${text}: ${reason}`}
            className={`cut max-w-full rounded-badge ${isWatched(state) ? '' : 'text-warn'}`}
            data-testid="vault-status"
          >
            {text}
          </span>
        )}
        {problems > 0 && (
          <LinkButton data-testid="show-problems" onClick={() => showPanel('problems')}>
            {counted(problems, 'problem')}
          </LinkButton>
        )}
      </div>
    </>
  );
}

/** The same in two icons, for the rail. */
export function VaultStatusIcons() {
  const vault = useApp((app) => app.status?.vault ?? null);
  const problems = useApp((app) => app.problems.rows?.length ?? 0);
  const { showPanel } = useActions();
  const gone = useApp(isVaultGone);
  const { state, reason } = watchingOf(vault?.watching ?? '');
  const text = gone ? 'Folder gone' : vault === null ? 'No vault is open' : `${vault.name}: ${counted(vault.notes, 'note')}, ${state}${reason === null ? '' : `: ${reason}`}`;
  return (
    <>
      {problems > 0 && (
        <IconButton
          icon="warn"
          label={counted(problems, 'problem')}
          className="text-warn"
          data-testid="show-problems"
          onClick={() => showPanel('problems')}
        />
      )}
      <span role="img" aria-label={text} data-tip={text} tabIndex={0} className="flex size-6 items-center justify-center rounded-badge">
        <Dot className={gone || vault === null ? 'bg-danger' : isWatched(state) ? 'bg-ok' : 'bg-warn'} />
      </span>
    </>
  );
}

/** Whether the system reports edits; in a network folder Nova also polls for remote ones. */
const isWatched = (state: string) => state === 'watching' || state.startsWith('watching, ');
