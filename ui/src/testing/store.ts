import { vi } from 'vitest';

import { createStore } from '../state/store';
import { FakeBackend } from './fake-backend';
import { sampleWorld } from './sample';

/** A store on the scripted backend, not started. */
export function storeOnSample(flushEvery = 0) {
  const backend = new FakeBackend(sampleWorld());
  const subscribe = vi.spyOn(backend, 'subscribe');
  const store = createStore(backend, { flushEvery });
  return { backend, store, subscribe, actions: store.actions };
}
