// What actions share: the backend, the state, and ways to change it.
import { userError, type Backend, type Envelope } from '../../ipc';
import type { AppState } from '../app';
import type { SessionState } from '../conversation';

export interface StoreState {
  readonly app: AppState;
  /** Watched streams, by session or form run. */
  readonly streams: Readonly<Record<string, SessionState>>;
}

export interface Access {
  readonly backend: Backend;
  get(): StoreState;
  set(change: (state: StoreState) => StoreState): void;
  /** Collects the events of a session that is not watched yet. */
  collect(session: string): { readonly events: readonly Envelope[]; end(): void };
}

export type Tools = ReturnType<typeof toolsOf>;

export function toolsOf(access: Access) {
  const { set } = access;
  const setApp = (change: (app: AppState) => AppState) =>
    set((state) => {
      const app = change(state.app);
      return app === state.app ? state : { ...state, app };
    });
  return {
    ...access,
    setApp,
    bump: (which: keyof AppState['revisions']) =>
      setApp((app) => ({ ...app, revisions: { ...app.revisions, [which]: app.revisions[which] + 1 } })),
    /** For the shell's own commands, whose errors are only shown in the banner. */
    attempt: async (work: () => Promise<void>) => {
      try {
        await work();
      } catch (thrown) {
        setApp((app) => ({ ...app, problem: userError(thrown) }));
      }
    },
  };
}
