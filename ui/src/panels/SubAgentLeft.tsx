import { counted } from '../shared';
import { NoteList } from '../shared/NoteList';
import { Revealed } from '../shared/Revealed';
import { useActions } from '../state/hooks';
import type { SessionState, SubAgent } from '../state/session';
import { pagesRead } from './subagent';

/** Data that a sub-agent sent elsewhere: to its model, and to pages. */
export function SubAgentLeft({ subAgent, session }: { subAgent: SubAgent; session: SessionState }) {
  const { openNote } = useActions();
  const pages = pagesRead(session);
  const requests = subAgent.host === null ? 0 : subAgent.requests;
  return (
    <section aria-label="Left this machine" className="flex flex-col gap-1 border-t border-line pt-3.5">
      <h3 className="text-meta font-medium text-fg-2">Left this machine</h3>
      {requests === 0 && pages.count === 0 && <p className="text-fg-3">nothing</p>}
      {requests > 0 && (
        <p className="text-warn">
          {counted(requests, 'request')} to the model at <Revealed text={subAgent.host ?? ''} />
          {subAgent.sent.length > 0 && `, with ${counted(subAgent.sent.length, 'note')}`}
        </p>
      )}
      {subAgent.sent.length > 0 && <NoteList notes={subAgent.sent} onNote={openNote} />}
      {pages.count > 0 && (
        <p className="selectable text-fg-2">
          {counted(pages.count, 'page request')}: <Revealed text={pages.hosts.join(', ')} />
        </p>
      )}
    </section>
  );
}
