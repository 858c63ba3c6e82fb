// What the user has chosen, and what of it may differ from what was read.
import { type Appearance } from '../../ipc';
import type { Tools } from './access';

export function settingsActions({ backend, get, setApp, attempt, bump }: Tools) {
  const actions = {
    /** For the open chat, or for new ones where none is open. */
    setModel: (model: string) =>
      attempt(async () => {
        const session = get().app.open;
        await backend.rpc('set_model', { session, model });
        setApp((app) =>
          session === null
            ? { ...app, status: app.status && { ...app.status, model } }
            : { ...app, sessions: app.sessions.map((row) => (row.id === session ? { ...row, model } : row)) },
        );
        bump('providers');
      }),

    /** For the host that the user was shown. Rejects with a `UserError`. */
    async agreeProvider(provider: string, host: string): Promise<void> {
      await backend.rpc('agree_provider', { provider, host });
      bump('providers');
    },

    async revokeProvider(provider: string, host: string): Promise<void> {
      await backend.rpc('revoke_provider', { provider, host });
      bump('providers');
    },

    /** Shown at once; taken back where it could not be saved. */
    setAppearance: (part: Partial<Appearance>) =>
      attempt(async () => {
        const before = get().app.status?.appearance;
        if (!before) return;
        const put = (appearance: Appearance) =>
          setApp((app) => ({ ...app, status: app.status && { ...app.status, appearance } }));
        const wanted = { ...before, ...part };
        put(wanted);
        try {
          await backend.rpc('set_appearance', wanted);
        } catch (thrown) {
          put(before);
          throw thrown;
        }
      }),

    /** After skills were switched by a command whose answer the caller keeps. */
    registryChanged: () => bump('registry'),

    providersChanged: () => bump('providers'),

    /** After a command about a waiting tool showed that the list is not as it was read. */
    pendingToolsChanged: () => bump('pendingTools'),
  };
  return actions;
}
