// The loaded servers, and the actions on them.

import { useCallback, useMemo, useState } from 'react';

import { nothing, useBackend, userError, type Params, type ServerRow, type ServersView, type UserError } from '../../ipc';
import { useActions, useApp, useRpc } from '../../state/hooks';

export interface Servers {
  readonly view: ServersView | null;
  /** Time of the load, ms. */
  readonly readAt: number;
  readonly loading: boolean;
  readonly error: UserError | null;
  readonly reload: () => void;
  /** The error of the last action, by server. */
  readonly refused: Readonly<Record<string, UserError>>;
  readonly set: (change: Params<'set_server'>) => void;
  readonly restart: (server: string) => void;
  readonly stop: (server: string) => void;
  /** The server whose sign-in is about to open. */
  readonly signingIn: string | null;
  /** Shows the target first. */
  readonly beginSignIn: (server: string | null) => void;
  /** Opens the browser at the server's sign-in page, if that is at this host. */
  readonly signIn: (row: ServerRow, host: string) => void;
  readonly remove: (server: string) => void;
  /** Returns whether it succeeded. */
  readonly agree: (server: string, fingerprint: string) => Promise<boolean>;
  readonly approveTool: (params: Params<'approve_server_tool'>) => Promise<boolean>;
}

export function useServers(): Servers {
  const backend = useBackend();
  const { registryChanged } = useActions();
  const revision = useApp(({ revisions }) => revisions.registry);
  const listed = useRpc('list_servers', nothing, revision);
  const [refused, setRefused] = useState<Readonly<Record<string, UserError>>>({});
  const [signingIn, setSigningIn] = useState<string | null>(null);
  const { data } = listed;
  // Base of the rows' clocks.
  const readAt = useMemo(() => (data ? Date.now() : 0), [data]);

  const attempt = useCallback(
    async (server: string, work: () => Promise<unknown>): Promise<boolean> => {
      setRefused(({ [server]: _gone, ...others }) => others);
      try {
        await work();
        return true;
      } catch (thrown) {
        setRefused((old) => ({ ...old, [server]: userError(thrown) }));
        return false;
      } finally {
        registryChanged();
      }
    },
    [registryChanged],
  );
  return {
    view: data,
    readAt,
    loading: listed.loading,
    error: listed.error,
    reload: listed.reload,
    refused,
    set: (change) => void attempt(change.server, () => backend.rpc('set_server', change)),
    restart: (server) => void attempt(server, () => backend.rpc('restart_server', { server })),
    stop: (server) => void attempt(server, () => backend.rpc('stop_server', { server })),
    signingIn,
    beginSignIn: setSigningIn,
    signIn: ({ name, id }, host) => {
      setSigningIn(null);
      void attempt(name, () => backend.rpc('sign_in', { name: `mcp-sign-in/${id}`, host }));
    },
    remove: (server) => void attempt(server, () => backend.rpc('remove_server', { server })),
    agree: (server, fingerprint) => attempt(server, () => backend.rpc('agree_to_server', { server, fingerprint })),
    approveTool: (params) => attempt(params.server, () => backend.rpc('approve_server_tool', params)),
  };
}
