// MCP servers: all with state and next step, the chosen one beside the list.

import { useState, type KeyboardEvent } from 'react';

import type { BrokenServer, ServerRow } from '../../ipc';
import { Button, Empty, ErrorBox, Icon, LinkButton, Loading } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { listKeys } from '../../shared/list-keys';
import { useClock } from '../../shared/useClock';
import { latinKey } from '../../state/latin-key';
import { useActions, useApp } from '../../state/hooks';
import { AddServer } from './AddServer';
import { FoundServers } from './FoundServers';
import { needsAttention, type ServerRemedyName } from './server-rows';
import { ServerDetail } from './ServerDetail';
import { columns, ServerLine } from './ServerLine';
import { useServers } from './useServers';

export function ServersPage() {
  const servers = useServers();
  const { show } = useActions();
  const asked = useApp(({ view }) => (view.kind === 'settings' ? (view.skill ?? null) : null));
  const [picked, setPicked] = useState<{ name: string | null } | null>(null);
  const setChosen = (name: string | null) => setPicked({ name });
  const [adding, setAdding] = useState(false);
  const rows = servers.view?.servers ?? [];
  const broken = servers.view?.broken ?? [];
  const now = useClock(rows.some(({ state, next_try }) => state === 'starting' || next_try !== null));

  // Until another is chosen, the one that the page was opened for.
  const row = (picked === null ? rows.find(({ id }) => id === asked) : rows.find(({ name }) => name === picked.name)) ?? null;
  const beside = row ?? rows[0] ?? null;
  const scale = Math.max(1, ...rows.map(({ tools }) => tools?.tokens ?? 0));
  const attention = rows.filter(needsAttention).length + broken.length;

  const fix = ({ name }: ServerRow, to: ServerRemedyName) => {
    if (to === 'restart') servers.restart(name);
    else if (to === 'stop') servers.stop(name);
    else if (to === 'credentials') show({ kind: 'settings', page: 'credentials' });
    else {
      if (to === 'sign_in') servers.beginSignIn(name);
      setChosen(name);
    }
  };
  const added = (names: readonly string[]) => {
    setAdding(false);
    setChosen(names[0] ?? null);
    servers.reload();
  };
  const keys = (event: KeyboardEvent) => {
    const field = event.target instanceof Element && event.target.closest('input, textarea, [role=menu]') !== null;
    if (field || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = latinKey(event);
    const focused = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-server]')?.dataset['server'] : undefined;
    if (key === 'a') setAdding(true);
    else if (key === 'r' && (focused ?? beside?.name) !== undefined) servers.restart(focused ?? beside?.name ?? '');
    else if (key === 'Escape' && row) setChosen(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="contents" onKeyDown={keys}>
      <section
        aria-label="MCP servers"
        className={`min-w-0 flex-1 flex-col settings:flex settings:w-185 settings:flex-none settings:border-r settings:border-line ${row ? 'hidden' : 'flex'}`}
      >
        <header className="flex h-12 shrink-0 items-center gap-2.5 border-b border-line px-4">
          <h1 className="text-body font-semibold">MCP servers</h1>
          <span className="tabular text-small text-fg-3">{rows.length > 0 && rows.length}</span>
          <span className="flex-1" />
          {attention > 0 && (
            <span className="flex items-center gap-2 text-small text-fg-2">
              <Icon name="warn" size={14} />
              {attention} {attention === 1 ? 'needs' : 'need'} attention
            </span>
          )}
          <Button icon="plus" disabled={adding} onClick={() => setAdding(true)} data-testid="server-add">
            Add server
          </Button>
        </header>
        <div className="min-h-0 flex-1 overflow-y-auto">
          {adding && <AddServer onClose={() => setAdding(false)} onAdded={added} />}
          {servers.error && (
            <div className="px-4 pt-3">
              <ErrorBox error={servers.error} actions={<LinkButton onClick={servers.reload}>Try again</LinkButton>} />
            </div>
          )}
          {!servers.view && servers.loading && (
            <div className="p-4">
              <Loading lines={4} />
            </div>
          )}
          {rows.length > 0 && (
            <>
              <div aria-hidden="true" className={`${columns} h-7 border-b border-line px-4 text-meta text-fg-3`}>
                <span />
                <span>Server and state</span>
                <span>Tools on</span>
                <span>Tokens</span>
                <span className="text-right">On</span>
              </div>
              <ul data-list onKeyDown={listKeys}>
                {rows.map((one) => (
                  <ServerLine
                    key={one.name}
                    row={one}
                    chosen={one === beside}
                    scale={scale}
                    since={Math.max(0, now - servers.readAt)}
                    onOpen={() => setChosen(one.name)}
                    onToggle={(enabled) => servers.set({ server: one.name, enabled })}
                    onRemedy={(to) => fix(one, to)}
                  />
                ))}
              </ul>
            </>
          )}
          <BrokenServers broken={broken} />
          {servers.view && rows.length === 0 && broken.length === 0 && !adding && (
            <Empty action={<Button onClick={() => setAdding(true)}>Paste a config</Button>}>No servers yet.</Empty>
          )}
          <FoundServers known={rows.map(({ name }) => name)} onAdded={added} />
        </div>
      </section>
      {beside && (
        <section
          aria-label={beside.name}
          data-testid="server-detail"
          className={`min-w-0 flex-1 settings:block settings:min-w-110 ${row ? 'block' : 'hidden'}`}
        >
          <ServerDetail key={beside.name} row={beside} servers={servers} {...(row ? { onBack: () => setChosen(null) } : {})} />
        </section>
      )}
    </div>
  );
}

/** Invalid entries of the configuration. */
function BrokenServers({ broken }: { broken: readonly BrokenServer[] }) {
  return broken.map(({ id, reason }) => (
    <p key={id} data-testid="broken-server" className="flex gap-2 border-b border-line px-4 py-2.5 text-small">
      <Icon name="failed" size={14} className="mt-0.5 text-danger" />
      <span className="min-w-0 break-words">
        <span className="font-medium">
          <Revealed text={id} />
        </span>{' '}
        <Revealed text={reason} />
      </span>
    </p>
  ));
}
