import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';

import { clockTime, Loading } from '../../shared';
import { listKeys } from '../../shared/list-keys';
import { useApp } from '../../state/hooks';
import { DaySection } from './DaySection';
import { headingOf, sectionsOf, summaryOf, type ShownSection } from './day';
import { useTicks, type Ticks } from './useTicks';
import { WaitingRoutines } from './WaitingRoutines';

/** Interval of updates for past and current events, ms. */
const LOOK = 30_000;

/** Today's events and due items of each skill, loaded without a model. `empty` replaces an empty day. */
export function Today({ empty }: { empty: ReactNode }) {
  const glances = useApp((app) => app.glances);
  const ticks = useTicks(glances);
  const now = useNow();
  const sections = sectionsOf(glances ?? [], ticks.state, now);
  return (
    <div data-testid="today" className="flex flex-col gap-3 short:-mt-2 short:gap-2">
      <Heading sections={sections} known={glances !== null} now={now} />
      <WaitingRoutines now={now} />
      {glances === null ? <Reading /> : sections.length === 0 ? empty : <Sections sections={sections} now={now} ticks={ticks} />}
    </div>
  );
}

function Heading({ sections, known, now }: { sections: readonly ShownSection[]; known: boolean; now: Date }) {
  const readAt = useApp((app) => app.glancesReadAt);
  const age = readAt === null ? null : now.getTime() - readAt;
  const read = age === null ? '' : age < 60_000 ? 'read just now, ' : `read at ${clockTime(new Date(readAt ?? 0).toISOString())}, `;
  return (
    <header className="flex items-baseline gap-3">
      <h2 className="text-title font-semibold">{headingOf(now)}</h2>
      <p className="cut min-w-0 flex-1 text-small text-fg-2 short:invisible">{summaryOf(sections)}</p>
      {known && <p className="shrink-0 text-small text-fg-3">{read}no model asked</p>}
    </header>
  );
}

function Sections({ sections, now, ticks }: { sections: readonly ShownSection[]; now: Date; ticks: Ticks }) {
  const column = (side: 'left' | 'right') => (
    <div className="flex min-w-0 flex-1 flex-col gap-6 short:gap-2.5">
      {sections
        .filter(({ view }) => view.side === side)
        .map((section) => (
          <DaySection key={section.key} section={section} now={now} ticks={ticks} />
        ))}
    </div>
  );
  return (
    <div data-list data-today onKeyDown={dayKeys} className="flex gap-8 short:gap-6">
      {column('left')}
      {column('right')}
    </div>
  );
}

/** Escape returns to the message. */
function dayKeys(event: KeyboardEvent<HTMLElement>): void {
  listKeys(event);
  if (event.defaultPrevented || event.key !== 'Escape') return;
  event.preventDefault();
  document.querySelector<HTMLElement>('[data-testid=composer-input]')?.focus();
}

/** Focuses the last row of the day. Returns whether there is one. */
export function focusLastRow(): boolean {
  const last = [...document.querySelectorAll<HTMLElement>('[data-today] [data-list-item]')].at(-1);
  last?.focus();
  return last !== undefined;
}

function Reading() {
  return (
    <div className="flex gap-8">
      <div className="flex-1">
        <Loading lines={4} label="Reading what is due" />
      </div>
      <div aria-hidden className="flex-1">
        <Loading lines={4} />
      </div>
    </div>
  );
}

function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), LOOK);
    return () => clearInterval(timer);
  }, []);
  return now;
}
