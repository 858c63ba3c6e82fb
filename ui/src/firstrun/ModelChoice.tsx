import { useId } from 'react';

import { Badge, Icon, LinkButton, NewProviderFields, providerName, type ProviderEntry } from '../shared';
import { checkedOffers, type ModelChosen, type ModelOffer } from './choices';
import { Option, Options } from './Option';

interface ModelChoiceProps {
  readonly models: readonly ModelOffer[];
  readonly chosen: ModelChosen;
  readonly adding: ProviderEntry;
  /** The addresses that were scanned for local servers. */
  readonly lookedAt: readonly string[];
  readonly onChoose: (chosen: ModelChosen) => void;
  readonly onLookAgain: () => void;
}

/** A local model, one of a configured provider, one of a new provider, or none. */
export function ModelChoice({ models, chosen, adding, lookedAt, onChoose, onLookAgain }: ModelChoiceProps) {
  const pick = (model: string) => onChoose({ kind: 'model', model });
  const isChosen = (offer: ModelOffer) => chosen.kind === 'model' && chosen.model === offer.id;
  const local = models.filter((model) => model.local);
  const remote = models.filter((model) => !model.local);
  const here = local.find(isChosen) ?? local.find(({ tools }) => tools) ?? local[0];
  const there = remote.find(isChosen) ?? remote.find(({ tools }) => tools) ?? remote[0];
  const found = [...new Set(local.map(({ provider }) => providerName(provider)))];
  const offered = adding.provider && adding.checked ? checkedOffers(adding.provider, adding.checked) : [];
  const added = offered.find(({ id }) => chosen.kind === 'new' && id === chosen.model) ?? offered.find(({ tools }) => tools);
  return (
    <Options label="Which model?">
      {here && (
        <Option
          name="model"
          checked={isChosen(here)}
          disabled={!here.tools}
          onChoose={() => pick(here.id)}
          title={`On this machine: ${here.name}`}
          note={
            here.tools ? (
              <>
                No key, no account.{local.length > 1 && ' Model: '}
                {local.length > 1 && <Pick label="Model on this machine" models={local} chosen={here.id} onChoose={pick} />}
              </>
            ) : (
              <>
                It cannot call tools, which Nova needs. Load a model that can, such as qwen3.{' '}
                <LinkButton onClick={onLookAgain}>Refresh</LinkButton>
              </>
            )
          }
          aside={
            <Badge tone="ok" icon="check">
              {found.join(' and ')} found
            </Badge>
          }
          testId="first-run-local"
        />
      )}
      {there && (
        <Option
          name="model"
          checked={isChosen(there)}
          onChoose={() => pick(there.id)}
          title={`A cloud model: ${there.name}`}
          note={
            <>
              {there.host}. Nova asks before the first message.{' '}
              {remote.length > 1 && <Pick label="Cloud model" models={remote} chosen={there.id} onChoose={pick} />}
            </>
          }
          testId="first-run-cloud"
        />
      )}
      <Option
        name="model"
        checked={chosen.kind === 'new'}
        onChoose={() => onChoose({ kind: 'new', model: added?.id ?? null })}
        title={there ? 'Another cloud model' : 'A cloud model'}
        note={
          added ? (
            <>
              Model:{' '}
              <Pick
                label="Model of the new provider"
                models={offered}
                chosen={added.id}
                onChoose={(model) => onChoose({ kind: 'new', model })}
              />
            </>
          ) : null
        }
        testId="first-run-new"
      >
        <div onFocus={() => chosen.kind !== 'new' && onChoose({ kind: 'new', model: added?.id ?? null })}>
          <NewProviderFields value={adding} checkLabel="Check" />
        </div>
      </Option>
      <Option
        name="model"
        checked={chosen.kind === 'none'}
        onChoose={() => onChoose({ kind: 'none' })}
        title="Continue without a model"
        note={
          <>
            Every tool can be run through a form. Add a model whenever you like.
            {!here && lookedAt.length > 0 && (
              <>
                {' '}
                No model server answered at {lookedAt.join(', ')}. <LinkButton onClick={onLookAgain}>Refresh</LinkButton>
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
          <option key={model.id} value={model.id} disabled={!model.tools}>
            {providers.size > 1 ? `${providerName(model.provider)}: ${model.name}` : model.name}
            {!model.tools && ' (cannot call tools)'}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" size={12} className="pointer-events-none absolute right-0" />
    </span>
  );
}
