import { healthOf, healthText, Icon, isInUse, isMeant, LinkButton, Menu, modelName, type ModelPlace, placeOf, useOnline, usePlaceInUse, type MenuGroup } from '../shared';
import { useActions, useApp } from '../state/hooks';
import { type ProviderHealth, type ProviderRow } from '../ipc';

/** The chat's model, and whether it runs locally. */
export function ModelMenu() {
  const {
    model,
    place,
    providers: { data, error },
  } = usePlaceInUse();
  const health = useApp((app) => app.health);
  const { setModel, show } = useActions();
  const providers = data ?? [];
  const remote = place?.where === 'elsewhere';
  const online = useOnline();
  const choose = (chosen: string) => void setModel(chosen);

  return (
    <Menu
      groups={[...favourites(providers, model, choose, online), ...groups(providers, model, choose, health, online)]}
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
        aria-label={model ? `Model: ${modelName(model)}${placeLabel(place, online)}` : 'No model'}
        className="flex h-7 min-w-0 items-center gap-2 rounded-control px-2 text-ui text-fg-2 hover:bg-hover data-[state=open]:bg-selected"
      >
        <Icon name={place === null ? 'queued' : places[place.where]} className={place === null || place.where === 'here' ? '' : 'text-warn'} />
        <span className="cut max-w-48 font-medium">{model ? modelName(model) : 'No model'}</span>
        {remote && !online && <span className="shrink-0 text-small text-warn">offline</span>}
        <Icon name="chevron-down" size={12} />
      </button>
    </Menu>
  );
}

const places = { here: 'laptop', elsewhere: 'cloud', unknown: 'question' } as const;

/** Null before it is loaded. */
function placeLabel(place: ModelPlace | null, online: boolean): string {
  switch (place?.where) {
    case 'here':
      return ', on this machine';
    case 'elsewhere':
      return `, remote, ${place.host}${online ? '' : ', offline'}`;
    case 'unknown':
      return ', unknown host';
    case undefined:
      return '';
  }
}

function noteOf(provider: ProviderRow, model: string, online: boolean): { note?: string } {
  if (provider.without_tools.includes(model)) return { note: 'cannot call tools' };
  const { where, host, agreed } = placeOf(provider, model);
  const parts = [
    where === 'unknown' && 'unknown host',
    where === 'elsewhere' && provider.local && `at ${host}`,
    where === 'elsewhere' && !online && 'offline',
    !agreed && 'asks before it sends',
  ];
  const note = parts.filter((part) => part !== false).join(', ');
  return note === '' ? {} : { note };
}

function favourites(providers: readonly ProviderRow[], model: string | null, choose: (model: string) => void, online: boolean): MenuGroup[] {
  const items = providers.flatMap((provider) =>
    provider.favourites.map((name) => ({
      // The provider may list it in another spelling.
      ...itemOf(provider, provider.models.find((listed) => isMeant(provider.models, listed, name)) ?? name, model, choose, online),
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
  reported: Readonly<Record<string, ProviderHealth>>,
  online: boolean,
): MenuGroup[] {
  return providers.map((provider) => {
    const health = healthOf(provider, reported);
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
          : provider.models.map((name) => itemOf(provider, name, model, choose, online)),
    };
  });
}

function itemOf(provider: ProviderRow, name: string, model: string | null, choose: (model: string) => void, online: boolean) {
  return {
    label: name,
    checked: isInUse(provider, name, model),
    onSelect: () => choose(`${provider.id}/${name}`),
    disabled: provider.without_tools.includes(name),
    ...noteOf(provider, name, online),
  };
}
