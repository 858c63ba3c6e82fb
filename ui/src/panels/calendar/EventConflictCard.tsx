import { useId } from 'react';

import { Button, Icon } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { rowsOf } from './conflict';
import { useCalendar } from './context';
import type { EventConflict } from './lift';
import { whenText } from './words';

/** Both versions of an event that was moved here while it changed on its server; nothing was written. */
export function EventConflictCard({ conflict }: { conflict: EventConflict }) {
  const { dispatch, today, writing } = useCalendar();
  const heading = useId();
  const { lift, theirs } = conflict;
  const rows = rowsOf(conflict, today);
  const merged = rows.flatMap(({ label, here }) => (here === null ? [label.toLowerCase()] : []));
  const useMine = () => {
    dispatch({ type: 'settled' });
    void writing.drop({ ...lift, event: theirs });
  };
  return (
    <section role="alert" aria-labelledby={heading} data-testid="event-conflict" className="flex flex-col gap-2 rounded-message border border-warn-line bg-surface-raised p-3 text-small">
      <div className="flex flex-wrap items-center gap-x-2">
        <Icon name="warn" size={14} className="text-warn" />
        <h2 id={heading} className="text-body font-semibold">
          Changed on the server and here
        </h2>
        <span className="ml-auto text-fg-3">
          <Revealed text={lift.event.title} />
        </span>
      </div>
      <table className="selectable w-full border border-line text-left">
        <thead className="bg-surface-sunken">
          <tr>
            <th />
            <th scope="col" className="px-2 py-1 font-medium">
              Server
            </th>
            <th scope="col" className="px-2 py-1 font-medium">
              Here, not sent
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, server, here }) => (
            <tr key={label} className="align-top">
              <th scope="row" className="px-2 py-1 font-normal text-fg-3">
                {label}
              </th>
              <td className={`px-2 py-1 ${here === null ? '' : 'text-warn'}`}>
                <Revealed text={server} />
              </td>
              <td className={`px-2 py-1 ${here === null ? 'text-fg-3' : 'text-warn'}`}>{here ?? 'not changed'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="text-fg-3">
        Was {whenText(lift.event, today)}.{merged.length > 0 && ` The ${merged.join(' and the ')} ${merged.length === 1 ? 'is' : 'are'} taken from the server.`}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button size="s" variant="primary" onClick={() => dispatch({ type: 'settled' })}>
          Keep the server’s
        </Button>
        <Button size="s" onClick={useMine}>
          Use mine…
        </Button>
      </div>
    </section>
  );
}
