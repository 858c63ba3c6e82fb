// The loaded mailboxes, and the actions on them.

import { useCallback, useState } from 'react';

import { nothing, useBackend, userError, type MailboxesView, type MailboxRow, type Params, type UserError } from '../../ipc';
import { useActions, useApp, useRpc } from '../../state/hooks';

export interface Mailboxes {
  readonly view: MailboxesView | null;
  readonly loading: boolean;
  readonly error: UserError | null;
  readonly reload: () => void;
  /** Whether an action is running, by mailbox. */
  readonly busy: Readonly<Record<string, boolean>>;
  /** The error of the last action, by mailbox. */
  readonly refused: Readonly<Record<string, UserError>>;
  readonly set: (change: Params<'set_mailbox'>) => void;
  /** `grant`: its password may be sent to its servers. */
  readonly test: (name: string, grant: boolean) => void;
  readonly remove: (remove: Params<'remove_mailbox'>) => void;
  /** Waits until the user has signed in with the browser, then tests the mailbox. */
  readonly signIn: (row: MailboxRow) => void;
  readonly signOut: (row: MailboxRow) => void;
}

export function useMailboxes(): Mailboxes {
  const backend = useBackend();
  const { registryChanged } = useActions();
  const revision = useApp(({ revisions }) => `${revisions.credentials}.${revisions.registry}`);
  const { data, loading, error } = useRpc('list_mailboxes', nothing, revision);
  const [busy, setBusy] = useState<Readonly<Record<string, boolean>>>({});
  const [refused, setRefused] = useState<Readonly<Record<string, UserError>>>({});
  const attempt = useCallback(
    async (name: string, work: () => Promise<unknown>) => {
      setRefused(({ [name]: _gone, ...others }) => others);
      setBusy((old) => ({ ...old, [name]: true }));
      try {
        await work();
      } catch (thrown) {
        setRefused((old) => ({ ...old, [name]: userError(thrown) }));
      } finally {
        setBusy((old) => ({ ...old, [name]: false }));
        registryChanged();
      }
    },
    [registryChanged],
  );
  return {
    view: data,
    loading,
    error,
    reload: registryChanged,
    busy,
    refused,
    set: (change) => void attempt(change.name, () => backend.rpc('set_mailbox', change)),
    test: (name, grant) => void attempt(name, () => backend.rpc('test_mailbox', { name, grant })),
    remove: (remove) => void attempt(remove.name, () => backend.rpc('remove_mailbox', remove)),
    signIn: ({ mailbox, credential, sign_in_host }) =>
      void attempt(mailbox.name, async () => {
        await backend.rpc('sign_in', { name: credential, ...(sign_in_host === null ? {} : { host: sign_in_host }) });
        await backend.rpc('test_mailbox', { name: mailbox.name, grant: true });
      }),
    signOut: ({ mailbox, credential }) => void attempt(mailbox.name, () => backend.rpc('remove_credential', { name: credential })),
  };
}
