import { useMemo } from 'react';

import type { Read } from '../skill/state';
import { movedIn, quoteIn, type Quote } from './answers';
import type { Trade } from './notes';
import { chartOf, type Chart } from './series';
import type { SymbolState } from './state';

export function useQuote(read: Read | null): Quote | null {
  const value = read?.result?.value;
  return useMemo(() => quoteIn(value), [value]);
}

interface ChartOf {
  readonly drawn: Read | null;
  readonly compared: Read | null;
  readonly state: SymbolState;
  readonly trades: readonly Trade[];
  readonly today: string;
}

/** Computed once per load, not for each hovered day. */
export function useChart({ drawn, compared, state: { range, average, averageDays }, trades, today }: ChartOf): Chart | null {
  const quote = useQuote(drawn);
  const value = compared?.result?.value;
  const known = JSON.stringify(trades);
  return useMemo(
    () => quote && chartOf({ quote, moved: movedIn(value), range, average, averageDays, trades: JSON.parse(known) as Trade[], today }),
    [quote, value, range, average, averageDays, known, today],
  );
}
