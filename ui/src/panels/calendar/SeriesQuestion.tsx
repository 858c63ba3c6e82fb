import { useEffect, useId, useRef } from 'react';

import { Button } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { useCalendar } from './context';
import type { Lift } from './lift';
import { labelOf, whyNotAll } from './moving';
import { dayText } from './words';

/** Whether one instance of a server's series changes, or all; nothing is written before. */
export function SeriesQuestion({ lift }: { lift: Lift }) {
  const { today, dragging } = useCalendar();
  const heading = useId();
  const box = useRef<HTMLElement>(null);
  const why = whyNotAll(lift);
  useEffect(() => box.current?.querySelector('button')?.focus(), []);
  return (
    <section ref={box} role="group" aria-labelledby={heading} data-testid="series-question" className="flex flex-col gap-2 rounded-message border border-line-strong bg-surface-raised p-3 text-small">
      <h2 id={heading} className="text-body font-semibold">
        <Revealed text={`${labelOf({ ...lift, only: true }, (day) => dayText(day, today))}?`} />
      </h2>
      <p className="text-fg-2">{why ?? 'It recurs.'}</p>
      <div className="flex flex-wrap gap-2">
        <Button size="s" variant="primary" onClick={() => dragging.choose('one')}>
          This one
        </Button>
        {why === null && (
          <Button size="s" onClick={() => dragging.choose('all')}>
            All of them
          </Button>
        )}
        <Button size="s" variant="quiet" keys="Esc" onClick={() => dragging.choose(null)}>
          Cancel
        </Button>
      </div>
    </section>
  );
}
