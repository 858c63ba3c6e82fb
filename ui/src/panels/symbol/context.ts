// Context shared by all parts of the symbol panel.

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
  /** Whether the panel replaces the conversation. */
  readonly wide: boolean;
  /** Whether all parts fit side by side. */
  readonly roomy: boolean;
  /** As named by the tools; `null` until resolved. */
  readonly symbol: string | null;
  readonly quote: Quote | null;
  /** The request for the price and the closes of the range. */
  readonly quoteRead: Read | null;
  /** The request that `quote` comes from. */
  readonly shownRead: Read | null;
  readonly chart: Chart | null;
  readonly compare: { readonly asked: Asked; readonly read: Read | null } | null;
  readonly web: PanelReads;
  readonly notes: Notes;
  /** Looks up another symbol, or the same one again. */
  name(symbol: string): void;
  fetchPrice(): void;
  /** The full name of one of the skill's tools. */
  nameOf(tool: string): string;
  /** Whether a tool of that full name exists. */
  has(tool: string): boolean;
  /** Why a tool cannot be called, in a sentence; `null` if it can. */
  notReady(tool: string): string | null;
  /** The user's own call of a tool; `ask`: through its form. */
  act(label: string, tool: string, args: Readonly<Record<string, JsonValue>>, ask?: boolean): void;
  /** Opens the skill's settings, for instance to enter a key. */
  openSettings(): void;
}

const Context = createContext<SymbolContext | null>(null);

export const SymbolProvider = Context.Provider;

export function useSymbol(): SymbolContext {
  const symbol = useContext(Context);
  if (!symbol) throw new Error('A part of the symbol panel is rendered outside it');
  return symbol;
}
