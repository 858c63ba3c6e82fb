import { type ContextView, nothing } from '../ipc';
import { costText, counted, healthOf, healthText, modelName, tokens } from '../shared';
import { modelInUse } from '../state/app';
import { useApp, useRpc } from '../state/hooks';
import type { SessionState } from '../state/session';

/** Below the composer: what every request carries, and where the model is. */
export function ActivityLine({ state }: { state: SessionState }) {
  const wanted = useApp((app) => app.status?.appearance.activity_line ?? true);
  const registry = useApp((app) => app.revisions.registry);
  const providersRevision = useApp((app) => app.revisions.providers);
  const model = useApp(modelInUse);
  const skills = useRpc('list_skills', wanted ? nothing : null, registry);
  const providers = useRpc('list_providers', wanted ? nothing : null, providersRevision);

  const catalog = skills.data?.filter((row) => !row.hidden && (row.state === 'active' || row.state === 'available')).length;
  const provider = providers.data?.find((row) => row.id === model?.split('/')[0]);
  const told = useApp((app) => app.health);
  const { usage, context } = state;
  const health = provider ? healthOf(provider, told) : null;
  const name = model?.slice(model.indexOf('/') + 1);
  const cost = usage && provider ? costText(usage, provider.prices.find((price) => price.model === name)) : null;
  // The conversation keeps its place while the figures are read, so the line is there from the start.
  return (
    <p className="flex h-6 items-end gap-3.5 overflow-hidden px-1 text-meta whitespace-nowrap text-fg-3 short:hidden">
      {wanted && catalog !== undefined && <span>{counted(catalog, 'skill')} in the catalog</span>}
      {wanted && <span>{state.skills.length} active</span>}
      {wanted && usage && (
        <span className="tabular" title={context ? partsText(context) : undefined}>
          {tokens(usage.input)}
          {context?.limit != null && ` of ${tokens(context.limit)}`} tokens{usage.input > 0 && `, ${Math.round((usage.cached / usage.input) * 100)} % cached`}
          {cost !== null && `, ${cost}`}
        </span>
      )}
      {provider && model && (
        <span className="ml-auto flex min-w-0 gap-3.5" data-testid="status-model">
          <span className={`cut ${provider.local ? '' : 'text-warn'}`}>
            {provider.local
              ? `${modelName(model)} runs on this machine, at ${provider.host}`
              : `${modelName(model)}: messages and notes go to ${provider.host}`}
          </span>
          {health && (
            <span
              role="status"
              title={health.message ?? undefined}
              className={health.state === 'answered' ? '' : 'text-danger'}
              data-health={health.state}
            >
              {healthText(health)}
            </span>
          )}
        </span>
      )}
    </p>
  );
}

/** What of a request is for what. */
function partsText({ parts }: ContextView): string {
  const { system, skills, history, outputs } = parts;
  return `Every chat ${tokens(system)}, active skills ${tokens(skills)}, messages ${tokens(history)}, tool results ${tokens(outputs)}`;
}
