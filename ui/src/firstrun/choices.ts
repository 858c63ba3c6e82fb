// What the first start offers, what is chosen before anybody chose, and where things go with each choice.

import type { FirstRunOptions, OpenVault, ProviderRow } from '../ipc';
import { modelName } from '../shared';

export type NotesChoice = { readonly kind: 'folder'; readonly path: string } | { readonly kind: 'sample' };

export interface Folder {
  readonly path: string;
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
  readonly host: string;
  readonly local: boolean;
}

/** Vaults found here, fullest first. */
export function foundFolders(options: FirstRunOptions): Folder[] {
  return options.found.map(({ path, notes }) => ({ path, notes, found: true })).toSorted((a, b) => b.notes - a.notes);
}

/** A found vault with at least one note, otherwise the sample. */
export function firstNotes(options: FirstRunOptions): NotesChoice {
  const [best] = foundFolders(options);
  return best && (best.notes ?? 0) > 0 ? { kind: 'folder', path: best.path } : { kind: 'sample' };
}

/** The models of the server found on this machine, then those of providers that are set up already. */
export function modelOffers(options: FirstRunOptions, providers: readonly ProviderRow[]): ModelOffer[] {
  const local = options.local_model;
  const offers = (local?.models ?? []).map((model) => offer(local?.provider ?? '', model, local?.host ?? '', true));
  for (const { id, host, local: here, models } of providers)
    for (const model of models) offers.push(offer(id, model, host, here));
  return offers.filter((one, at) => offers.findIndex(({ id }) => id === one.id) === at);
}

export function openChoice(notes: NotesChoice, model: string | null): OpenVault {
  return { choice: notes.kind === 'sample' ? { kind: 'sample' } : { kind: 'folder', path: notes.path }, model };
}

/** "ollama" → "Ollama", "openai" → "OpenAI" */
export function providerName(id: string): string {
  const known: Record<string, string> = {
    ollama: 'Ollama',
    openai: 'OpenAI',
    anthropic: 'Anthropic',
    gemini: 'Gemini',
  };
  return known[id] ?? id;
}

/** "/home/mara/Documents/Work vault" → "~/Documents/Work vault" */
export function shortPath(path: string): string {
  return path.replace(/^\/(?:home|Users)\/[^/]+(?=\/|$)/, '~');
}

function offer(provider: string, model: string, host: string, local: boolean): ModelOffer {
  const id = model.startsWith(`${provider}/`) ? model : `${provider}/${model}`;
  return { id, name: modelName(id), provider, host, local };
}
