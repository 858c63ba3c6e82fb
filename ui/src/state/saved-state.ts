// State saved across restarts: drafts, and the layout. Saved in files of the backend, which are on disk when
// it responds; the browser writes the page's own storage late, so that a killed window would lose the last
// words.
import { nothing, type Backend, type WindowLayout } from '../ipc';
import { clampWidth, draftOf, emptyDraft, isEmpty, joined, type AppState, type Draft, type Message, type PendingMessage } from './app';
import { type KeptDraft, type WholeDraft, type WholeMessage } from './draft-images';
import { noQueue, type Queues } from './queue';

/** The changed drafts, each with its queued messages. */
export function changedDrafts(before: AppState, after: AppState): WholeDraft[] {
  const keys = new Set([before, after].flatMap(({ drafts, sending, queues }) => [drafts, sending, queues].flatMap(Object.keys)));
  const changed = [...keys].filter(
    (key) =>
      before.drafts[key] !== after.drafts[key] ||
      before.sending[key] !== after.sending[key] ||
      before.queues[key]?.messages !== after.queues[key]?.messages,
  );
  return changed.map((key) => wholeDraft(after, key === '' ? null : key));
}

/**
 * A chat's saved state. A message being sent is still its draft, or the first queued one if there is another
 * draft by now; it names its turn, so that it is dropped once that is in the log.
 */
export function wholeDraft({ drafts, sending, queues }: AppState, session: string | null): WholeDraft {
  const key = session ?? '';
  const draft = drafts[key] ?? emptyDraft;
  const pending = sending[key];
  const waiting = (queues[key] ?? noQueue).messages.map(({ id: _id, ...message }): WholeMessage => message);
  if (!pending) return { session, ...wholeMessage(draft), queued: waiting };
  const { turn } = pending;
  if (isEmpty(draft)) return { session, ...wholeMessage(pending), queued: waiting, turn };
  // No turn can have begun in a new chat.
  if (session === null) return { session, ...wholeMessage(joined(pending, draft)), queued: waiting };
  return behind({ session, ...wholeMessage(draft), queued: waiting }, pending);
}

/** Puts a message being sent at the head of the draft's queue. */
export function behind(draft: WholeDraft, message: PendingMessage): WholeDraft {
  return { ...draft, queued: [{ ...wholeMessage(message), turn: message.turn }, ...draft.queued] };
}

function wholeMessage({ text, tool, skills, files, images }: Message): WholeMessage {
  return { text, tool, skills: [...skills], files: [...files], images };
}

/** Restores saved drafts without replacing text typed since the window opened. */
export function withKeptDrafts(app: AppState, all: readonly KeptDraft[], id: () => number): AppState {
  const restored: { drafts: Record<string, Draft>; queues: Record<string, Queues[string]> } = { drafts: {}, queues: {} };
  const lostImages = { ...app.lostImages };
  for (const { session, queued: waiting, lost, lostQueued, turn: _turn, ...draft } of all) {
    const key = session ?? '';
    if (lost.length > 0) lostImages[key] = lost;
    const queued = waiting.filter(saysSomething);
    if (isEmpty(draftOf({ ...app, open: session })) && !isEmpty({ ...emptyDraft, ...draft })) {
      restored.drafts[key] = { ...emptyDraft, ...draft, given: (app.drafts[key]?.given ?? 0) + 1 };
    }
    if (queued.length > 0 && app.queues[key] === undefined) {
      const messages = queued.map(({ turn: _turn, ...message }) => ({ ...message, id: id() }));
      const held = lostQueued.length === 0 ? 'Nova was closed' : `Nova was closed, and ${lostQueued.join(', ')} cannot be read`;
      restored.queues[key] = { messages, held, pressing: false };
    }
  }
  return { ...app, drafts: { ...app.drafts, ...restored.drafts }, queues: { ...app.queues, ...restored.queues }, lostImages, restored };
}

/** A message may be empty after its images were lost. */
function saysSomething({ text, files, images }: WholeMessage): boolean {
  return text.trim() !== '' || files.length > 0 || images.length > 0;
}

/** An unreadable layout must not prevent the start. */
export function readLayout(backend: Backend): Promise<WindowLayout | null> {
  return backend.rpc('window_layout', nothing).catch(() => null);
}

export function withLayout(app: AppState, layout: WindowLayout | null): AppState {
  if (!layout) return app;
  const { list_folded, list_width, panel_open, panel_width, zoom, keys, chosen } = layout;
  return {
    ...app,
    zoom: zoom === 0 ? app.zoom : zoom,
    list: { ...app.list, folded: list_folded, width: list_width === 0 ? app.list.width : clampWidth('list', list_width) },
    panel: { ...app.panel, open: panel_open, width: panel_width === 0 ? app.panel.width : clampWidth('panel', panel_width) },
    recentlyChosen: chosen,
    keys: Object.fromEntries(Object.entries(keys).flatMap(([action, key]) => (key === undefined ? [] : [[action, key]]))),
  };
}

export function layoutOf({ list, panel, zoom, keys, recentlyChosen }: AppState): WindowLayout {
  return { list_folded: list.folded, list_width: list.width, panel_open: panel.open, panel_width: panel.width, zoom, keys: { ...keys }, chosen: [...recentlyChosen] };
}

export function layoutChanged(before: AppState, after: AppState): boolean {
  return (
    before.list.folded !== after.list.folded ||
    before.list.width !== after.list.width ||
    before.panel.open !== after.panel.open ||
    before.panel.width !== after.panel.width ||
    before.zoom !== after.zoom ||
    before.keys !== after.keys ||
    before.recentlyChosen !== after.recentlyChosen
  );
}
