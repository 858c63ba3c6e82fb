import { type ContextView, nothing, type ProviderRow } from '../ipc';
import { costText, counted, Explained, healthOf, healthText, modelName, placeText, priceOf, tokens, usePlaceInUse } from '../shared';
import { useApp, useRpc, useSession } from '../state/hooks';
import { lastCounted, type Counted } from '../state/session';

/** Below the composer: the contents of every request, and where the model runs. */
export function ActivityLine() {
  const wanted = useApp((app) => app.status?.appearance.activity_line ?? true);
  const registry = useApp((app) => app.revisions.registry);
  const { model, providers, place } = usePlaceInUse();
  const skills = useRpc('list_skills', wanted ? nothing : null, registry);

  const catalog = skills.data?.filter((row) => !row.hidden && (row.state === 'active' || row.state === 'available')).length;
  const provider = providers.data?.find((row) => row.id === model?.split('/')[0]);
  const reported = useApp((app) => app.health);
  const active = useSession((state) => state.skills.length);
  const health = provider ? healthOf(provider, reported) : null;
  // Always rendered, so that the conversation does not move when the figures arrive.
  return (
    <p className={`flex h-6 items-end gap-3.5 overflow-hidden px-1 text-meta whitespace-nowrap text-fg-3 ${model === null ? 'short:hidden' : ''}`}>
      {wanted && (
        // A low window hides all figures, a narrow one the last ones entirely; the model's location stays.
        <span data-testid="activity-figures" className="flex h-4 min-w-0 shrink-[99] flex-wrap gap-x-3.5 overflow-hidden short:hidden">
          {catalog !== undefined && <span className="shrink-0">{counted(catalog, 'skill')} in the catalog</span>}
          <span className="shrink-0">{active} active</span>
          <LastRequest providers={providers.data ?? []} chosen={model} />
        </span>
      )}
      {place && model && (
        <span className="ml-auto flex min-w-0 gap-3.5" data-testid="status-model">
          <span className={`cut ${place.where === 'here' ? '' : 'text-warn'}`}>{placeText(model, place)}</span>
          {health && (
            <span role="status" className={`shrink-0 ${health.state === 'answered' ? '' : 'text-danger'}`} data-health={health.state}>
              {health.message === null ? healthText(health) : <Explained more={health.message}>{healthText(health)}</Explained>}
            </span>
          )}
        </span>
      )}
    </p>
  );
}

/**
 * The last request's share of its own model's context, and its price with that model, even if another is
 * chosen now.
 */
function LastRequest({ providers, chosen }: { providers: readonly ProviderRow[]; chosen: string | null }) {
  const last = useSession(lastCounted, sameRequest);
  if (last === null) return null;
  const { model, usage, context } = last;
  const provider = providers.find((row) => row.id === model.split('/')[0]);
  const cost = provider ? costText(usage, priceOf(provider, modelName(model))) : null;
  return (
    <Explained more={context ? partsText(context) : 'Tokens of the last request'} className="tabular shrink-0">
      {tokens(usage.input)}
      {context?.limit != null && ` of ${tokens(context.limit)}`} tokens{usage.input > 0 && `, ${Math.round((usage.cached / usage.input) * 100)} % cached`}
      {cost !== null && `, ${cost}`}
      {model !== '' && model !== chosen && `, by ${modelName(model)}`}
    </Explained>
  );
}

function sameRequest(before: Counted | null, now: Counted | null): boolean {
  return before?.usage === now?.usage && before?.context === now?.context && before?.model === now?.model;
}

/** The parts of a request, one per line. */
function partsText({ parts }: ContextView): string {
  return [
    `Every chat: ${tokens(parts.system)}`,
    `Active skills: ${tokens(parts.skills)}`,
    `Messages: ${tokens(parts.history)}`,
    `Tool results: ${tokens(parts.outputs)}`,
  ].join('\n');
}
