// The last symbol of this window and what was read of it: a panel that is opened again asks the web nothing.

import type { Backend } from '../../ipc';
import type { Reads } from '../skill/state';
import { firstSymbol, reduceSymbol, type SymbolState } from './state';

export interface Kept {
  readonly state: SymbolState;
  readonly quotes: Reads;
  readonly web: Reads;
}

const all = new WeakMap<Backend, Map<string, Kept>>();

/** By skill, for as long as the window is open. */
export function keptOf(backend: Backend, skill: string): Kept {
  return all.get(backend)?.get(skill) ?? { state: firstSymbol, quotes: {}, web: {} };
}

export function keep(backend: Backend, skill: string, kept: Kept): void {
  const own = all.get(backend) ?? new Map<string, Kept>();
  // What was open over the panel, or pointed at, is not.
  const state = { ...kept.state, comparing: false, pointed: null };
  all.set(backend, own.set(skill, { ...kept, state }));
}

/** The panel shows this symbol when it is opened next. */
export function lookUpIn(backend: Backend, skill: string, symbol: string): void {
  const kept = keptOf(backend, skill);
  keep(backend, skill, { ...kept, state: reduceSymbol(kept.state, { type: 'named', symbol }) });
}
