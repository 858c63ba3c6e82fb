// A pending tool: its declarations, its file, a dry run, and the two decisions.

import { useEffect, useId, useRef, useState, type ReactNode } from 'react';

import { useBackend, userError, type PendingToolRow, type PromotedTool, type ToolDefinitionView, type UserError } from '../ipc';
import { Badge, Button, EffectBadge, ErrorBox, Icon, LinkButton, Segments } from '../shared';
import { Diff } from '../shared/Diff';
import { Revealed } from '../shared/Revealed';
import { Source } from '../shared/Source';
import { useArmed } from '../shared/useArmed';
import { DryRun } from './DryRun';
import { noteAccess } from './note-access';
import { confirmation, problemLine, staleReason, type StaleReason } from './waiting-tools';

interface WaitingToolCardProps {
  readonly row: PendingToolRow;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
  /** Called if the file has changed or is gone. */
  readonly onStale: (why: StaleReason) => void;
  readonly onPromoted: (as: PromotedTool) => void;
  readonly onDiscarded: () => void;
}

export function WaitingToolCard({ row, open, onOpen, ...answers }: WaitingToolCardProps) {
  const body = useId();
  const { definition, problem, replaces } = row;
  return (
    <article
      data-testid="waiting-tool"
      data-tool={row.name}
      aria-label={definition?.tool ?? row.name}
      className={`scroll-mt-20 rounded-message border bg-surface-raised ${problem ? 'border-danger-line' : open ? 'border-accent-line' : 'border-line'}`}
    >
      <h3>
        <button
          type="button"
          aria-expanded={open}
          aria-controls={open ? body : undefined}
          onClick={() => onOpen(!open)}
          className="flex min-h-10 w-full items-center gap-2 rounded-message px-3 text-left hover:bg-hover"
        >
          <Icon name="code" size={14} className={problem ? 'text-danger' : 'text-fg-2'} />
          <span className="shrink-0 font-mono text-small font-medium">
            <Revealed text={definition?.tool ?? row.name} />
          </span>
          <span className="cut min-w-0 flex-1 text-small text-fg-3">
            {!open && <Revealed text={definition?.description ?? problem?.message ?? ''} />}
          </span>
          {replaces && <Badge tone="outline">new version</Badge>}
          {problem ? (
            <Badge tone="danger" icon="failed">
              does not load
            </Badge>
          ) : (
            definition && <EffectBadge effect={definition.effect} />
          )}
          <Icon name={open ? 'chevron-down' : 'chevron-right'} size={14} className="text-fg-2" />
        </button>
      </h3>
      {open && (
        <div id={body} className="flex flex-col gap-3 border-t border-line p-3">
          <Opened row={row} {...answers} />
        </div>
      )}
    </article>
  );
}

type Mode = 'looking' | 'confirming' | 'discarding';

