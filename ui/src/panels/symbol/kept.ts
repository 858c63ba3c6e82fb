// The window's last symbol and its data, so that a reopened panel sends no request.

import type { Backend } from '../../ipc';
import type { Reads } from '../skill/state';
import { firstSymbol, reduceSymbol, type SymbolState } from './state';

export interface Kept {
  readonly state: SymbolState;
  readonly quotes: Reads;
  readonly web: Reads;
}

const all = new WeakMap<Backend, Map<string, Kept>>();

/** By skill, while the window is open. */
export function keptOf(backend: Backend, skill: string): Kept {
  return all.get(backend)?.get(skill) ?? { state: firstSymbol, quotes: {}, web: {} };
}

export function keep(backend: Backend, skill: string, kept: Kept): void {
  const own = all.get(backend) ?? new Map<string, Kept>();
  // Popovers and the hovered day are not restored.
  const state = { ...kept.state, comparing: false, pointed: null };
  all.set(backend, own.set(skill, { ...kept, state }));
}

/** Makes the panel show this symbol when it is opened next. */
export function lookUpIn(backend: Backend, skill: string, symbol: string): void {
  const kept = keptOf(backend, skill);
  keep(backend, skill, { ...kept, state: reduceSymbol(kept.state, { type: 'named', symbol }) });
}
