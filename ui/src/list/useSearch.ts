import { useEffect, useState } from 'react';

import type { FoundSession } from '../ipc';
import { useApp, useRpc, type Loaded } from '../state/hooks';

/** Debounce, ms; used by the list and the palette. */
const wait = 120;

/** Chats whose text or title contains every word. `data` is null for an empty query. */
export function useSearch(query: string, limit = 20): Loaded<FoundSession[]> {
  const typed = query.trim();
  const [asked, setAsked] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed), typed === '' ? 0 : wait);
    return () => clearTimeout(timer);
  }, [typed]);
  const sessions = useApp((app) => app.sessions);
  const words = typed === '' ? '' : asked;
  const found = useRpc('search_sessions', words === '' ? null : { query: words, limit }, sessions.length);
  return { ...found, loading: found.loading || asked !== typed };
}
