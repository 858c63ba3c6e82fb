// One mailbox: its state, Nova's rights, and its switches.

import { useId, useState } from 'react';

import type { MailboxRow } from '../../ipc';
import { Button, Dot, ErrorBox, LinkButton, Segments, Switch } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { CredentialForm } from '../../shared/SecretForm';
import { cannotSend, hasPassed, mayText, secretOf, stateOf } from './mailbox-rows';
import { SignedIn } from './SignIn';
import { TestSteps } from './TestSteps';
import type { Mailboxes } from './useMailboxes';

interface MailboxLineProps {
  readonly row: MailboxRow;
  readonly mailboxes: Mailboxes;
  readonly onEdit: () => void;
}

export function MailboxLine({ row, mailboxes, onEdit }: MailboxLineProps) {
  const { mailbox, tested } = row;
  const { name } = mailbox;
  const [open, setOpen] = useState<'removing' | 'password' | null>(null);
  const busy = mailboxes.busy[name] === true;
  const refused = mailboxes.refused[name];
  const { dot, text } = stateOf(row);
  return (
    <li data-testid="mailbox-row" data-mailbox={name} className="border-b border-line py-2.5 first:pt-0 last:border-b-0 last:pb-0">
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <p className="flex items-baseline gap-2">
            <span className="cut text-ui font-medium">
              <Revealed text={name} />
            </span>
            <span className="cut text-fg-2">
              <Revealed text={mailbox.address || mailbox.user} />
            </span>
          </p>
          <p role="status" className="flex items-center gap-1.5 text-fg-2">
            <Dot className={dot} />
            <span className="min-w-0 break-words">{busy ? 'Working…' : <Revealed text={text} />}</span>
          </p>
        </div>
        <Button size="s" disabled={busy || row.password !== 'kept' || row.servers.length === 0} aria-label={`Test ${name}`} onClick={() => mailboxes.test(name, false)}>
          Test
        </Button>
        <Button size="s" disabled={busy} aria-label={`Edit ${name}`} onClick={onEdit}>
          Edit
        </Button>
        <Button size="s" disabled={busy} aria-label={`Remove ${name}`} onClick={() => setOpen('removing')}>
          Remove
        </Button>
      </div>
      <SignedIn row={row} busy={busy} mailboxes={mailboxes} />
      <Remedy row={row} busy={busy} onGrant={() => mailboxes.test(name, true)} onPassword={() => setOpen('password')} />
      {open === 'password' && (
        <div className="mt-2">
          <CredentialForm
            name={row.credential}
            grantTo="skill:mail"
            onKept={() => {
              setOpen(null);
              mailboxes.reload();
            }}
            onClose={() => setOpen(null)}
          />
        </div>
      )}
      {tested && row.password === 'kept' && (
        // Problems are expanded at once.
        <details className="mt-1" open={!hasPassed(tested)} key={tested.at}>
          <summary className="w-fit cursor-pointer text-fg-3 hover:text-fg-2">Last test</summary>
          <TestSteps test={tested} />
        </details>
      )}
      <Allowed row={row} busy={busy} set={mailboxes.set} />
      {refused && (
        <div className="mt-2">
          <ErrorBox error={refused} />
        </div>
      )}
      {open === 'removing' && (
        <Removing
          row={row}
          onRemove={(password) => {
            setOpen(null);
            mailboxes.remove({ name, password });
          }}
          onClose={() => setOpen(null)}
        />
      )}
    </li>
  );
}

function Remedy({ row, busy, onGrant, onPassword }: { row: MailboxRow; busy: boolean; onGrant: () => void; onPassword: () => void }) {
  if (row.password === 'missing' && row.mailbox.sign_in === null)
    return (
      <p className="mt-1">
        <LinkButton aria-label={`Set password: ${row.mailbox.name}`} onClick={onPassword}>
          Set password
        </LinkButton>
      </p>
    );
  if (row.password !== 'not_granted') return null;
  return (
    <p className="mt-1.5 flex flex-wrap items-center gap-2" data-testid="mailbox-grant">
      <span className="min-w-0 break-words">
        May Mail send the {secretOf(row.mailbox)} <span className="font-mono">{row.credential}</span> to <Revealed text={row.servers.join(' and ')} />?
      </span>
      <Button size="s" disabled={busy} aria-label={`Allow and test ${row.mailbox.name}`} onClick={onGrant}>
        Allow and test
      </Button>
    </p>
  );
}

function Allowed({ row, busy, set }: { row: MailboxRow; busy: boolean; set: Mailboxes['set'] }) {
  const { mailbox } = row;
  const { name, sending, read_only } = mailbox;
  const why = cannotSend(mailbox);
  const id = useId();
  return (
    <>
      <div className="mt-2 flex flex-wrap items-center gap-x-5 gap-y-1.5">
        <span className="flex items-center gap-2">
          <span id={id}>Sending</span>
          <Segments
            label={`Sending from ${name}`}
            value={sending ? 'ask' : 'off'}
            options={[
              { value: 'off', label: 'Off', disabled: busy },
              { value: 'ask', label: 'Ask', disabled: busy || (why !== null && !sending) },
            ]}
            onChange={(value) => set({ name, sending: value === 'ask' })}
          />
          {why !== null && <span className="text-fg-3">{why}</span>}
        </span>
        <span className="flex items-center gap-2">
          Read only
          <Switch checked={read_only} disabled={busy} label={`${name} read only`} onChange={(on) => set({ name, read_only: on })} />
        </span>
      </div>
      <p className="mt-1 text-fg-3">{mayText(mailbox)}</p>
    </>
  );
}

function Removing({ row, onRemove, onClose }: { row: MailboxRow; onRemove: (password: boolean) => void; onClose: () => void }) {
  const [password, setPassword] = useState(false);
  return (
    <div role="group" aria-label={`Remove ${row.mailbox.name}?`} className="mt-2 flex flex-col gap-1.5 rounded-card bg-surface-sunken px-3 py-2">
      <p>
        Remove <Revealed text={row.mailbox.name} /> from Nova? Its mail stays on its server.
      </p>
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={password} onChange={(event) => setPassword(event.target.checked)} />
        <span>
          Remove its {secretOf(row.mailbox)} <span className="font-mono">{row.credential}</span>, too
        </span>
      </label>
      <p className="flex gap-2">
        <Button size="s" variant="danger" onClick={() => onRemove(password)} data-testid="mailbox-remove">
          Remove
        </Button>
        <Button size="s" autoFocus onClick={onClose}>
          Cancel
        </Button>
      </p>
    </div>
  );
}
