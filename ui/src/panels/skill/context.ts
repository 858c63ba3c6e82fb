// What every part of a panel needs of the panel it stands in.

import { createContext, useContext } from 'react';

import type { JsonValue, PanelAction, PanelInput } from '../../ipc';
import type { Figure } from '../../shared/figures';
import type { Row } from './answer';
import type { Asked, Read } from './state';

export interface PanelContext {
  /** Id of the skill. */
  readonly skill: string;
  /** Today, YYYY-MM-DD. */
  readonly today: string;
  /** It has the conversation's place. */
  readonly wide: boolean;
  /** Text that rows are to have. */
  readonly filter: string;
  /** What a part asks, with the tab's inputs in its arguments. */
  asked(part: { readonly tool: string; readonly args: Readonly<Record<string, JsonValue>> }): Asked;
  read(asked: Asked): Read | null;
  again(): void;
  /** Does what a button says, for a row where it is one's. Rejects never; whether it came to pass. */
  act(action: PanelAction, row?: Row, column?: string): Promise<Outcome>;
  openNote(path: string): void;
  /** Opens the form of the record that a note is, else the note. */
  editNote(path: string): Promise<void>;
  /** By its title. */
  openTab(title: string): void;
  /** What the user chose of the tab's inputs, by name. */
  readonly inputs: Readonly<Record<string, string>>;
  /** The inputs that stand at a part, because it alone uses them. */
  inputsAt(part: object): readonly PanelInput[];
  choose(name: string, value: string): void;
  /** The texts at these pointers in what the tab has read, each once. */
  among(pointers: readonly string[]): readonly string[];
}

/** `asked`: a form stands open and decides. */
export type Outcome = { readonly kind: 'done' } | { readonly kind: 'asked' } | { readonly kind: 'failed'; readonly reason: string };

const Context = createContext<PanelContext | null>(null);

export const PanelProvider = Context.Provider;

export function usePanel(): PanelContext {
  const panel = useContext(Context);
  if (!panel) throw new Error('A part of a panel stands outside of one');
  return panel;
}

/** By pointer: the figures of an answer. */
export type Figures = ReadonlyMap<string, Figure>;
