// The location of the open or new chat's model.
import { useEffect } from 'react';

import { nothing } from '../ipc';
import { modelInUse } from '../state/app';
import { useActions, useApp, useRpc, useSession } from '../state/hooks';
import type { Step } from '../state/session';
import { type ModelPlace, placeIn } from './model-facts';

/** `place` is null until the providers are loaded, and if none of them has the model. */
export function usePlaceInUse() {
  const model = useApp(modelInUse);
  const revision = useApp((app) => app.revisions.providers);
  const providers = useRpc('list_providers', nothing, revision);
  const { providersChanged } = useActions();
  const place = model === null ? null : placeIn(providers.data ?? [], model);
  const step = useSession(({ turns }) => (turns.at(-1)?.model === model ? turns.at(-1)?.steps.at(-1) : undefined));

  // A request went elsewhere than listed: its server changed, or only now reports its host.
  const outdated = place !== null && step !== undefined && contradicts(step, place);
  const at = step?.at;
  useEffect(() => {
    if (outdated) providersChanged();
  }, [outdated, at, providersChanged]);
  return { model, providers, place };
}

/** A local request has no host. */
function contradicts({ host }: Step, place: ModelPlace): boolean {
  if (host === undefined) return false;
  return host === null ? place.where !== 'here' : place.where !== 'elsewhere' || place.host !== host;
}
