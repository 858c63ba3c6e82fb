// Tools written by the assistant. None can be called before the user has reviewed and promoted its file;
// exactly the shown version is promoted.

import { useEffect, useRef, useState } from 'react';

import { nothing, type PromotedTool } from '../ipc';
import { Badge, counted, ErrorBox, Icon, LinkButton } from '../shared';
import { useActions, useApp, useRpc } from '../state/hooks';
import { WaitingToolCard } from './WaitingToolCard';

/** Pending tools, reloaded whenever they change. */
export function useWaitingTools() {
  const revision = useApp(({ revisions }) => revisions.pendingTools);
  return useRpc('list_pending_tools', nothing, revision);
}

type Settled =
  | { readonly way: 'discarded' | 'gone'; readonly name: string }
  | { readonly way: 'promoted'; readonly name: string; readonly as: PromotedTool };

/** Renders nothing if none is pending and none was just decided. */
export function WaitingTools() {
  const { data, error, reload } = useWaitingTools();
  const { pendingToolsChanged } = useActions();
  const asked = useApp(({ view }) => (view.kind === 'settings' ? (view.waiting ?? null) : null));
  const [open, setOpen] = useState<string | null>(asked);
  const [settled, setSettled] = useState<Settled | null>(null);
  const status = useRef<HTMLParagraphElement>(null);
  const section = useRef<HTMLElement>(null);
  const rows = data ?? [];
  // A single pending tool is opened.
  const opened = open ?? (rows.length === 1 ? rows[0]?.name : null);
  const gone = asked !== null && data !== null && settled === null && !rows.some(({ name }) => name === asked);

  const [shownFor, setShownFor] = useState(asked);
  if (shownFor !== asked) {
    setShownFor(asked);
    setOpen(asked);
  }
  const found = asked !== null && rows.some(({ name }) => name === asked);
  useEffect(() => {
    if (!found || asked === null) return;
    const card = section.current?.querySelector<HTMLElement>(`[data-tool="${CSS.escape(asked)}"]`);
    card?.scrollIntoView({ block: 'start' });
    card?.querySelector('button')?.focus();
  }, [asked, found]);
  // The focused button is gone with its card.
  useEffect(() => {
    if (settled !== null) status.current?.focus();
  }, [settled]);

  const settle = (what: Settled) => {
    setSettled(what);
    setOpen('');
    pendingToolsChanged();
  };
  if (rows.length === 0 && settled === null && !gone && error === null) return null;
  return (
    <section ref={section} aria-labelledby="waiting-tools" data-testid="waiting-tools" className="border-b border-line px-4 py-3.5">
      <h2 id="waiting-tools" className="flex items-center gap-2 text-ui font-medium">
        Written by the assistant
        {rows.length > 0 && <Badge tone="accent">{counted(rows.length, 'tool waits', 'tools wait')} for you</Badge>}
      </h2>
      {rows.length > 0 && (
        <p className="mt-0.5 text-small text-fg-2">Nothing here can be called before you promote it. Read the file; it runs with what it declares.</p>
      )}
      {error && (
        <div className="mt-2.5">
          <ErrorBox error={error} actions={<LinkButton onClick={reload}>Try again</LinkButton>} />
        </div>
      )}
      {settled && (
        <p ref={status} role="status" tabIndex={-1} data-testid="waiting-tool-settled" className="selectable mt-2 text-small text-fg-2">
          <SettledText settled={settled} />
        </p>
      )}
      {gone && (
        <p role="status" className="mt-2 text-small text-fg-2">
          <Gone name={asked} />
        </p>
      )}
      <ul className="mt-2.5 flex flex-col gap-2 empty:hidden">
        {rows.map((row) => (
          <li key={row.name}>
            <WaitingToolCard
              row={row}
              open={row.name === opened}
              onOpen={(next) => setOpen(next ? row.name : '')}
              onStale={(why) => (why === 'gone' ? settle({ way: 'gone', name: row.name }) : pendingToolsChanged())}
              onPromoted={(as) => settle({ way: 'promoted', name: row.name, as })}
              onDiscarded={() => settle({ way: 'discarded', name: row.name })}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Discarded in another window, or by hand in the folder. */
function Gone({ name }: { name: string }) {
  return (
    <>
      <span className="font-mono">{name}</span> was promoted or discarded.
    </>
  );
}

function SettledText({ settled }: { settled: Settled }) {
  const { show } = useActions();
  if (settled.way === 'gone') return <Gone name={settled.name} />;
  if (settled.way !== 'promoted')
    return (
      <>
        <Icon name="trash" size={14} className="mr-1.5 inline align-[-0.125em]" />
        <span className="font-mono">{settled.name}</span> was discarded.
      </>
    );
  const { tool, file, replaced } = settled.as;
  return (
    <>
      <Icon name="check" size={14} className="mr-1.5 inline align-[-0.125em] text-ok" />
      <span className="font-mono">{tool}</span> can be called from now on, its file is {file}.{' '}
      {replaced !== null && (
        <>
          The previous version is kept as <span className="font-mono break-all">{replaced}</span>.{' '}
        </>
      )}
      <LinkButton onClick={() => show({ kind: 'run-tool', tool })}>Run it</LinkButton>
    </>
  );
}
