// Saves what the user would lose with the window, while it runs.
import type { Backend } from '../ipc';
import type { AppState } from './app';
import { saveDraft } from './draft-images';
import { changedDrafts, layoutChanged, layoutOf } from './saved-state';
import type { Store } from './store';

/** Debounce, ms. A fast typist's text is saved at least twice a second. */
const AFTER = 250;

/**
 * Saves all changes of the store that differ from the loaded state, until the returned function is called.
 */
export function persistChanges(store: Store, backend: Backend): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const { restored } = store.get().app;
  let kept: AppState = { ...store.get().app, sending: {}, ...restored };
  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const { app } = store.get();
    for (const draft of changedDrafts(kept, app)) saveDraft(backend, draft).catch(store.actions.report);
    kept = app;
    layout.keep(app);
  };
  const layout = layoutKeeper(store, backend);
  const look = () => {
    const { app } = store.get();
    // The command performs the zoom, so the user waits for it.
    if (app.zoom !== layout.last().zoom) layout.keep(app);
    const changed = app.drafts !== kept.drafts || app.sending !== kept.sending || app.queues !== kept.queues;
    if (changed || layoutChanged(layout.last(), app)) timer ??= setTimeout(flush, AFTER);
  };
  const unlisten = store.listen(look);
  // The user may have typed during the load.
  look();
  window.addEventListener('pagehide', flush);
  return () => {
    unlisten();
    window.removeEventListener('pagehide', flush);
    flush();
  };
}

/**
 * Saves the layout separately from drafts, which may be megabytes: during a command only the newest state is
 * queued.
 */
function layoutKeeper(store: Store, backend: Backend) {
  /** The last saved state. */
  let last = store.get().app;
  let wanted = last;
  let busy = false;
  const keep = (app: AppState) => {
    wanted = app;
    if (busy || !layoutChanged(last, wanted)) return;
    last = wanted;
    busy = true;
    backend
      .rpc('keep_layout', layoutOf(last))
      .catch(store.actions.report)
      .finally(() => {
        busy = false;
        keep(wanted);
      });
  };
  return { keep, last: () => last };
}
