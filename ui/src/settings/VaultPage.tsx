// The vault page: the open vault and recent ones, private notes, extra roots, and history retention.

import { useState } from 'react';

import { nothing, useBackend, type OpenedVault } from '../ipc';
import { Badge, Button, clockTime, counted, ErrorBox, Icon, IconButton, LinkButton, Loading, noteName } from '../shared';
import { NoteLink } from '../shared/NoteLink';
import { Revealed } from '../shared/Revealed';
import { watchingOf } from '../state/app';
import { useActions, useApp } from '../state/hooks';
import { LinkedFolders } from './LinkedFolders';
import { useVaultPage, type VaultPageState } from './useVaultPage';
import { ExtraRoots, PrivateNotes, RecentVaults } from './VaultLists';
import { VaultHistory } from './VaultHistory';
import { WhoReads } from './WhoReads';

export function VaultPage() {
  const state = useVaultPage();
  const problem = useApp((app) => app.problem);
  const { dismissProblem } = useActions();
  const { page, error, loading, refused, done } = state;
  return (
    <div className="flex min-w-0 flex-1 max-settings:flex-col max-settings:overflow-y-auto">
      <section aria-label="Vault" className="flex min-w-0 flex-1 flex-col max-settings:flex-none settings:w-185 settings:flex-none">
        <header className="flex h-12 shrink-0 items-center border-b border-line px-4">
          <h1 className="flex-1 text-body font-semibold">Vault</h1>
          <span className="text-small text-fg-3">saved as you change it</span>
        </header>
        <div className="min-h-0 flex-1 settings:overflow-y-auto">
          {(error ?? refused ?? problem) && (
            <div className="flex flex-col gap-2 px-4 pt-3.5">
              {error && <ErrorBox error={error} actions={<LinkButton onClick={state.reload}>Try again</LinkButton>} />}
              {refused && <ErrorBox error={refused} />}
              {problem && <ErrorBox error={problem} actions={<LinkButton onClick={dismissProblem}>Hide</LinkButton>} />}
            </div>
          )}
          <p role="status" className={done ? 'flex items-center gap-2 px-4 pt-3.5 text-small text-fg-2' : 'sr-only'}>
            {done?.text}
            {done?.undo && (
              <LinkButton data-testid="vault-undo" onClick={done.undo}>
                Undo
              </LinkButton>
            )}
          </p>
          <OpenVault open={page?.open ?? null} />
          {page === null && loading && (
            <div className="p-4">
              <Loading lines={4} />
            </div>
          )}
          {page && (
            <>
              <RecentVaults vaults={page.recent} forget={state.forget} />
              <PrivateNotes page={page} state={state} />
              <ExtraRoots page={page} state={state} />
              <LinkedFolders />
              {page.open && <VaultHistory history={page.open.history} state={state} />}
            </>
          )}
        </div>
      </section>
      <WhoReads count={page?.private_notes ?? null} revision={revisionOf(state)} />
    </div>
  );
}

/** Changes whenever the privacy of a note may have changed. */
const revisionOf = ({ page }: VaultPageState) => JSON.stringify([page?.private, page?.private_notes]);

function OpenVault({ open }: { open: OpenedVault | null }) {
  const vault = useApp((app) => app.status?.vault ?? null);
  const problem = useApp((app) => app.status?.vault_problem ?? null);
  const backend = useBackend();
  const { chooseVault, report } = useActions();
  const [copied, setCopied] = useState(false);
  const { state, reason } = watchingOf(vault?.watching ?? '');
  const copy = () => navigator.clipboard.writeText(vault?.path ?? '').then(() => setCopied(true), report);
  const isWatched = state === 'watching' || state.startsWith('watching, ');
  return (
    <section aria-label="Open vault" className="border-b border-line px-4 py-3.5">
      <div className="mb-2 flex items-center gap-2.5">
        <Icon name="book" className="text-fg-2" />
        <h2 className="cut text-body font-semibold">{vault?.name ?? 'No vault is open'}</h2>
        {vault && (
          <Badge tone={isWatched ? 'ok' : 'warn'} icon={isWatched ? 'check' : 'warn'}>
            {state}
          </Badge>
        )}
        <span className="flex-1" />
        {vault && (
          <Button size="s" icon="folder" data-testid="vault-reveal" onClick={() => void backend.rpc('show_vault_folder', nothing).catch(report)}>
            Reveal
          </Button>
        )}
        <Button size="s" data-testid="vault-open" onClick={() => void chooseVault()}>
          Open another…
        </Button>
      </div>
      {problem && <ErrorBox error={problem} />}
      {vault && (
        <dl className="grid grid-cols-[132px_minmax(0,1fr)] gap-y-1 text-small [&_dt]:text-fg-2">
          <dt>Folder</dt>
          <dd className="flex items-center gap-1.5">
            <span className="selectable cut font-mono">{open?.shown ?? vault.path}</span>
            <IconButton icon={copied ? 'check' : 'copy'} iconSize={12} label={copied ? 'Copied' : 'Copy the path'} className="-my-1.5 size-6" onClick={() => void copy()} />
          </dd>
          <dt>Notes</dt>
          <dd className="selectable">
            {[counted(vault.notes, 'note'), ...(open?.records ?? []).slice(0, 3).map((row) => counted(row.notes, row.record_type))].join(', ')}
          </dd>
          <Problems />
          <dt>Changes</dt>
          <dd className="selectable">
            {isWatched ? 'Detected at once, through the system’s file events.' : `${state}.`}
            {reason !== null && ` ${reason}`}
            <LastChange />
          </dd>
          <dt>Writing</dt>
          <dd className="selectable">{writing(open?.one_step ?? null)}</dd>
        </dl>
      )}
    </section>
  );
}

/** Unreadable content: a single problem as text, several as a number. */
function Problems() {
  const problems = useApp((app) => app.problems.rows);
  const { show, showPanel } = useActions();
  const first = problems?.[0];
  if (!problems || !first) return null;
  const list = () => {
    show({ kind: 'chat' });
    showPanel('problems');
  };
  return (
    <>
      <dt>Cannot be read</dt>
      <dd className="flex min-w-0 items-center gap-1.5">
        <Icon name="warn" size={12} className="text-warn" />
        <span className="selectable cut">
          {problems.length === 1 ? (
            <Revealed text={`${noteName(first.path).name}, line ${first.line}: ${first.problem}`} />
          ) : (
            `${counted(problems.length, 'problem')} in ${counted(new Set(problems.map(({ path }) => path)).size, 'note')}`
          )}
        </span>
        {problems.length === 1 && !first.mark ? <NoteLink note={first.path} className="shrink-0" /> : <LinkButton onClick={list}>{problems.length === 1 ? 'Fix…' : 'Show'}</LinkButton>}
      </dd>
    </>
  );
}

/** The note last edited outside of Nova since the window opened. */
function LastChange() {
  const changes = useApp((app) => app.noteChanges);
  const last = Object.entries(changes)
    .filter(([, { by }]) => by === 'outside')
    .toSorted(([, a], [, b]) => b.at.localeCompare(a.at))[0];
  if (!last) return null;
  return (
    <>
      {' '}
      Last: <Revealed text={noteName(last[0]).name} /> in Obsidian, {clockTime(last[1].at)}.
    </>
  );
}

function writing(oneStep: boolean | null): string {
  if (oneStep === null) return 'On.';
  return oneStep
    ? 'On. A note is replaced in one step, so Obsidian can stay open.'
    : 'On. This disk cannot swap files: close a note in Obsidian before Nova changes it.';
}
