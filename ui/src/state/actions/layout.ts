// The window's views and layout.
import { userError } from '../../ipc';
import { clampWidth, zoomStep, type AppState, type RecordForm, type View } from '../app';
import type { Tools } from './access';
import { panelActions } from './panel';

export function layoutActions(tools: Tools) {
  const { backend, setApp } = tools;
  const show = (view: View): void => setApp((app) => ({ ...app, view, list: { ...app.list, sheet: false } }));
  return {
    /** Shows a view and closes the sheet of the list. */
    show,
    ...panelActions(tools, () => show({ kind: 'chat' })),

    /** Sets the overlay; `null` closes it. */
    setOver(over: AppState['over']): void {
      setApp((app) => ({ ...app, over }));
    },

    /** Records a choice in the palette, newest first. */
    rememberChoice(key: string): void {
      const most = 20;
      setApp((app) => ({ ...app, recentlyChosen: [key, ...app.recentlyChosen.filter((other) => other !== key)].slice(0, most) }));
    },

    /** Searches the open conversation; `null` ends the search. */
    setFind(find: string | null): void {
      setApp((app) => ({ ...app, find }));
    },

    /** Zooms in or out by one step; 0 resets. */
    zoom(by: -1 | 0 | 1): void {
      setApp((app) => ({ ...app, zoom: by === 0 ? 100 : zoomStep(app.zoom, by) }));
    },

    /** `null` restores the default keys. */
    setKeys(action: string, keys: string | null): void {
      setApp((app) => {
        const { [action]: _old, ...others } = app.keys;
        return { ...app, keys: keys === null ? others : { ...others, [action]: keys } };
      });
    },

    /** Opens a record's form over the window, whose view stays. */
    openRecordForm(recordForm: RecordForm): void {
      setApp((app) => ({ ...app, recordForm }));
    },

    /** `summary` identifies the proposal; a different one is shown again. */
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

    /** `room`: whether the list fits beside the conversation. */
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

    /** Reports an error that belongs to no region of the window. */
    report(thrown: unknown): void {
      setApp((app) => ({ ...app, problem: userError(thrown) }));
    },

    dismissProblem(): void {
      setApp((app) => ({ ...app, problem: null }));
    },
  };
}
