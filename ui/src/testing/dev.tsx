// The window on a scripted backend, to look at: dev.html?screen=chat|approval|settings|models|changes|
// appearance|first-run|tool-run|empty|note|problems|interrupted|conflict&theme=dark&open=panel.
// &watching=<text> says how the vault is watched. Part of the dev server only.

import { createRoot } from 'react-dom/client';

import { App } from '../App';
import { Window } from '../Window';
import { createStore } from '../state/store';
import { FakeBackend } from './fake-backend';
import { interruptedSet, sampleNow, sampleWorld } from './sample';
import '../styles/main.css';

const asked = new URLSearchParams(location.search);
const screen = asked.get('screen') ?? 'chat';
const theme = asked.get('theme') === 'dark' ? 'dark' : 'light';

// The sample's day goes on from when the page opened, whatever the day is.
const RealDate = Date;
const opened = RealDate.now();
globalThis.Date = class extends RealDate {
  constructor(...given: unknown[]) {
    super(...((given.length > 0 ? given : [Date.now()]) as [number]));
  }
  static override now() {
    return sampleNow.getTime() + RealDate.now() - opened;
  }
} as DateConstructor;

const world = sampleWorld();
world.status.appearance.theme = theme;
world.status.appearance.text_size = Number(asked.get('text') ?? 14);
if (screen === 'first-run') world.status = { ...world.status, first_run: true, vault: null, model: null };
const watching = asked.get('watching');
if (world.status.vault && watching !== null) world.status.vault.watching = watching;
if (screen === 'interrupted') world.changes.unshift(interruptedSet(41));

const backend = new FakeBackend(world);
if (screen === 'interrupted') {
  // Two notes were edited since; a finish shows both versions of them.
  backend.on('finish_changes', (what) => {
    const result = backend.finish_changes(what);
    const [one = '', other = '', ...finished] = result.finished;
    const conflict = (path: string) => ({ path, what: ['region'], mine: 'region: north\n', theirs: 'region: south\n' });
    return { ...result, finished, conflicts: [conflict(one), conflict(other)] };
  });
}
const store = createStore(backend);

function go() {
  const { actions } = store;
  switch (screen) {
    case 'settings':
    case 'models':
    case 'changes':
    case 'appearance':
      return actions.show({ kind: 'settings', page: screen === 'settings' ? 'skills' : screen });
    case 'tool-run':
      return actions.show({ kind: 'run-tool', tool: asked.get('tool') });
    case 'chat':
    case 'approval':
      if (innerWidth >= 1100 || asked.get('open') === 'panel') actions.setPanel({ open: true });
      return actions.openSession('harborline');
    case 'problems':
      actions.showPanel('problems');
      return actions.openSession('harborline');
    case 'interrupted':
      return actions.openSession('harborline');
    case 'conflict':
      return actions.openSession('harborline').then(() => {
        backend.emit(
          {
            type: 'conflict_found',
            note: 'CRM/Deals/Harborline rollout.md',
            mine: '---\ntype: deal\nstage: won\nvalue: 42000\n---\nSigned by phone.\n',
            theirs: '---\ntype: deal\nstage: proposal\nvalue: 45000\n---\nSigned by phone.\nWaits for the countersigned copy.\n',
          },
          { session: 'harborline' },
        );
      });
    case 'note':
      actions.openNote('Jane Doe');
      return actions.openSession('harborline');
  }
}

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <Window backend={backend} store={store}>
      <App />
    </Window>,
  );
  void store.actions.start().then(go);
}
