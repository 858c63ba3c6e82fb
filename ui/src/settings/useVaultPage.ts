// State of the vault page, and its commands. Each returns the updated page.
import { useState } from 'react';

import { nothing, useBackend, userError, type UserError, type VaultPage } from '../ipc';
import { useActions, useApp, useRpc } from '../state/hooks';

/** The last change, to announce it and to undo it. */
export interface Done {
  readonly text: string;
  readonly undo?: () => void;
}

export interface VaultPageState {
  readonly page: VaultPage | null;
  readonly error: UserError | null;
  readonly loading: boolean;
  readonly refused: UserError | null;
  readonly done: Done | null;
  reload(): void;
  /** Runs the work, reloads the page, and reports the change. */
  attempt(work: () => Promise<unknown>, done: Done | string): Promise<void>;
  setPrivate(entry: string, isPrivate: boolean): void;
  setRoot(path: string, listed: boolean): void;
  forget(path: string): void;
  setHistoryLimit(days: number, bytes: number): void;
  /** Lets the user pick a folder. */
  pick(act: (path: string) => void): void;
}

export function useVaultPage(): VaultPageState {
  const backend = useBackend();
  const vault = useApp((app) => app.status?.vault?.path ?? null);
  const changes = useApp((app) => app.revisions.changes);
  const { report } = useActions();
  const { data, error, loading, reload } = useRpc('vault_page', nothing, `${vault} ${changes}`);
  const [refused, setRefused] = useState<UserError | null>(null);
  const [done, setDone] = useState<Done | null>(null);

  const attempt = async (work: () => Promise<unknown>, said: Done | string) => {
    setRefused(null);
    setDone(null);
    try {
      await work();
      setDone(typeof said === 'string' ? { text: said } : said);
    } catch (thrown) {
      setRefused(userError(thrown));
    } finally {
      reload();
    }
  };
  const setPrivate = (entry: string, isPrivate: boolean) =>
    void attempt(
      () => backend.rpc('set_private', { entry, private: isPrivate }),
      isPrivate
        ? 'Private from the next request.'
        : { text: `${entry} is no longer private, from the next turn.`, undo: () => setPrivate(entry, true) },
    );
  const setRoot = (path: string, listed: boolean) =>
    void attempt(
      () => backend.rpc('set_root', { path, listed }),
      listed ? 'Added to the extra roots.' : { text: 'Removed from the extra roots.', undo: () => setRoot(path, true) },
    );
  return {
    page: data,
    error,
    loading,
    refused,
    done,
    reload,
    attempt,
    setPrivate,
    setRoot,
    setHistoryLimit: (days, bytes) => void attempt(() => backend.rpc('keep_history', { days, bytes }), 'History limit saved.'),
    forget: (path) => void attempt(() => backend.rpc('forget_vault', { path }), 'Removed from the list. The folder stays as it is.'),
    pick: (act) => void backend.rpc('pick_folder', nothing).then(({ path }) => path !== null && act(path), report),
  };
}
