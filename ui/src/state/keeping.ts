// Keeps what the user would lose with the window, while the window runs.
import type { Backend } from '../ipc';
import type { AppState } from './app';
import { changedDrafts, layoutChanged, layoutOf } from './kept';
import { keepDraft } from './kept-images';
import type { Store } from './store';

/** Milliseconds from a change to its command. A fast writer is kept twice or more in every second. */
const AFTER = 250;

/** Keeps what was not read from the disk and what changes in the store, until the function that it returns is called. */
export function keepChanges(store: Store, backend: Backend): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const { restored } = store.get().app;
  let kept: AppState = { ...store.get().app, sending: {}, ...restored };
  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const { app } = store.get();
    for (const draft of changedDrafts(kept, app)) keepDraft(backend, draft).catch(store.actions.report);
    kept = app;
    layout.keep(app);
  };
  const layout = layoutKeeper(store, backend);
  const look = () => {
    const { app } = store.get();
    // Everything is drawn larger by the command: who presses the key looks at it.
    if (app.zoom !== layout.last().zoom) layout.keep(app);
    const changed = app.drafts !== kept.drafts || app.sending !== kept.sending || app.queues !== kept.queues;
    if (changed || layoutChanged(layout.last(), app)) timer ??= setTimeout(flush, AFTER);
  };
  const unlisten = store.listen(look);
  // Somebody may have written while the window was still reading.
  look();
  window.addEventListener('pagehide', flush);
  return () => {
    unlisten();
    window.removeEventListener('pagehide', flush);
    flush();
  };
}

/** Keeps how the window was left, beside the drafts, which may be megabytes: while one command is on its way only the newest waits. */
function layoutKeeper(store: Store, backend: Backend) {
  /** What the last command kept. */
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
