import { useMemo } from 'react';

import type { Asked, Read } from '../skill/state';
import { useReads } from '../skill/useReads';
import { explanationIn, scanIn, screensIn, universesIn, type Explanation, type Scan, type Screens, type Universe } from './answers';
import { backTestIn, type BackTest } from './backtest';
import type { RunView } from './runs';

const none: Screens = { screens: [], strategies: [], fields: [] };

export interface Lists {
  readonly read: Read | null;
  readonly screens: Screens;
  readonly universes: readonly Universe[];
  again(): void;
}

/** Screens, strategies and universes; re-read when notes change. */
export function useLists(list: Asked, universes: Asked): Lists {
  const reads = useReads([list, universes]);
  const [listed, named] = [reads.of(list), reads.of(universes)];
  const [value, names] = [listed?.result?.value, named?.result?.value];
  const screens = useMemo(() => screensIn(value) ?? none, [value]);
  return { read: listed, screens, universes: useMemo(() => universesIn(names), [names]), again: reads.again };
}

export function useScan(view: RunView | null): Scan | null {
  const value = view?.found?.value;
  return useMemo(() => scanIn(value), [value]);
}

export function useBackTest(view: RunView | null): BackTest | null {
  const value = view?.found?.value;
  return useMemo(() => backTestIn(value), [value]);
}

export function useExplanation(read: Read | null): Explanation | null {
  const value = read?.result?.value;
  return useMemo(() => explanationIn(value), [value]);
}
