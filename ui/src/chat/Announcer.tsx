import { useCallback, useRef, useState } from 'react';

import { useEverySession } from '../state/hooks';
import type { SessionState } from '../state/session';
import { announcements, type Announcements } from './announcements';

/** Announces events of the conversation to screen readers, without reading the stream aloud. */
export function Announcer() {
  const [said, setSaid] = useState<Announcements>({ polite: [], assertive: [] });
  const seen = useRef<{ readonly state: SessionState; readonly session: string | null } | null>(null);
  useEverySession(
    useCallback((state, session) => {
      const before = seen.current;
      seen.current = { state, session };
      // Content that existed when the chat was opened is not announced.
      const opened = before?.session !== session || (before.state.turns.length === 0 && state.turns.length > 1);
      if (opened || before.state === state) return;
      const news = announcements(before.state, state);
      if (news.polite.length > 0 || news.assertive.length > 0) setSaid(news);
    }, []),
  );
  return (
    <>
      <div className="sr-only" aria-live="polite" data-testid="announce-polite">
        {said.polite.join('. ')}
      </div>
      <div className="sr-only" aria-live="assertive" data-testid="announce-assertive">
        {said.assertive.join('. ')}
      </div>
    </>
  );
}
