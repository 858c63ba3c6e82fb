import { nothing } from '../../ipc';
import { useApp, useRpc } from '../../state/hooks';
import { Select } from '../../shared/Select';

interface ModelSelectProps {
  /** `provider/model`; '' for the default one. */
  readonly chosen: string;
  readonly onChoose: (model: string) => void;
}

export function ModelSelect({ chosen, onChoose }: ModelSelectProps) {
  const revision = useApp(({ revisions }) => revisions.providers);
  const usual = useApp(({ status }) => status?.model ?? null);
  const providers = useRpc('list_providers', nothing, revision).data ?? [];
  const all = providers.flatMap(({ id, models }) => models.map((model) => `${id}/${model}`));
  return (
    <Select label="Model" value={chosen} onChange={onChoose} className="w-64">
      <option value="">{usual === null ? 'Default' : `Default, now ${usual}`}</option>
      {/* Its provider may not answer now. */}
      {chosen !== '' && !all.includes(chosen) && <option value={chosen}>{chosen}</option>}
      {providers
        .filter(({ models }) => models.length > 0)
        .map(({ id, local, host, models }) => (
          <optgroup key={id} label={local ? `${id}, on this machine` : `${id}, ${host}`}>
            {models.map((model) => (
              <option key={model} value={`${id}/${model}`}>
                {model}
              </option>
            ))}
          </optgroup>
        ))}
    </Select>
  );
}
