// Providers and models: whether notes may be sent there, and whether there is a key.

import { useState, type ReactNode } from 'react';

import { nothing, useBackend, userError, type ProviderRow, type UserError } from '../ipc';
import {
  Badge,
  Button,
  Empty,
  ErrorBox,
  Icon,
  IconButton,
  LinkButton,
  Loading,
  NewProviderFields,
  healthOf,
  isInUse,
  isMeant,
  healthText,
  placeOf,
  priceOf,
  priceText,
  useProviderEntry,
} from '../shared';
import { listKeys } from '../shared/list-keys';
import { CredentialForm, PassphraseForm, wantsPassphrase } from '../shared/SecretForm';
import { useActions, useApp, useRpc } from '../state/hooks';

export function ModelsPage() {
  const revision = useApp(({ revisions }) => revisions.providers);
  const { data, error, loading, reload } = useRpc('list_providers', nothing, revision);
  const backend = useBackend();
  const { providersChanged } = useActions();
  const [adding, setAdding] = useState(false);
  const [looking, setLooking] = useState(false);
  const lookAgain = async () => {
    setLooking(true);
    // The list itself shows errors.
    await backend.rpc('list_providers', { again: true }).catch(() => null);
    setLooking(false);
    providersChanged();
  };
  return (
    <section aria-label="Models" className="flex min-w-0 flex-1 flex-col">
      <header className="flex h-12 shrink-0 items-center gap-2.5 border-b border-line px-4">
        <h1 className="text-body font-semibold">Models</h1>
        <span className="flex-1" />
        <Button icon="plus" size="s" onClick={() => setAdding(true)} disabled={adding} data-testid="provider-add">
          Add a provider
        </Button>
        <Button icon="refresh" size="s" onClick={() => void lookAgain()} disabled={looking}>
          {looking ? 'Refreshing…' : 'Refresh'}
        </Button>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto p-4">
        <div className="flex max-w-180 flex-col gap-3">
          <p className="text-ui text-fg-2">
            A local model answers on this machine. For a remote one, your messages and the notes it reads go to its
            host; Nova asks once before the first message.
          </p>
          {adding && (
            <AddProvider
              onClose={() => setAdding(false)}
              onAdded={() => {
                setAdding(false);
                providersChanged();
              }}
            />
          )}
          {error && <ErrorBox error={error} actions={<LinkButton onClick={reload}>Try again</LinkButton>} />}
          {data?.map((provider) => (
            <Provider key={provider.id} provider={provider} />
          ))}
          {!data && loading && <Loading lines={3} />}
          {data?.length === 0 && (
            <Empty action={<Button onClick={reload}>Refresh</Button>}>
              No models yet. Start a model server such as Ollama on this machine, or add a provider with a key.
            </Empty>
          )}
        </div>
      </div>
    </section>
  );
}

