// The options of the first start, their defaults, and where each sends data.

import type { CheckedProvider, FirstRunOptions, NewProvider, OpenVault, ProviderRow } from '../ipc';
import { modelName, placeOf } from '../shared';

export type NotesChoice = { readonly kind: 'folder'; readonly path: string } | { readonly kind: 'sample' };

export interface Folder {
  readonly path: string;
  /** For display: "~/Documents/Work vault". */
  readonly shown: string;
  /** Number of Markdown notes, if counted. */
  readonly notes: number | null;
  /** Detected by Nova, or chosen by the user. */
  readonly found: boolean;
}

/** An available model. */
export interface ModelOffer {
  /** `provider/model` */
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  /** The host that runs it. */
  readonly host: string;
  readonly local: boolean;
  /** The local server that passes it on to that host, if any. */
  readonly through: string | null;
  /** False if it is known to lack tool calls, without which chats are impossible. */
  readonly tools: boolean;
}

export type ModelChosen =
  | { readonly kind: 'model'; readonly model: string }
  /** Of a provider being added; the model is known after its test. */
  | { readonly kind: 'new'; readonly model: string | null }
  | { readonly kind: 'none' };

/** Detected vaults, largest first. */
export function foundFolders(options: FirstRunOptions): Folder[] {
  return options.found.map(({ path, shown, notes }) => ({ path, shown, notes, found: true })).toSorted((a, b) => b.notes - a.notes);
}

/** The first detected vault with a note, otherwise the sample. */
export function firstNotes(options: FirstRunOptions): NotesChoice {
  const [best] = foundFolders(options);
  return best && (best.notes ?? 0) > 0 ? { kind: 'folder', path: best.path } : { kind: 'sample' };
}

/** The models of detected local servers, then those of configured providers. */
export function modelOffers(options: FirstRunOptions, providers: readonly ProviderRow[]): ModelOffer[] {
  const local = options.local_models.map((server) => ({ ...server, id: server.provider, local: true }));
  const offers = [...local, ...providers].flatMap((from) =>
    from.models.map((model) => offer(from.id, model, from)),
  );
  return offers.filter((one, at) => offers.findIndex(({ id }) => id === one.id) === at);
}

/** The models of a provider that was just tested. */
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
