// What the first start offers, what is chosen before anybody chose, and where things go with each choice.

import type { CheckedProvider, FirstRunOptions, NewProvider, OpenVault, ProviderRow } from '../ipc';
import { modelName, placeOf } from '../shared';

export type NotesChoice = { readonly kind: 'folder'; readonly path: string } | { readonly kind: 'sample' };

export interface Folder {
  readonly path: string;
  /** As a person reads it: "~/Documents/Work vault". */
  readonly shown: string;
  /** Markdown notes in it, where they were counted. */
  readonly notes: number | null;
  /** Found by Nova, or picked by the user. */
  readonly found: boolean;
}

/** A model somebody could answer with. */
export interface ModelOffer {
  /** `provider/model` */
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  /** Where it runs. */
  readonly host: string;
  readonly local: boolean;
  /** The server on this machine that passes it on to that host, where one does. */
  readonly through: string | null;
  /** False where it is said that it cannot call tools: no chat can be had with it. */
  readonly tools: boolean;
}

export type ModelChosen =
  | { readonly kind: 'model'; readonly model: string }
  /** One of a provider that is being added; its model is known once it has answered. */
  | { readonly kind: 'new'; readonly model: string | null }
  | { readonly kind: 'none' };

/** Vaults found here, fullest first. */
export function foundFolders(options: FirstRunOptions): Folder[] {
  return options.found.map(({ path, shown, notes }) => ({ path, shown, notes, found: true })).toSorted((a, b) => b.notes - a.notes);
}

/** A found vault with at least one note, otherwise the sample. */
export function firstNotes(options: FirstRunOptions): NotesChoice {
  const [best] = foundFolders(options);
  return best && (best.notes ?? 0) > 0 ? { kind: 'folder', path: best.path } : { kind: 'sample' };
}

/** The models of the servers found on this machine, then those of providers that are set up already. */
export function modelOffers(options: FirstRunOptions, providers: readonly ProviderRow[]): ModelOffer[] {
  const local = options.local_models.map((server) => ({ ...server, id: server.provider, local: true }));
  const offers = [...local, ...providers].flatMap((from) =>
    from.models.map((model) => offer(from.id, model, from)),
  );
  return offers.filter((one, at) => offers.findIndex(({ id }) => id === one.id) === at);
}

/** The models of a provider that was just tried. */
export function checkedOffers(provider: NewProvider, checked: CheckedProvider): ModelOffer[] {
  return checked.models.map((model) => offer(provider.id, model, checked));
}

export function openChoice(notes: NotesChoice, model: string | null, provider: NewProvider | null): OpenVault {
  const choice: OpenVault = {
    choice: notes.kind === 'sample' ? { kind: 'sample' } : { kind: 'folder', path: notes.path },
    model,
  };
  return provider === null ? choice : { ...choice, provider };
}

function offer(provider: string, model: string, from: From): ModelOffer {
  const id = `${provider}/${model}`;
  const { where, host } = placeOf(from, model);
  const local = where === 'here';
  const through = from.local && !local ? from.host : null;
  return { id, name: modelName(id), provider, host, local, through, tools: !from.without_tools.includes(model) };
}

type From = Pick<CheckedProvider, 'local' | 'host' | 'without_tools' | 'passed_on'>;
