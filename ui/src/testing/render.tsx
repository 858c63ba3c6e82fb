import { render, type RenderResult } from '@testing-library/react';
import type { ReactNode } from 'react';

import { BackendProvider } from '../ipc';
import { Tips } from '../shared';
import type { AppState } from '../state/app';
import { StoreProvider } from '../state/hooks';
import { createStore, type Store } from '../state/store';
import { FakeBackend, type World } from './fake-backend';
import { sampleWorld } from './sample';

/** Renders with the window's backend, store and tooltips. Each event renders at once. */
export function renderInApp(
  children: ReactNode,
  options: { world?: Partial<World>; app?: Partial<AppState>; backend?: FakeBackend } = {},
): RenderResult & { backend: FakeBackend; store: Store } {
  const backend = options.backend ?? new FakeBackend({ ...sampleWorld(), ...options.world });
  const store = createStore(backend, {
    flushEvery: 0,
    initial: { status: backend.world.status, sessions: backend.world.sessions, ...options.app },
  });
  const result = render(
    <BackendProvider value={backend}>
      <StoreProvider value={store}>
        {children}
        <Tips />
      </StoreProvider>
    </BackendProvider>,
  );
  return { ...result, backend, store };
}
