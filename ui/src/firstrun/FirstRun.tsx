// The first start: which notes, which model, and what is sent elsewhere. Nothing is written before Open Nova.

import { useId, useState, type ReactNode } from 'react';

import {
  nothing,
  useBackend,
  userError,
  type FirstRunOptions,
  type NewProvider,
  type ProviderRow,
  type UserError,
} from '../ipc';
import { Button, ErrorBox, Icon, LinkButton, Loading, useProviderEntry, type ProviderEntry } from '../shared';
import { PassphraseForm, wantsPassphrase } from '../shared/SecretForm';
import { useActions, useRpc } from '../state/hooks';
import {
  checkedOffers,
  firstNotes,
  foundFolders,
  modelOffers,
  openChoice,
  type Folder,
  type ModelChosen,
  type ModelOffer,
  type NotesChoice,
} from './choices';
import { ModelChoice } from './ModelChoice';
import { NotesChoices } from './NotesChoices';
import { WhatLeaves } from './WhatLeaves';

export function FirstRun() {
  const options = useRpc('first_run_options', nothing);
  const providers = useRpc('list_providers', nothing);
  // Providers are optional here: without them the page continues.
  const known = providers.data ?? (providers.error ? [] : null);
  return (
    <main className="h-full overflow-y-auto bg-surface" data-testid="first-run">
      {options.data && known ? (
        <Choices options={options.data} providers={known} onLookAgain={options.reload} />
      ) : (
        <div className="mx-auto max-w-155 p-12">
          {options.error ? (
            <ErrorBox error={options.error} actions={<LinkButton onClick={options.reload}>Try again</LinkButton>} />
          ) : (
            <Loading lines={4} label="Looking for your notes" />
          )}
        </div>
      )}
    </main>
  );
}

interface ChoicesProps {
  readonly options: FirstRunOptions;
  readonly providers: readonly ProviderRow[];
  readonly onLookAgain: () => void;
}

function Choices({ options, providers, onLookAgain }: ChoicesProps) {
  const backend = useBackend();
  const { openVault } = useActions();
  const id = useId();
  const [chosenNotes, setNotes] = useState<NotesChoice | null>(null);
  const [chosenModel, setModel] = useState<ModelChosen | null>(null);
  const adding = useProviderEntry();
  const [picked, setPicked] = useState<Folder | null>(null);
  const [opening, setOpening] = useState(false);
  const [problem, setProblem] = useState<UserError | null>(null);

  const folders = [...(picked ? [picked] : []), ...foundFolders(options).filter(({ path }) => path !== picked?.path)];
  const notes = chosenNotes ?? firstNotes(options);
  const models = modelOffers(options, providers);
  const firstLocal = models.find(({ local, tools }) => local && tools);
  // A local model is chosen by default; a remote one never.
  const model: ModelChosen = chosenModel ?? (firstLocal ? { kind: 'model', model: firstLocal.id } : { kind: 'none' });
  const modelOffer = model.kind === 'new' ? addedOffer(adding, model.model) : models.find((one) => model.kind === 'model' && one.id === model.model);

  const pick = async () => {
    setProblem(null);
    try {
      const { path, shown, notes: found } = await backend.rpc('pick_folder', nothing);
      if (path === null) return;
      setPicked({ path, shown: shown ?? path, notes: found, found: false });
      setNotes({ kind: 'folder', path });
    } catch (thrown) {
      setProblem(userError(thrown));
    }
  };
  const open = async () => {
    if (opening) return;
    setOpening(true);
    setProblem(null);
    try {
      let modelId = model.kind === 'model' ? model.model : null;
      let provider: NewProvider | null = null;
      if (model.kind === 'new') {
        const checked = adding.checked ?? (await adding.check());
        provider = adding.provider;
        // The error is shown beside the key.
        if (!checked || !provider) return setOpening(false);
        const offers = checkedOffers(provider, checked);
        modelId = (offers.find((one) => one.id === model.model) ?? offers.find(({ tools }) => tools))?.id ?? null;
      }
      await openVault(openChoice(notes, modelId, provider));
    } catch (thrown) {
      setProblem(userError(thrown));
      setOpening(false);
    }
  };

  return (
    <div className="flex min-h-full">
      <div className="flex min-w-0 flex-1 justify-center px-6 py-20 max-medium:pt-5 max-medium:pb-0 short:pt-5 short:pb-0">
        <div className="w-full max-w-155">
          <form
            id={id}
            onSubmit={(event) => {
              event.preventDefault();
              void open();
            }}
          >
          <p className="flex items-center gap-2.5 text-ui font-medium">
            <Icon name="nova" className="text-accent" />
            Nova
          </p>
          <h1 className="mt-2 text-display font-semibold">Chat with the notes you already own</h1>
          <p className="mt-1.5 text-body text-fg-2">Two choices. Both can be changed later in Settings.</p>

          <Step number={1} title="Which notes?">
            <NotesChoices
              folders={folders}
              chosen={notes}
              sampleTarget={options.sample_target}
              sampleNotes={options.sample_notes}
              onChoose={setNotes}
              onPick={() => void pick()}
            />
          </Step>
          <Step number={2} title="Which model?">
            <ModelChoice
              models={models}
              chosen={model}
              adding={adding}
              lookedAt={options.looked_at}
              onChoose={setModel}
              onLookAgain={onLookAgain}
            />
          </Step>
          </form>

          <div className="sticky bottom-0 z-20 mt-6 bg-surface pb-5 pl-9 max-medium:mt-2 max-medium:py-2 max-medium:pl-0">
            {problem && (
              <div className="mb-3">
                {wantsPassphrase(problem) ? (
                  <PassphraseForm problem={problem} onOpen={() => void open()} />
                ) : (
                  <ErrorBox error={problem} />
                )}
              </div>
            )}
            <p className="flex items-center gap-4">
              <Button type="submit" form={id} variant="primary" size="l" keys="↵" disabled={opening} data-testid="first-run-open">
                {opening ? 'Opening…' : 'Open Nova'}
              </Button>
              <span className="text-small text-fg-3">Obsidian can stay open beside it.</span>
            </p>
          </div>
        </div>
      </div>
      <WhatLeaves notes={notes} model={modelOffer ?? null} />
    </div>
  );
}

/** The destination of messages with the provider being added, even before its test. */
function addedOffer({ provider, checked, entry, host }: ProviderEntry, model: string | null): ModelOffer {
  const offers = provider && checked ? checkedOffers(provider, checked) : [];
  const known = offers.find(({ id }) => id === model) ?? offers.find(({ tools }) => tools);
  const id = provider?.id ?? (entry.which || 'the provider');
  return known ?? { id, name: 'The model', provider: id, host: host || 'its host', local: false, through: null, tools: true };
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <section className="mt-7 first:mt-0 max-medium:mt-3.5" aria-label={title}>
      <h2 className="flex items-center gap-3.5 text-body font-semibold">
        <span
          aria-hidden="true"
          className="flex size-5.5 items-center justify-center rounded-full border border-line-strong text-small font-normal text-fg-2 max-medium:hidden"
        >
          {number}
        </span>
        {title}
      </h2>
      <div className="mt-2.5 pl-9 max-medium:mt-1.5 max-medium:pl-0">{children}</div>
    </section>
  );
}
