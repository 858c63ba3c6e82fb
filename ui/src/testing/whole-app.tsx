import { act } from '@testing-library/react';
import userEvent from '@testing-library/user-event';

import { App } from '../App';
import { FakeBackend, type World } from './fake-backend';
import { renderInApp } from './render';
import { sampleNow, sampleWorld } from './sample';

/** Shows the whole page on a scripted backend, after the start. */
export async function showApp(change: (world: World) => void = () => {}) {
  const world = sampleWorld();
  change(world);
  const rendered = renderInApp(<App now={() => sampleNow} />, { backend: new FakeBackend(world) });
  await act(() => rendered.store.actions.start());
  return { ...rendered, user: userEvent.setup(), app: () => rendered.store.get().app };
}

/** Opens a chat of the sample. */
export const openChat = async (rendered: Awaited<ReturnType<typeof showApp>>, session = 'harborline') =>
  act(() => rendered.store.actions.openSession(session));
