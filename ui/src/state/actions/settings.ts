// User settings, and reloads after commands that affect lists.
import type { Appearance, AppStatus, Background, Reminders } from '../../ipc';
import type { Tools } from './access';

export function settingsActions({ backend, get, setApp, attempt, bump }: Tools) {
  /** Optimistic; reverted if it could not be saved. */
  const choose = <K extends 'appearance' | 'reminders' | 'background'>(key: K, command: `set_${K}`, part: Partial<AppStatus[K]>) =>
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
    /** For the open chat, or for new ones if none is open. */
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

    /** For the host shown to the user. Rejects with a `UserError`. */
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

    setBackground: (part: Partial<Background>) => choose('background', 'set_background', part),

    /** After skills were switched by a command whose result the caller handles. */
    registryChanged: () => bump('registry'),

    providersChanged: () => bump('providers'),

    /** After a command about a pending tool showed that the list is stale. */
    pendingToolsChanged: () => bump('pendingTools'),
  };
  return actions;
}