function Opened({ row, onStale, onPromoted, onDiscarded }: Omit<WaitingToolCardProps, 'open' | 'onOpen'>) {
  const backend = useBackend();
  const [mode, setMode] = useState<Mode>('looking');
  const [error, setError] = useState<UserError | null>(null);
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const [firstShown] = useState(row.hash);
  const [read, setRead] = useState(row.hash);
  // A click aimed at the earlier file must not decide about this one.
  if (read !== row.hash) {
    setRead(row.hash);
    setMode('looking');
    setError(null);
  }
  const armed = useArmed(`${row.hash} ${mode}`);
  const changed = firstShown !== row.hash;
  const confirm = confirmation(row);
  const promoteButton = useRef<HTMLButtonElement>(null);
  const discardButton = useRef<HTMLButtonElement>(null);
  useFocusComesBack(mode, { looking: null, confirming: promoteButton, discarding: discardButton });

  const attempt = async (work: () => Promise<void>) => {
    if (!armed || running.current) return;
    running.current = true;
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (thrown) {
      const what = userError(thrown);
      setMode('looking');
      setError(what);
      const stale = staleReason(what);
      if (stale !== null) onStale(stale);
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  const seen = { name: row.name, hash: row.hash };
  const promote = () => attempt(async () => onPromoted(await backend.rpc('promote_tool', seen)));
  const discard = () =>
    attempt(async () => {
      await backend.rpc('discard_tool', seen);
      onDiscarded();
    });

  return (
    <>
      {changed && (
        <p role="alert" className="flex items-center gap-2 text-small text-warn">
          <Icon name="refresh" size={14} /> {row.file} changed during your review. This is the current version; review it again.
        </p>
      )}
      {row.definition && <Declared definition={row.definition} />}
      {row.problem && (
        <p role="alert" className="selectable flex gap-2 rounded-card bg-danger-soft px-3 py-2 text-small">
          <Icon name="failed" size={14} className="mt-0.5 text-danger" />
          <span className="min-w-0 break-words">
            <Revealed text={problemLine(row.problem)} />{' '}
            <span className="text-fg-2">
              {row.source === '' ? 'Ask Nova to write it again, or discard it.' : 'Ask Nova to fix it, or discard it.'}
            </span>
          </span>
        </p>
      )}
      <File row={row} />
      {row.definition && <DryRun key={row.hash} row={row} definition={row.definition} onStale={onStale} />}
      {error && <ErrorBox error={error} />}
      {mode === 'confirming' && confirm !== null && (
        <Confirm
          text={confirm.text}
          onBack={() => setMode('looking')}
          action={
            <Button variant={confirm.grave ? 'danger' : 'primary'} disabled={busy} onClick={() => void promote()} data-testid="promote-confirm">
              {confirm.button}
            </Button>
          }
        />
      )}
      {mode === 'discarding' && (
        <Confirm
          text={`${row.file} will be deleted and cannot be restored.${row.source === '' ? ' The linked file stays.' : ''}`}
          onBack={() => setMode('looking')}
          action={
            <Button variant="danger" disabled={busy} onClick={() => void discard()} data-testid="discard-confirm">
              Discard
            </Button>
          }
        />
      )}
      {mode === 'looking' && (
        <div className="flex flex-wrap items-center gap-2">
          {row.definition && (
            <Button
              ref={promoteButton}
              variant="primary"
              data-testid="promote-tool"
              data-armed={armed}
              disabled={busy || (changed && !armed)}
              onClick={() => (confirm === null ? void promote() : armed && setMode('confirming'))}
            >
              {row.replaces ? 'Promote and replace' : 'Promote'}
            </Button>
          )}
          <Button ref={discardButton} data-testid="discard-tool" disabled={busy} onClick={() => armed && setMode('discarding')}>
            Discard
          </Button>
          {row.definition && (
            <span className="text-small text-fg-3">
              {row.replaces ? 'A copy of the current version is kept.' : `It becomes dynamic.${row.definition.tool}, in every chat.`}
            </span>
          )}
        </div>
      )}
    </>
  );
}

function Declared({ definition }: { definition: ToolDefinitionView }) {
  const { description, effect, hosts, proposed_hosts: proposed, credentials, vault } = definition;
  return (
    <>
      <p className="selectable text-ui break-words">
        <Revealed text={description} />
      </p>
      <dl className="grid grid-cols-[5.5rem_minmax(0,1fr)] gap-y-1 text-small">
        <Row name="Effect">
          <EffectBadge effect={effect} />
        </Row>
        <Row name="Hosts">
          {hosts.length + proposed.length === 0 && <span className="text-fg-2">none</span>}
          <ul className="flex flex-col gap-1 empty:hidden">
            {hosts.map((host) => (
              <Name key={host} text={host} />
            ))}
            {proposed.map((host) => (
              <Name key={host} text={host}>
                <Badge tone="warn" icon="warn">
                  not declared
                </Badge>
                <span className="text-fg-2">found in its code; Nova asks before it is contacted</span>
              </Name>
            ))}
          </ul>
        </Row>
        <Row name="Credentials">
          {credentials.length === 0 && <span className="text-fg-2">none</span>}
          <ul className="flex flex-col gap-1 empty:hidden">
            {credentials.map((credential) => (
              <Name key={credential} text={credential}>
                <Badge tone="warn" icon="key">
                  it can read this secret
                </Badge>
              </Name>
            ))}
          </ul>
        </Row>
        {vault && (
          <Row name="Notes">
            {noteAccess(vault)}
          </Row>
        )}
      </dl>
    </>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-fg-3">{name}</dt>
      <dd className="selectable min-w-0">{children}</dd>
    </>
  );
}

function Name({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center gap-x-2">
      <span className="font-mono break-all">
        <Revealed text={text} />
      </span>
      {children}
    </li>
  );
}

/** The whole file; for a new version preceded by its changes. */
function File({ row }: { row: PendingToolRow }) {
  const [view, setView] = useState<'changes' | 'file'>('changes');
  const { file, source, replaces, problem } = row;
  if (source === '') return null;
  const whole = <Source text={source} label={`Source of ${file}`} marked={problem?.line ?? null} />;
  if (replaces === null || problem !== null)
    return (
      <div className="flex flex-col gap-1.5">
        <p className="text-meta font-medium text-fg-3">{file}</p>
        {whole}
      </div>
    );
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-center justify-between gap-3">
        <p className="text-meta font-medium text-fg-3">
          {replaces.file === file ? `${file}, a new version` : `${file}, in place of ${replaces.file}`}
        </p>
        <Segments
          label={`View of ${file}`}
          value={view}
          options={[
            { value: 'changes', label: 'Changes' },
            { value: 'file', label: 'Whole file' },
          ]}
          onChange={setView}
        />
      </div>
      {view === 'changes' ? <Diff diff={replaces.diff} /> : whole}
    </div>
  );
}

/** The confirmation, which replaces the buttons and focuses its Back button. */
function Confirm({ text, action, onBack }: { text: string; action: ReactNode; onBack: () => void }) {
  return (
    <div
      role="group"
      aria-label={text}
      className="flex flex-col gap-2"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        onBack();
      }}
    >
      <p className="selectable text-small break-words">
        <Revealed text={text} />
      </p>
      <div className="flex items-center gap-2">
        {action}
        <LinkButton className="px-1 text-small" ref={focused} onClick={onBack}>
          Back
        </LinkButton>
      </div>
    </div>
  );
}

/** Restores the focus to the button that opened a cancelled step. */
function useFocusComesBack(mode: Mode, led: Record<Mode, { readonly current: HTMLElement | null } | null>) {
  const before = useRef(mode);
  useEffect(() => {
    if (mode === 'looking') led[before.current]?.current?.focus();
    before.current = mode;
    // The refs are stable.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [mode]);
}

function focused(element: HTMLElement | null) {
  element?.focus();
}
