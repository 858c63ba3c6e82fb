// Deleting, restoring and purging chats.
import type { Tools } from './access';

export function trashActions({ backend, set, setApp, attempt }: Tools) {
  return {
    /** Restores a chat from the trash. */
    restoreSession: (session: string) =>
      attempt(async () => {
        const row = await backend.rpc('restore_session', { session });
        setApp((app) => ({
          ...app,
          deleted: app.deleted?.id === session ? null : app.deleted,
          trash: app.trash.filter((old) => old.id !== session),
          sessions: [row, ...app.sessions.filter((old) => old.id !== session)],
        }));
      }),

    /** The list no longer offers Undo for the deletion. */
    dismissUndo(session: string): void {
      setApp((app) => (app.deleted?.id === session ? { ...app, deleted: null } : app));
    },

    /** Purges a chat in the trash, or all of them. Rejects with a `UserError`. */
    async purgeSessions(session?: string): Promise<void> {
      await backend.rpc('purge_sessions', session === undefined ? {} : { session });
      setApp((app) => {
        const gone = new Set(session === undefined ? app.trash.map(({ id }) => id) : [session]);
        const left = <T>(of: Readonly<Record<string, T>>) => Object.fromEntries(Object.entries(of).filter(([id]) => !gone.has(id)));
        return {
          ...app,
          trash: app.trash.filter(({ id }) => !gone.has(id)),
          deleted: app.deleted !== null && gone.has(app.deleted.id) ? null : app.deleted,
          // Their drafts are purged, too.
          drafts: left(app.drafts),
          queues: left(app.queues),
          sending: left(app.sending),
          notSent: left(app.notSent),
        };
      });
    },

    deleteSession: (session: string) =>
      attempt(async () => {
        await backend.rpc('delete_session', { session });
        set(({ app, streams }) => {
          const { [session]: _stream, ...others } = streams;
          const gone = app.sessions.find((row) => row.id === session);
          return {
            app: {
              ...app,
              deleted: gone ?? app.deleted,
              trash: gone ? [gone, ...app.trash] : app.trash,
              sessions: app.sessions.filter((row) => row.id !== session),
              open: app.open === session ? null : app.open,
            },
            streams: others,
          };
        });
      }),
  };
}
