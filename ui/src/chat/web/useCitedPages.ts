import { useMemo } from 'react';

import type { CitedPage } from '../../shared/rich/cite';
import { useSession } from '../../state/hooks';
import { sameList } from '../../state/same';
import { citedPages, pageCalls } from './pages';

/** The pages fetched in the open chat, by address. */
export function useCitedPages(): ReadonlyMap<string, CitedPage> {
  const calls = useSession(pageCalls, sameList);
  return useMemo(() => citedPages(calls), [calls]);
}
