// One server's detail: pending decisions, command, secrets, tools, statistics.

import { useState, type ReactNode } from 'react';

import type { ServerDetail as Detail, ServerRow } from '../../ipc';
import { Badge, Button, count, dateText, durationText, ErrorBox, Icon, IconButton, LinkButton, Loading, Menu, Popover, PopoverClose, Switch } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { useApp, useRpc } from '../../state/hooks';
import { Part } from '../Part';
import { ChangedTool } from './ChangedTool';
import { EditServer } from './EditServer';
import { needsAttention, serverLine } from './server-rows';
import { ServerSecrets } from './ServerSecrets';
import { ServerTools } from './ServerTools';
import { SignInBox } from './SignInBox';
import { StartReview } from './StartReview';
import type { Servers } from './useServers';

interface ServerDetailProps {
  readonly row: ServerRow;
  readonly servers: Servers;
  /** Returns to the list, if it is not shown beside. */
  readonly onBack?: () => void;
}

export function ServerDetail({ row, servers, onBack }: ServerDetailProps) {
  const revision = useApp(({ revisions }) => revisions.registry);
  const detail = useRpc('server_detail', { server: row.name }, revision);
  const refused = servers.refused[row.name];
  const on = row.state !== 'off';
  const [editing, setEditing] = useState(false);
  const changes = detail.data?.review.changes ?? [];
  return (
    <div className="flex h-full flex-col">
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-4">
        <span className="contents settings:hidden">
          <IconButton icon="chevron-left" label="Back to all servers" className="-ml-2" onClick={onBack} data-testid="server-back" />
        </span>
        <Icon name={row.host === null ? 'plug' : 'globe'} />
        <h2 className="cut text-body font-semibold">
          <Revealed text={row.name} />
        </h2>
        {row.version && (
          <span className="text-small text-fg-3">
            <Revealed text={row.version} />
          </span>
        )}
        <StateBadge row={row} />
        <span className="flex-1" />
        {on && row.state !== 'needs_review' && (
          <IconButton icon="refresh" label="Restart" keys="R" onClick={() => servers.restart(row.name)} data-testid="server-restart" />
        )}
        <More row={row} servers={servers} onEdit={() => setEditing(true)} />
        <Switch checked={on} onChange={(enabled) => servers.set({ server: row.name, enabled })} label={`${row.name} on`} testId="server-detail-switch" />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto pb-4 text-small">
        {refused && (
          <div className="px-4 pt-3">
            <ErrorBox error={refused} />
          </div>
        )}
        {detail.error && (
          <div className="px-4 pt-3">
            <ErrorBox error={detail.error} actions={<LinkButton onClick={detail.reload}>Try again</LinkButton>} />
          </div>
        )}
        {!detail.data && !detail.error && (
          <div className="p-4">
            <Loading lines={4} />
          </div>
        )}
        {servers.signingIn === row.name && (
          <SignInBox server={row.name} onOpen={(host) => servers.signIn(row, host)} onClose={() => servers.beginSignIn(null)} />
        )}
        {editing && (
          <EditServer
            server={row.name}
            onClose={() => setEditing(false)}
            onSaved={() => {
              setEditing(false);
              servers.reload();
              detail.reload();
            }}
          />
        )}
        {detail.data && (
          <>
            {!detail.data.review.agreed && on && (
              <StartReview
                name={row.name}
                review={detail.data.review}
                onAgree={() => servers.agree(row.name, detail.data?.review.fingerprint ?? '')}
              />
            )}
            {detail.data.review.agreed &&
              changes.map((change) => (
                <ChangedTool
                  key={change.tool}
                  change={change}
                  others={row.tools?.on ?? 0}
                  onApprove={() => servers.approveTool({ server: row.name, tool: change.tool, fingerprint: change.fingerprint })}
                />
              ))}
            <Runs row={row} detail={detail.data} />
            <ServerSecrets server={row.name} credentials={detail.data.review.credentials} />
            <ServerTools tools={detail.data.tools} onSet={(tool, change) => servers.set({ server: row.name, tool: { tool, ...change } })} />
            <Health detail={detail.data} />
          </>
        )}
      </div>
    </div>
  );
}

function StateBadge({ row }: { row: ServerRow }) {
  if (row.state === 'failed') return <Badge tone="danger">failed</Badge>;
  if (row.state === 'starting') return <Badge>starting</Badge>;
  if (row.state === 'needs_sign_in') return <Badge tone="warn">needs sign-in</Badge>;
  return needsAttention(row) ? (
    <Badge tone="warn" icon="warn">
      needs review
    </Badge>
  ) : null;
}

