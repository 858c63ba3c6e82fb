import { healthOf, healthText, Icon, LinkButton, Menu, modelName, placeIn, placeOf, useOnline, type MenuGroup } from '../shared';
import { modelInUse } from '../state/app';
import { useActions, useApp, useRpc } from '../state/hooks';
import { nothing, type ProviderHealth, type ProviderRow } from '../ipc';

/** Which model answers, and whether it runs on this machine. */
export function ModelMenu() {
  const model = useApp(modelInUse);
  const revision = useApp((app) => app.revisions.providers);
  const { data, error } = useRpc('list_providers', nothing, revision);
  const health = useApp((app) => app.health);
  const { setModel, show } = useActions();
  const providers = data ?? [];
  const used = model === null ? null : placeIn(providers, model);
  const remote = used !== null && !used.local;
  const online = useOnline();
  const choose = (chosen: string) => void setModel(chosen);

  return (
    <Menu
      groups={[...favourites(providers, model, choose), ...groups(providers, model, choose, health, online)]}
      footer={
        error ? (
          error.message
        ) : (
          <LinkButton onClick={() => show({ kind: 'settings', page: 'models' })}>Models and what they may read</LinkButton>
        )
      }
    >
      <button
        type="button"
        data-testid="model-menu"
        aria-label={model ? `Model: ${modelName(model)}, ${remote ? `remote, ${used.host}${online ? '' : ', offline'}` : 'on this machine'}` : 'No model'}
        className="flex h-7 min-w-0 items-center gap-2 rounded-control px-2 text-ui text-fg-2 hover:bg-hover data-[state=open]:bg-selected"
      >
        <Icon name={model === null ? 'queued' : remote ? 'cloud' : 'laptop'} className={remote ? 'text-warn' : ''} />
        <span className="cut max-w-48 font-medium">{model ? modelName(model) : 'No model'}</span>
        {remote && !online && <span className="shrink-0 text-small text-warn">offline</span>}
        <Icon name="chevron-down" size={12} />
      </button>
    </Menu>
  );
}

function noteOf(provider: ProviderRow, model: string): { note?: string } {
  if (provider.without_tools.includes(model)) return { note: 'cannot call tools' };
  const { local, host, agreed } = placeOf(provider, model);
  const elsewhere = provider.local && !local ? `at ${host}` : '';
  const note = [elsewhere, agreed ? '' : 'asks before it sends'].filter((part) => part !== '').join(', ');
  return note === '' ? {} : { note };
}

function favourites(providers: readonly ProviderRow[], model: string | null, choose: (model: string) => void): MenuGroup[] {
  const items = providers.flatMap((provider) =>
    provider.favourites.map((name) => ({
      ...itemOf(provider, name, model, choose),
      icon: 'star' as const,
      label: `${name}, ${provider.id}`,
    })),
  );
  return items.length === 0 ? [] : [{ heading: 'Favourites', items }];
}

function groups(
  providers: readonly ProviderRow[],
  model: string | null,
  choose: (model: string) => void,
  told: Readonly<Record<string, ProviderHealth>>,
  online: boolean,
): MenuGroup[] {
  return providers.map((provider) => {
    const health = healthOf(provider, told);
    const ill = health && health.state !== 'answered';
    return {
      heading: (
        <span className="flex items-center gap-1.5">
          <Icon name={provider.local ? 'laptop' : 'cloud'} size={12} className={provider.local ? '' : 'text-warn'} />
          {provider.id}, {provider.local ? 'on this machine' : provider.host}
          {!online && !provider.local ? (
            <span className="text-warn">offline</span>
          ) : (
            health && <span className={ill ? 'text-danger' : ''}>{healthText(health)}</span>
          )}
        </span>
      ),
      items:
        provider.models.length === 0
          ? [{ label: provider.problem?.message ?? 'No models', onSelect: () => {}, disabled: true }]
          : provider.models.map((name) => itemOf(provider, name, model, choose)),
    };
  });
}

function itemOf(provider: ProviderRow, name: string, model: string | null, choose: (model: string) => void) {
  return {
    label: name,
    checked: model === `${provider.id}/${name}`,
    onSelect: () => choose(`${provider.id}/${name}`),
    disabled: provider.without_tools.includes(name),
    ...noteOf(provider, name),
  };
}
