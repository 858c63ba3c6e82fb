// Signing in to a mailbox at its provider instead of with a password.

import { Fragment } from 'react';

import type { MailboxRow, MailProvider } from '../../ipc';
import { Button, Icon, LinkButton, Segments } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { clientOf, providerTitle, providers } from './providers';
import type { Mailboxes } from './useMailboxes';

interface WayProps {
  readonly value: MailProvider | null;
  readonly disabled: boolean;
  readonly onChange: (provider: MailProvider | null) => void;
}

/** A password, or a provider. */
export function WayOfSigningIn({ value, disabled, onChange }: WayProps) {
  return (
    <div className="grid grid-cols-[96px_minmax(0,1fr)] items-center gap-x-3 gap-y-0.5">
      <span>Sign in with</span>
      <span>
        <Segments
          label="Sign in with"
          value={value ?? 'password'}
          options={[{ value: 'password', label: 'Password', disabled }, ...providers.map((provider) => ({ value: provider, label: providerTitle[provider], disabled }))]}
          onChange={(way) => onChange(way === 'password' ? null : way)}
        />
      </span>
      {value !== null && (
        <p className="col-start-2 text-fg-3" data-testid="sign-in-needs">
          You sign in with your browser once the mailbox is added. It needs a client of your own: set{' '}
          {clientOf[value].map((name, at) => (
            <Fragment key={name}>
              {at > 0 && ' and '}
              <span className="selectable font-mono">{name}</span>
            </Fragment>
          ))}{' '}
          in Credentials.
        </p>
      )}
    </div>
  );
}

interface SignedInProps {
  readonly row: MailboxRow;
  readonly busy: boolean;
  readonly mailboxes: Pick<Mailboxes, 'signIn' | 'signOut'>;
}

/** Whether the user has signed in, and the way in or out. */
export function SignedIn({ row, busy, mailboxes }: SignedInProps) {
  const { mailbox, sign_in_host: host } = row;
  if (mailbox.sign_in === null) return null;
  const provider = providerTitle[mailbox.sign_in];
  if (row.password === 'kept' || row.password === 'not_granted')
    return (
      <p className="mt-1 flex flex-wrap items-center gap-2 text-fg-2">
        Signed in with {provider}.
        <LinkButton disabled={busy} aria-label={`Sign out of ${mailbox.name}`} onClick={() => mailboxes.signOut(row)}>
          Sign out
        </LinkButton>
      </p>
    );
  return (
    <p className="mt-1.5 flex flex-wrap items-center gap-2" role="status" data-testid="mailbox-sign-in">
      <Button size="s" icon="external" disabled={busy || host === null} aria-label={`Sign in with ${provider}: ${mailbox.name}`} onClick={() => mailboxes.signIn(row)}>
        {busy ? 'Continue in the browser…' : `Sign in with ${provider}`}
      </Button>
      {host !== null && (
        <span className="flex min-w-0 items-center gap-1.5 break-words text-fg-3">
          <Icon name="globe" size={12} />
          <span>
            Your browser opens <Revealed text={host} />
          </span>
        </span>
      )}
    </p>
  );
}