/** A new provider is tested before anything is stored. */
function AddProvider({ onClose, onAdded }: { onClose: () => void; onAdded: () => void }) {
  const backend = useBackend();
  const value = useProviderEntry();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<UserError | null>(null);
  const save = async () => {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    try {
      // The check also reports missing entries and key errors.
      if (!(value.checked ?? (await value.check())) || !value.provider) return;
      await backend.rpc('add_provider', value.provider);
      onAdded();
    } catch (thrown) {
      setProblem(userError(thrown));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section
      aria-label="Add a provider"
      data-testid="provider-adding"
      className="flex flex-col gap-3 rounded-card border border-line px-3.5 py-3"
    >
      <h2 className="text-ui font-semibold">Add a provider</h2>
      <NewProviderFields value={value} onEnter={() => void save()} />
      {problem &&
        (wantsPassphrase(problem) ? (
          <PassphraseForm problem={problem} onOpen={() => void save()} />
        ) : (
          <ErrorBox error={problem} />
        ))}
      <div className="flex items-center gap-2">
        <Button size="s" variant="primary" disabled={busy} onClick={() => void save()} data-testid="provider-keep">
          {busy ? 'Checking…' : 'Check and save'}
        </Button>
        <Button size="s" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </section>
  );
}

function Provider({ provider }: { provider: ProviderRow }) {
  const { agreeProvider, revokeProvider, providersChanged } = useActions();
  const reported = useApp((app) => app.health);
  const health = healthOf(provider, reported);
  const [problem, setProblem] = useState<UserError | null>(null);
  const attempt = (work: Promise<void>) => {
    setProblem(null);
    work.catch((thrown: unknown) => setProblem(userError(thrown)));
  };
  // A key error is shown beside its remedy.
  const saidBelow = ['credential_needed', 'credential_not_granted'].includes(provider.problem?.code ?? '');
  const shown = problem ?? (saidBelow ? null : provider.problem);
  const elsewhere = hostsOf(provider);
  const consentTo = (host: string | null, agreed: boolean): ConsentProps => ({
    host,
    agreed,
    onAgree: (to) => attempt(agreeProvider(provider.id, to)),
    onRevoke: (from) => attempt(revokeProvider(provider.id, from)),
  });
  return (
    <article
      aria-label={provider.id}
      data-testid="provider-row"
      data-provider={provider.id}
      className="rounded-card border border-line"
    >
      <header className="flex flex-wrap items-center gap-x-2.5 gap-y-1 px-3.5 py-2.5">
        <Icon name={provider.local ? 'laptop' : 'cloud'} className={provider.local ? 'text-fg-2' : 'text-warn'} />
        <h2 className="text-ui font-semibold">{provider.id}</h2>
        <span className="selectable text-small text-fg-3">{provider.host}</span>
        {health && (
          <span className={`text-small ${health.state === 'answered' ? 'text-fg-3' : 'text-danger'}`}>{healthText(health)}</span>
        )}
        <span className="flex-1" />
        {provider.local && elsewhere.length > 0 ? (
          <Badge tone="warn" icon="cloud">
            some models run elsewhere
          </Badge>
        ) : provider.local && provider.problem ? (
          // The location of its models is unknown until it responds.
          <Badge tone="danger" icon="failed">
            {provider.problem.code === 'provider_unreachable' || provider.problem.code === 'provider_timeout' ? 'does not answer' : 'has a problem'}
          </Badge>
        ) : (
          <Consent {...consentTo(provider.local ? null : provider.host, provider.agreed)} />
        )}
      </header>
      {elsewhere.length > 0 && (
        <ul aria-label={`Hosts that ${provider.id} passes models on to`} className="flex flex-col gap-2 px-3.5 pb-3">
          {elsewhere.map(({ host, agreed, models }) => (
            <li key={host} data-host={host} className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-small">
              <span className="selectable min-w-0 flex-1 break-words text-fg-2">
                <span className="font-mono">{models.join(', ')}</span> {models.length === 1 ? 'runs' : 'run'} at {host}
              </span>
              <Consent {...consentTo(host, agreed)} />
            </li>
          ))}
        </ul>
      )}
      {shown && (
        <div className="px-3.5 pb-3">
          <ErrorBox error={shown} />
        </div>
      )}
      <Key provider={provider} onChange={providersChanged} />
      {provider.models.length > 0 && <ModelList provider={provider} onProblem={setProblem} />}
    </article>
  );
}

/** The state of the key; nothing if all is well, or if none is needed. */
function Key({ provider, onChange }: { provider: ProviderRow; onChange: () => void }) {
  const backend = useBackend();
  const [typing, setTyping] = useState(false);
  const [problem, setProblem] = useState<UserError | null>(null);
  const { credential, state } = provider.key;
  const allow = async () => {
    setProblem(null);
    try {
      await backend.rpc('grant_credential', { name: credential, to: `provider:${provider.id}` });
      onChange();
    } catch (thrown) {
      setProblem(userError(thrown));
    }
  };
  const said = {
    granted: null,
    environment: null,
    not_granted: `The key ${credential} is stored, but not allowed for ${provider.id} at ${provider.host}.`,
    missing: `${provider.id} has no key: ${credential} is missing.`,
    none: provider.local ? null : `${provider.id} has no key.`,
    unknown: `Unknown whether a key is stored.`,
  }[state];
  if (said === null) return null;
  return (
    <div className="flex flex-col gap-2 px-3.5 pb-3 text-small" data-testid="provider-key" data-state={state}>
      <p className="flex items-center gap-2 text-fg-2">
        <Icon name="key" size={14} className="text-warn" />
        <span className="min-w-0 flex-1 break-words">{said}</span>
        {state === 'not_granted' && (
          <Button size="s" onClick={() => void allow()} data-testid="provider-key-allow">
            Allow it for {provider.host}
          </Button>
        )}
        {(state === 'missing' || state === 'none') && !typing && (
          <Button size="s" onClick={() => setTyping(true)} data-testid="provider-key-set">
            Set the key
          </Button>
        )}
      </p>
      {problem && <ErrorBox error={problem} />}
      {typing && (
        <CredentialForm
          name={credential}
          grantTo={`provider:${provider.id}`}
          onClose={() => setTyping(false)}
          onKept={() => {
            setTyping(false);
            onChange();
          }}
        />
      )}
    </div>
  );
}

interface ElsewhereHost {
  readonly host: string;
  readonly agreed: boolean;
  readonly models: readonly string[];
}

/** Hosts to which a local server passes models on, in order of the models. */
function hostsOf({ passed_on: passedOn = [] }: ProviderRow): ElsewhereHost[] {
  const hosts = [...new Set(passedOn.map(({ host }) => host))];
  return hosts.map((host) => {
    const there = passedOn.filter((one) => one.host === host);
    return { host, agreed: there.every(({ agreed }) => agreed), models: there.map(({ model }) => model) };
  });
}

interface ConsentProps {
  /** Null for this machine. */
  readonly host: string | null;
  readonly agreed: boolean;
  readonly onAgree: (host: string) => void;
  readonly onRevoke: (host: string) => void;
}

function Consent({ host, agreed, onAgree, onRevoke }: ConsentProps): ReactNode {
  if (host === null)
    return (
      <Badge tone="ok" icon="check">
        stays on this machine
      </Badge>
    );
  return agreed ? (
    <>
      <Badge tone="warn" icon="cloud">
        notes may go to {host}
      </Badge>
      <Button size="s" onClick={() => onRevoke(host)} data-testid="provider-revoke">
        Stop sending
      </Button>
    </>
  ) : (
    <>
      <Badge>nothing is sent</Badge>
      <Button size="s" onClick={() => onAgree(host)} data-testid="provider-agree">
        Allow notes to go to {host}
      </Button>
    </>
  );
}

function ModelList({ provider, onProblem }: { provider: ProviderRow; onProblem: (problem: UserError | null) => void }) {
  const backend = useBackend();
  const chosen = useApp(({ status }) => status?.model ?? null);
  const { providersChanged, start } = useActions();
  const mark = async (model: string, favourite: boolean) => {
    onProblem(null);
    try {
      await backend.rpc('set_favourite', { model, favourite });
      providersChanged();
    } catch (thrown) {
      onProblem(userError(thrown));
    }
  };
  const choose = async (model: string) => {
    onProblem(null);
    try {
      await backend.rpc('set_model', { session: null, model });
      await start();
    } catch (thrown) {
      onProblem(userError(thrown));
    }
  };
  return (
    <ul data-list onKeyDown={listKeys} className="border-t border-line py-1" aria-label={`Models of ${provider.id}`}>
      {provider.models.map((name) => {
        const model = `${provider.id}/${name}`;
        const marked = provider.favourites.find((known) => isMeant(provider.models, name, known));
        const price = priceOf(provider, name);
        return (
          <li key={name} data-model={model} data-list-item className="flex h-8 items-center gap-2.5 px-3.5 text-small">
            <IconButton
              icon="star"
              label={marked !== undefined ? `Remove ${name} from favourites` : `Add ${name} to favourites`}
              pressed={marked !== undefined}
              onClick={() => void mark(`${provider.id}/${marked ?? name}`, marked === undefined)}
            />
            <span className="selectable cut flex-1 font-mono">{name}</span>
            {price && <span className="tabular text-fg-3">{priceText(price)}</span>}
            {provider.local && placeOf(provider, name).where === 'elsewhere' && (
              <span className="flex items-center gap-1.5 text-warn">
                <Icon name="cloud" size={12} />
                at {placeOf(provider, name).host}
              </span>
            )}
            {provider.without_tools.includes(name) && <span className="text-fg-3">cannot call tools</span>}
            {isInUse(provider, name, chosen) ? (
              <span className="flex items-center gap-1.5 text-fg-2">
                <Icon name="check" size={12} className="text-ok" />
                used for new chats
              </span>
            ) : (
              <LinkButton onClick={() => void choose(model)}>Use for new chats</LinkButton>
            )}
          </li>
        );
      })}
    </ul>
  );
}
