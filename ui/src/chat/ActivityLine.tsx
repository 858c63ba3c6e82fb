import { Fragment } from 'react';

import { type ContextView, nothing } from '../ipc';
import { costText, counted, Explained, healthOf, healthText, placeText, priceOf, tokens, usePlaceInUse } from '../shared';
import { useApp, useRpc, useSession } from '../state/hooks';

/** Below the composer: what every request carries, and where the model is. */
export function ActivityLine() {
  const wanted = useApp((app) => app.status?.appearance.activity_line ?? true);
  const registry = useApp((app) => app.revisions.registry);
  const { model, providers, place } = usePlaceInUse();
  const skills = useRpc('list_skills', wanted ? nothing : null, registry);

  const catalog = skills.data?.filter((row) => !row.hidden && (row.state === 'active' || row.state === 'available')).length;
  const provider = providers.data?.find((row) => row.id === model?.split('/')[0]);
  const told = useApp((app) => app.health);
  const usage = useSession((state) => state.usage);
  const context = useSession((state) => state.context);
  const active = useSession((state) => state.skills.length);
  const health = provider ? healthOf(provider, told) : null;
  const name = model?.slice(model.indexOf('/') + 1);
  const cost = usage && provider && name !== undefined ? costText(usage, priceOf(provider, name)) : null;
  // The conversation keeps its place while the figures are read, so the line is there from the start.
  return (
    <p className="flex h-6 items-end gap-3.5 overflow-hidden px-1 text-meta whitespace-nowrap text-fg-3 short:hidden">
      {wanted && catalog !== undefined && <span>{counted(catalog, 'skill')} in the catalog</span>}
      {wanted && <span>{active} active</span>}
      {wanted && usage && (
        <Explained more={context ? <Parts context={context} /> : 'What the last request took.'} className="tabular">
          {tokens(usage.input)}
          {context?.limit != null && ` of ${tokens(context.limit)}`} tokens{usage.input > 0 && `, ${Math.round((usage.cached / usage.input) * 100)} % cached`}
          {cost !== null && `, ${cost}`}
        </Explained>
      )}
      {place && model && (
        <span className="ml-auto flex min-w-0 gap-3.5" data-testid="status-model">
          <span className={`cut ${place.where === 'here' ? '' : 'text-warn'}`}>{placeText(model, place)}</span>
          {health && (
            <span role="status" className={health.state === 'answered' ? '' : 'text-danger'} data-health={health.state}>
              {health.message === null ? healthText(health) : <Explained more={health.message}>{healthText(health)}</Explained>}
            </span>
          )}
        </span>
      )}
    </p>
  );
}

/** What of a request is for what. */
function Parts({ context: { parts } }: { context: ContextView }) {
  const rows = [
    ['Every chat', parts.system],
    ['Active skills', parts.skills],
    ['Messages', parts.history],
    ['Tool results', parts.outputs],
  ] as const;
  return (
    <dl data-testid="context-parts" className="grid grid-cols-[auto_auto] gap-x-4">
      {rows.map(([name, count]) => (
        <Fragment key={name}>
          <dt className="text-fg-2">{name}</dt>
          <dd className="tabular text-right">{tokens(count)}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
