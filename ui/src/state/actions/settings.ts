// What the user has chosen, and what of it may differ from what was read.
import type { Appearance, AppStatus, Reminders } from '../../ipc';
import type { Tools } from './access';

export function settingsActions({ backend, get, setApp, attempt, bump }: Tools) {
  /** Shown at once; taken back where it could not be saved. */
  const choose = <K extends 'appearance' | 'reminders'>(key: K, command: `set_${K}`, part: Partial<AppStatus[K]>) =>
    attempt(async () => {
      const before = get().app.status?.[key];
      if (!before) return;
      const put = (chosen: AppStatus[K]) => setApp((app) => ({ ...app, status: app.status && { ...app.status, [key]: chosen } }));
      const wanted = { ...before, ...part };
      put(wanted);
      try {
        await backend.rpc(command, wanted as never);
      } catch (thrown) {
        put(before);
        throw thrown;
      }
    });

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

    setAppearance: (part: Partial<Appearance>) => choose('appearance', 'set_appearance', part),

    setReminders: (part: Partial<Reminders>) => choose('reminders', 'set_reminders', part),

    /** After skills were switched by a command whose answer the caller keeps. */
    registryChanged: () => bump('registry'),

    providersChanged: () => bump('providers'),

    /** After a command about a waiting tool showed that the list is not as it was read. */
    pendingToolsChanged: () => bump('pendingTools'),
  };
  return actions;
}
