import { useEffect, useState } from 'react';

import { Icon, IconButton, LinkButton } from '../../shared';
import { noQueue } from '../../state/queue';
import { useActions, useApp } from '../../state/hooks';

/** Messages queued until the end of the turn, in sending order. */
export function QueuedMessages({ running, onEdit }: { running: boolean; onEdit: () => void }) {
  const { messages, held, pressing } = useApp((app) => app.queues[app.open ?? ''] ?? noQueue);
  const { unqueue, editQueued, sendQueuedNow } = useActions();
  if (messages.length === 0) return null;
  return (
    <section aria-label="Queued messages" data-testid="queue" className="mb-2 overflow-hidden rounded-card bg-surface-sunken">
      {held !== null && !running && (
        <p role="status" data-testid="queue-held" className="flex items-center gap-2.5 px-2.5 pt-1.5 text-small text-warn">
          <Icon name="warn" size={14} /> Not sent: {held}.
        </p>
      )}
      <ol className="max-h-40 overflow-y-auto">
        {messages.map(({ id, text, tool, files, images, turn }, at) => (
          <li key={id} data-testid="queued" className="flex min-h-8 items-center gap-2.5 px-2.5 text-small">
            <Icon name="clock" size={14} className="text-fg-2" />
            <span className="cut min-w-0 flex-1 text-ui" data-tip={text}>
              {tool !== null && <span className="mr-1.5 font-mono text-accent">{tool}</span>}
              {text || named([...files, ...images])}
              {text !== '' && files.length + images.length > 0 && <span className="ml-1.5 text-fg-3">+ {named([...files, ...images])}</span>}
            </span>
            {turn !== undefined ? (
              <span className="text-fg-3">Being sent…</span>
            ) : (
              <>
                <LinkButton
                  data-testid="queued-edit"
                  onClick={() => {
                    editQueued(id);
                    onEdit();
                  }}
                >
                  Edit
                </LinkButton>
                {(running || held !== null) && (
                  <LinkButton data-testid="queued-send" disabled={pressing} onClick={() => void sendQueuedNow(id)}>
                    {!running ? 'Send' : pressing && at === 0 ? 'Stopping…' : 'Stop and send'}
                  </LinkButton>
                )}
                <IconButton icon="x" iconSize={12} label="Remove the queued message" className="-mr-1.5 size-6" onClick={() => unqueue(id)} />
              </>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Milliseconds before a delay is explained. */
const WONDERS = 400;

/** A sent message whose turn has not begun, for instance during model discovery. */
export function MessageOnItsWay() {
  const message = useApp((app) => app.sending[app.open ?? '']);
  const turn = message?.turn ?? null;
  const [late, setLate] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setLate(turn), WONDERS);
    return () => clearTimeout(timer);
  }, [turn]);
  const waits = message && late === turn ? message : null;
  // A live region must exist before its text, or it is not announced.
  return (
    <div role="status">
      {waits && (
        <p data-testid="on-its-way" className="mb-2 flex min-h-8 items-center gap-2.5 rounded-card bg-surface-sunken px-2.5 text-small">
          <Icon name="clock" size={14} className="text-fg-2" />
          <span className="cut min-w-0 flex-1 text-ui" data-tip={waits.text}>
            {waits.text || named([...waits.files, ...waits.images])}
          </span>
          <span className="text-fg-3">Being sent…</span>
        </p>
      )}
    </div>
  );
}

function named(files: readonly { readonly name: string }[]): string {
  return files.map(({ name }) => name).join(', ');
}
