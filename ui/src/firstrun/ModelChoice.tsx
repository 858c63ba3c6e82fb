import { useId } from 'react';

import { Badge, Icon, LinkButton } from '../shared';
import { providerName, type ModelOffer } from './choices';
import { Option, Options } from './Option';

interface ModelChoiceProps {
  readonly models: readonly ModelOffer[];
  /** `provider/model`, or none. */
  readonly chosen: string | null;
  readonly looksForServer: boolean;
  /** Where a server on this machine was looked for. */
  readonly lookedAt: string;
  readonly onChoose: (model: string | null) => void;
  readonly onLookAgain: () => void;
}

/** A model on this machine, one of a provider that is set up, or none. */
export function ModelChoice({ models, chosen, looksForServer, lookedAt, onChoose, onLookAgain }: ModelChoiceProps) {
  const local = models.filter((model) => model.local);
  const remote = models.filter((model) => !model.local);
  const here = local.find(({ id }) => id === chosen) ?? local[0];
  const there = remote.find(({ id }) => id === chosen) ?? remote[0];
  return (
    <Options label="Which model?">
      {here && (
        <Option
          name="model"
          checked={here.id === chosen}
          onChoose={() => onChoose(here.id)}
          title={`On this machine: ${here.name}`}
          note={
            <>
              No key, no account.{local.length > 1 && ' Model: '}
              {local.length > 1 && (
                <Pick label="Model on this machine" models={local} chosen={here.id} onChoose={onChoose} />
              )}
            </>
          }
          aside={
            <Badge tone="ok" icon="check">
              {providerName(here.provider)} found
            </Badge>
          }
          testId="first-run-local"
        />
      )}
      {there && (
        <Option
          name="model"
          checked={there.id === chosen}
          onChoose={() => onChoose(there.id)}
          title={`A cloud model: ${there.name}`}
          note={
            <>
              {there.host}. Nova asks before the first message.{' '}
              {remote.length > 1 && <Pick label="Cloud model" models={remote} chosen={there.id} onChoose={onChoose} />}
            </>
          }
          testId="first-run-cloud"
        />
      )}
      <Option
        name="model"
        checked={chosen === null}
        onChoose={() => onChoose(null)}
        title="Go on without a model"
        note={
          <>
            Every tool can be run through a form. Add a model whenever you like.
            {looksForServer && !here && (
              <>
                {' '}
                No model server answered at {lookedAt}. <LinkButton onClick={onLookAgain}>Look again</LinkButton>
              </>
            )}
          </>
        }
        testId="first-run-no-model"
      />
    </Options>
  );
}

interface PickProps {
  readonly label: string;
  readonly models: readonly ModelOffer[];
  readonly chosen: string;
  readonly onChoose: (model: string) => void;
}

function Pick({ label, models, chosen, onChoose }: PickProps) {
  const id = useId();
  const providers = new Set(models.map(({ provider }) => provider));
  return (
    <span className="relative inline-flex items-center text-accent">
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <select
        id={id}
        value={chosen}
        onChange={(event) => onChoose(event.target.value)}
        className="appearance-none rounded-badge bg-transparent pr-4 font-medium"
      >
        {models.map((model) => (
          <option key={model.id} value={model.id}>
            {providers.size > 1 ? `${providerName(model.provider)}: ${model.name}` : model.name}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" size={12} className="pointer-events-none absolute right-0" />
    </span>
  );
}
