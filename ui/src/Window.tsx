import type { ReactNode } from 'react';

import { BackendProvider, type Backend } from './ipc';
import { Tips, ViewBoundary } from './shared';
import { StoreProvider } from './state/hooks';
import type { Store } from './state/store';

/** Providers that everything in the window depends on. */
export function Window({ backend, store, children }: { backend: Backend; store: Store; children: ReactNode }) {
  return (
    <BackendProvider value={backend}>
      <StoreProvider value={store}>
        <ViewBoundary>{children}</ViewBoundary>
        <Tips />
      </StoreProvider>
    </BackendProvider>
  );
}
