// Context shared by all parts of a panel.

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
  /** Whether the panel replaces the conversation. */
  readonly wide: boolean;
  /** The filter text. */
  readonly filter: string;
  /** A part's call, with the tab's inputs in its arguments. */
  asked(part: { readonly tool: string; readonly args: Readonly<Record<string, JsonValue>> }): Asked;
  read(asked: Asked): Read | null;
  again(): void;
  /** Performs a button's action, for its row if any. Never rejects; returns the outcome. */
  act(action: PanelAction, row?: Row, column?: string): Promise<Outcome>;
  openNote(path: string): void;
  /** Opens the form of a note's record, else the note. */
  editNote(path: string): Promise<void>;
  /** By its title. */
  openTab(title: string): void;
  /** The values of the tab's inputs, by name. */
  readonly inputs: Readonly<Record<string, string>>;
  /** The inputs shown at a part, because only it uses them. */
  inputsAt(part: object): readonly PanelInput[];
  choose(name: string, value: string): void;
  /** The distinct texts at these pointers in the tab's data. */
  among(pointers: readonly string[]): readonly string[];
}

/** `asked`: an open form decides. */
export type Outcome = { readonly kind: 'done' } | { readonly kind: 'asked' } | { readonly kind: 'failed'; readonly reason: string };

const Context = createContext<PanelContext | null>(null);

export const PanelProvider = Context.Provider;

export function usePanel(): PanelContext {
  const panel = useContext(Context);
  if (!panel) throw new Error('A panel part is rendered outside a panel');
  return panel;
}

/** Figures of an output, by pointer. */
export type Figures = ReadonlyMap<string, Figure>;