function More({ row, servers, onEdit }: { row: ServerRow; servers: Servers; onEdit: () => void }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Menu
        align="end"
        groups={[
          ...(row.host !== null && row.state !== 'off' && row.state !== 'needs_review'
            ? [{ items: [{ label: 'Sign in again', icon: 'globe' as const, onSelect: () => servers.beginSignIn(row.name), testId: 'server-sign-in' }] }]
            : []),
          { items: [{ label: 'Edit…', icon: 'pencil', onSelect: onEdit, testId: 'server-edit' }] },
          { items: [{ label: 'Remove…', icon: 'trash', danger: true, onSelect: () => setAsking(true), testId: 'server-remove' }] },
        ]}
      >
        <IconButton icon="more" label={`More about ${row.name}`} />
      </Menu>
      <Popover
        label={`Remove ${row.name}?`}
        align="end"
        open={asking}
        onOpenChange={setAsking}
        trigger={<span aria-hidden="true" className="w-0" />}
      >
        <p className="mb-1 font-medium">Remove {row.name}?</p>
        <p className="mb-2.5 text-small text-fg-2">It stops and is removed from the configuration. Its secrets stay in your credentials.</p>
        <div className="flex gap-2">
          <Button
            variant="danger"
            size="s"
            data-first-focus
            data-testid="server-remove-confirm"
            onClick={() => {
              setAsking(false);
              servers.remove(row.name);
            }}
          >
            Remove
          </Button>
          <PopoverClose asChild>
            <Button size="s">Cancel</Button>
          </PopoverClose>
        </div>
      </Popover>
    </>
  );
}

function Runs({ row, detail: { review } }: { row: ServerRow; detail: Detail }) {
  const isAddress = review.host !== null;
  const [, ...words] = row.runs.split(' ');
  const resolved = review.program === null ? 'not found on this machine' : [review.program, ...words].join(' ');
  return (
    <Part title={isAddress ? 'Contacts' : 'Runs'} note={approvedText(review)}>
      <dl className="grid grid-cols-[84px_minmax(0,1fr)] gap-x-4 gap-y-1">
        {isAddress ? (
          <Fact name="Address" mono value={review.runs} />
        ) : (
          <>
            <Fact name="Command" mono warn={review.program === null} value={resolved} />
            <Fact name="Written as" mono value={review.runs} />
            <Fact name="Folder" mono={review.folder !== null} value={review.folder ?? 'your home folder'} />
            <Fact name="Files" warn value="not confined: it can read and change your files" />
            <Fact name="Network" warn value="open, not limited to a host" />
          </>
        )}
        <Fact name="Protocol" value={row.protocol ?? 'not known yet'} />
        <Fact name="State" value={serverLine(row).text} />
      </dl>
    </Part>
  );
}

/** "approved by you on 9 Nov" */
function approvedText({ agreed, agreed_at }: Detail['review']): string {
  if (!agreed) return 'not approved';
  return agreed_at === null ? 'approved by you' : `approved by you on ${dateText(new Date(agreed_at))}`;
}

function Fact({ name, value, mono = false, warn = false }: { name: string; value: ReactNode; mono?: boolean; warn?: boolean }) {
  return (
    <div className="contents">
      <dt className="text-fg-2">{name}</dt>
      <dd className={`selectable min-w-0 break-words ${mono ? 'font-mono' : ''} ${warn ? 'text-warn' : ''}`}>
        {typeof value === 'string' ? <Revealed text={value} /> : value}
      </dd>
    </div>
  );
}

function Health({ detail }: { detail: Detail }) {
  const [open, setOpen] = useState(false);
  const { calls, errors, mean_ms, last_lines } = detail;
  return (
    <Part
      title="Health"
      action={
        last_lines.length > 0 && (
          <LinkButton aria-expanded={open} onClick={() => setOpen(!open)} data-testid="server-error-output">
            {open ? 'Hide error output' : 'Show error output'}
          </LinkButton>
        )
      }
    >
      {calls === 0 ? (
        <p className="text-fg-3">Never called</p>
      ) : (
        <p className="flex flex-wrap gap-x-5">
          <Figure figure={count(calls)} name={calls === 1 ? 'call' : 'calls'} />
          <Figure figure={count(errors)} name={errors === 1 ? 'error' : 'errors'} />
          {mean_ms !== null && <Figure figure={durationText(mean_ms)} name="mean" />}
        </p>
      )}
      {open && (
        <pre className="selectable mt-2 max-h-80 overflow-y-auto rounded-control border border-line bg-surface-sunken px-2.5 py-1.5 font-mono break-words whitespace-pre-wrap">
          <Revealed text={last_lines.join('\n')} />
        </pre>
      )}
    </Part>
  );
}

function Figure({ figure, name }: { figure: string; name: string }) {
  return (
    <span>
      <span className="tabular font-semibold">{figure}</span> <span className="text-fg-2">{name}</span>
    </span>
  );
}
