import { type AppState, widePanel } from './app';
import { asks } from './asking';

/** The chat to show for its question: the open one if it is hidden, else the next one that asks. */
export function nextAsking(app: AppState): string | null {
  const known = new Set(app.sessions.map(({ id }) => id));
  const chats = Object.keys(app.asking).filter((id) => known.has(id));
  const { open } = app;
  if (open === null || !asks(app, open)) return chats[0] ?? null;
  const inView = app.view.kind === 'chat' && widePanel(app) === null;
  return inView ? (chats[(chats.indexOf(open) + 1) % chats.length] ?? open) : open;
}
