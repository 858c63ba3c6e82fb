// The initial loads, and the loads after a vault was opened.
import { nothing, userError, type OpenVault, type VaultSummary } from '../../ipc';
import { firstState } from '../app';
import { readLayout, withLayout } from '../saved-state';
import type { Tools } from './access';

/** Initial loads defined by other modules. */
interface Others {
  loadSessions(): Promise<void>;
  loadDrafts(): Promise<void>;
  loadProblems(): Promise<void>;
  loadInterrupted(): Promise<void>;
  loadGlances(): Promise<void>;
  clearGlances(): void;
}

export function startActions({ backend, get, setApp, attempt }: Tools, others: Others) {
  const actions = {
    /** Loads what the window shows first. */
    async start(): Promise<void> {
      try {
        const [status, layout] = await Promise.all([backend.rpc('app_status', nothing), readLayout(backend)]);
        setApp((app) => ({ ...withLayout(app, layout), status, startProblem: null }));
        if (status.vault !== null) {
          void others.loadProblems();
          void others.loadInterrupted();
        }
        if (!status.first_run) void others.loadGlances();
        if (!status.first_run) await Promise.all([others.loadDrafts(), others.loadSessions(), actions.loadSkillNames(), actions.loadSkillPanels()]);
      } catch (thrown) {
        setApp((app) => ({ ...app, startProblem: userError(thrown) }));
      }
    },

    loadSkillNames: () =>
      attempt(async () => {
        const skills = await backend.rpc('list_skills', nothing);
        const skillNames = Object.fromEntries(skills.map(({ id, name }) => [id, name]));
        setApp((app) => ({ ...app, skillNames }));
      }),

    loadSkillPanels: () =>
      attempt(async () => {
        const skillPanels = await backend.rpc('list_panels', nothing);
        setApp((app) => ({ ...app, skillPanels }));
      }),

    /** Completes the first start. Rejects with a `UserError`. */
    async openVault(choice: OpenVault): Promise<VaultSummary> {
      const vault = await backend.rpc('open_vault', choice);
      await actions.beginVault();
      setApp((app) => ({ ...app, offersRecords: true }));
      return vault;
    },

    /** Opens a folder's vault; asks first if running chats would be left with another vault. */
    askVault: (path: string) =>
      attempt(async () => {
        if (get().app.sessions.some(({ running }) => running)) return setApp((app) => ({ ...app, vaultAsked: path }));
        await actions.openVault({ choice: { kind: 'folder', path }, model: null });
      }),

    /** Lets the user choose another vault's folder. */
    chooseVault: () =>
      attempt(async () => {
        const { path } = await backend.rpc('pick_folder', nothing);
        if (path !== null) await actions.askVault(path);
      }),

    /** Answers the question of `askVault`. */
    answerVault: (stop: boolean) =>
      attempt(async () => {
        const { vaultAsked: path, sessions } = get().app;
        setApp((app) => ({ ...app, vaultAsked: null }));
        if (!stop || path === null) return;
        await Promise.all(sessions.filter(({ running }) => running).map(({ id }) => backend.rpc('stop_turn', { session: id })));
        await actions.openVault({ choice: { kind: 'folder', path }, model: null });
      }),

    /** Another vault was opened: clears everything of the previous one. */
    async beginVault(): Promise<void> {
      const { problems, interrupted, settlements, conflicts } = firstState;
      setApp((app) => ({ ...app, problems, interrupted, settlements, conflicts }));
      others.clearGlances();
      await actions.start();
    },
  };
  return actions;
}
