import { useMemo } from 'react';

import type { CitedPage } from '../../shared/rich/cite';
import { useSession } from '../../state/hooks';
import { sameList } from '../../state/same';
import { citedPages, pageCalls } from './pages';

/** The pages that the open chat has read, by address. */
export function useCitedPages(): ReadonlyMap<string, CitedPage> {
  const calls = useSession(pageCalls, sameList);
  return useMemo(() => citedPages(calls), [calls]);
}
