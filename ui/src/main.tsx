import { createRoot } from 'react-dom/client';

import { App } from './App';
import { tauriBackend } from './ipc/tauri';
import { persistChanges } from './state/persistence';
import { createStore } from './state/store';
import './styles/main.css';
import { Window } from './Window';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

const store = createStore(tauriBackend);
// Nothing is saved before the saved state is loaded.
void store.actions.start().finally(() => persistChanges(store, tauriBackend));

createRoot(root).render(
  <Window backend={tauriBackend} store={store}>
    <App />
  </Window>,
);

// For `make bench`: marks the second frame.
requestAnimationFrame(() => requestAnimationFrame(() => performance.mark('second-frame')));
