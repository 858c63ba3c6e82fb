// Keeps drafts and explanations while the panel is closed.

import type { Backend } from '../../ipc';
import type { Reads } from '../skill/state';
import { firstState, type ScreenerState } from './state';

export interface Kept {
  readonly state: ScreenerState;
  readonly explanations: Reads;
}

const all = new WeakMap<Backend, Map<string, Kept>>();

/** By skill, for as long as the window is open. */
export function keptOf(backend: Backend, skill: string): Kept {
  return all.get(backend)?.get(skill) ?? { state: firstState, explanations: {} };
}

export function keep(backend: Backend, skill: string, kept: Kept): void {
  const own = all.get(backend) ?? new Map<string, Kept>();
  // Popovers and the pointed day are not restored.
  const state = { ...kept.state, settingsOpen: false, pointed: null };
  all.set(backend, own.set(skill, { ...kept, state }));
}
