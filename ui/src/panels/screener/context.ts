// Shared context of the screener panel's components.

import { createContext, useContext, type Dispatch } from 'react';

import type { JsonValue } from '../../ipc';
import type { Read } from '../skill/state';
import type { Check, Explanation, Hit, Scan, Screens, Universe } from './answers';
import type { BackTest } from './backtest';
import type { RunView } from './runs';
import type { Edit, Opened, ScreenerChange, ScreenerState } from './state';

export interface ScreenerContext {
  readonly state: ScreenerState;
  readonly dispatch: Dispatch<ScreenerChange>;
  /** In the user's zone, `YYYY-MM-DD`. */
  readonly today: string;
  /** Whether the panel replaces the conversation. */
  readonly wide: boolean;
  /** Columns beside each other; the rest are tabs. */
  readonly room: 'three' | 'two' | 'one';
  readonly screens: Screens;
  readonly universes: readonly Universe[];
  readonly opened: Opened;
  /** Problems of conditions, by key. */
  readonly problems: ReadonlyMap<number, string>;
  /** Checks of conditions written as lines, by text. */
  readonly checks: ReadonlyMap<string, Check>;
  readonly scanning: RunView | null;
  readonly scan: Scan | null;
  /** In display order. */
  readonly hits: readonly Hit[];
  readonly explanation: { readonly read: Read | null; readonly value: Explanation | null } | null;
  readonly testing: RunView | null;
  readonly test: BackTest | null;
  readonly proposing: RunView | null;
  edit(edit: Edit): void;
  /** Adds a row for a field not used yet. */
  addCondition(): void;
  /** Scans the open screen with its unsaved changes. */
  startScan(): void;
  startTest(from?: string): void;
  propose(strategy: string): void;
  stop(kind: 'scan' | 'test' | 'trades'): void;
  explainAgain(): void;
  /** Whether screens can be saved. */
  readonly canSave: boolean;
  save(name: string): void;
  /** Saves symbols as a list and makes it the universe; `null` without the tool. */
  readonly saveList: ((name: string, symbols: string) => void) | null;
  /** Opens the symbol panel; `null` if no skill has one. */
  readonly openSymbol: ((symbol: string) => void) | null;
  /** Whether there is a tool of that whole name. */
  has(tool: string): boolean;
  /** The user's own call of a tool. */
  act(label: string, tool: string, args: Readonly<Record<string, JsonValue>>): void;
  openSettings(): void;
}

const Context = createContext<ScreenerContext | null>(null);

export const ScreenerProvider = Context.Provider;

export function useScreener(): ScreenerContext {
  const screener = useContext(Context);
  if (!screener) throw new Error('A part of the screener panel is rendered outside it');
  return screener;
}
