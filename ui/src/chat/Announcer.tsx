import { useState } from 'react';

import type { SessionState } from '../state/session';
import { announcements, type Announcements } from './announcements';

/** Tells a screen reader what happens in the conversation, without reading the stream aloud. */
export function Announcer({ state, session }: { state: SessionState; session: string | null }) {
  const [seen, setSeen] = useState({ state, session });
  const [said, setSaid] = useState<Announcements>({ polite: [], assertive: [] });
  if (seen.state !== state || seen.session !== session) {
    setSeen({ state, session });
    // What was there when the chat was opened is read, not announced.
    const opened = seen.session !== session || (seen.state.turns.length === 0 && state.turns.length > 1);
    const news = opened ? { polite: [], assertive: [] } : announcements(seen.state, state);
    if (news.polite.length > 0 || news.assertive.length > 0) setSaid(news);
  }
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
