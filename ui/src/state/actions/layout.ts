// What the window shows, and where.
import { userError } from '../../ipc';
import { clampWidth, zoomStep, type AppState, type RecordForm, type View } from '../app';
import type { Tools } from './access';
import { panelActions } from './panel';

export function layoutActions(tools: Tools) {
  const { backend, setApp } = tools;
  const show = (view: View): void => setApp((app) => ({ ...app, view, list: { ...app.list, sheet: false } }));
  return {
    /** Shows a view; what it leaves keeps its place. */
    show,
    ...panelActions(tools, () => show({ kind: 'chat' })),

    /** What lies over the window; `null` takes it away. */
    setOver(over: AppState['over']): void {
      setApp((app) => ({ ...app, over }));
    },

    /** Keeps what was chosen in the palette, the newest first. */
    keepChoice(key: string): void {
      const most = 20;
      setApp((app) => ({ ...app, recentlyChosen: [key, ...app.recentlyChosen.filter((other) => other !== key)].slice(0, most) }));
    },

    /** Searches the open conversation; `null` ends it. */
    setFind(find: string | null): void {
      setApp((app) => ({ ...app, find }));
    },

    /** Draws everything larger or smaller by one step; 0: as it usually is. */
    zoom(by: -1 | 0 | 1): void {
      setApp((app) => ({ ...app, zoom: by === 0 ? 100 : zoomStep(app.zoom, by) }));
    },

    /** `null`: the keys that it has by itself. */
    setKeys(action: string, keys: string | null): void {
      setApp((app) => {
        const { [action]: _old, ...others } = app.keys;
        return { ...app, keys: keys === null ? others : { ...others, [action]: keys } };
      });
    },

    /** Lays the form of a record over the window; what it lies over keeps its place. */
    openRecordForm(recordForm: RecordForm): void {
      setApp((app) => ({ ...app, recordForm }));
    },

    /** `summary` is what was proposed; something else is shown again. */
    hideProposal(skill: string, summary: string): void {
      setApp((app) => ({ ...app, hiddenProposals: { ...app.hiddenProposals, [skill]: summary } }));
    },

    closeRecordForm(): void {
      setApp((app) => (app.recordForm === null ? app : { ...app, recordForm: null }));
    },

    /** Opens a web address in the browser. */
    openLink(url: string): void {
      backend.rpc('open_link', { url }).catch((thrown: unknown) => {
        setApp((app) => ({ ...app, problem: userError(thrown) }));
      });
    },

    /** `room`: the window is wide enough for the list beside the conversation. */
    toggleList(room: boolean): void {
      setApp(({ list, ...app }) => ({
        ...app,
        list: room ? { ...list, folded: !list.folded } : { ...list, sheet: !list.sheet },
      }));
    },

    showList(room: boolean): void {
      setApp(({ list, ...app }) => ({ ...app, list: room ? { ...list, folded: false } : { ...list, sheet: true } }));
    },

    setListSheet(sheet: boolean): void {
      setApp((app) => ({ ...app, list: { ...app.list, sheet } }));
    },

    setListWidth(width: number): void {
      setApp((app) => ({ ...app, list: { ...app.list, width: clampWidth('list', width) } }));
    },

    /** Something that no region of the window asked for has failed. */
    report(thrown: unknown): void {
      setApp((app) => ({ ...app, problem: userError(thrown) }));
    },

    dismissProblem(): void {
      setApp((app) => ({ ...app, problem: null }));
    },
  };
}
