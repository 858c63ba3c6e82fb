// What every part of a symbol's panel needs of it.

import { createContext, useContext, type Dispatch } from 'react';

import type { JsonValue } from '../../ipc';
import type { Asked, Read } from '../skill/state';
import type { PanelReads } from '../skill/useReads';
import type { Quote } from './answers';
import type { Chart } from './series';
import type { SymbolChange, SymbolState } from './state';
import type { Notes } from './useNotes';

export interface SymbolContext {
  readonly state: SymbolState;
  readonly dispatch: Dispatch<SymbolChange>;
  /** In the user's zone, `YYYY-MM-DD`. */
  readonly today: string;
  /** The panel has the conversation's place. */
  readonly wide: boolean;
  /** All parts stand beside each other. */
  readonly roomy: boolean;
  /** As the tools name it; `null` until it is known which one is meant. */
  readonly symbol: string | null;
  readonly quote: Quote | null;
  /** The call for the price and the closes of the range. */
  readonly quoteRead: Read | null;
  /** The one that `quote` comes from. */
  readonly shownRead: Read | null;
  readonly chart: Chart | null;
  readonly compare: { readonly asked: Asked; readonly read: Read | null } | null;
  readonly web: PanelReads;
  readonly notes: Notes;
  /** Names another symbol, or asks again for the same. */
  name(symbol: string): void;
  fetchPrice(): void;
  /** The whole name of one of the skill's tools. */
  nameOf(tool: string): string;
  /** Whether there is a tool of that whole name. */
  has(tool: string): boolean;
  /** Why a tool cannot be called, in a sentence; `null` where it can. */
  notReady(tool: string): string | null;
  /** The user's own call of a tool; `ask`: through its form. */
  act(label: string, tool: string, args: Readonly<Record<string, JsonValue>>, ask?: boolean): void;
  /** Opens the settings of the skill, where a key is entered. */
  openSettings(): void;
}

const Context = createContext<SymbolContext | null>(null);

export const SymbolProvider = Context.Provider;

export function useSymbol(): SymbolContext {
  const symbol = useContext(Context);
  if (!symbol) throw new Error('A part of the panel of a symbol stands outside of it');
  return symbol;
}
