// The calls of the last 14 days as bars. The row shows their sum, the detail each figure.

import { count, counted, dayText } from '../shared';
import type { Day } from './skill-rows';

interface DayBarsProps {
  readonly days: readonly Day[];
  /** Whether to show figures above and days below the bars. */
  readonly figures?: boolean;
}

export function DayBars({ days, figures = false }: DayBarsProps) {
  const most = Math.max(1, ...days.map(({ calls }) => calls));
  const bar = ({ calls }: Day) => (
    <span
      className={`w-full rounded-t-[1px] ${calls > 0 ? 'bg-c1' : 'bg-line-strong'}`}
      style={{ height: calls > 0 ? `max(2px, ${(calls / most) * 100}%)` : '1px' }}
    />
  );
  return (
    <div role="img" aria-label={daysText(days)} data-testid="day-bars">
      {figures ? (
        <div aria-hidden="true" className="flex gap-1">
          {days.map((day) => (
            <span key={day.day} className="flex min-w-0 flex-1 flex-col items-center">
              <span className={`tabular text-meta ${day.calls > 0 ? 'text-fg-2' : 'text-fg-3'}`}>{count(day.calls)}</span>
              <span className="flex h-8 w-full items-end">{bar(day)}</span>
              <span className="tabular mt-0.5 text-meta text-fg-3">{Number(day.day.slice(8))}</span>
            </span>
          ))}
        </div>
      ) : (
        <div aria-hidden="true" className="flex h-5 w-16 items-end gap-px">
          {days.map((day) => (
            <span key={day.day} className="flex h-full min-w-0 flex-1 items-end">
              {bar(day)}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

/** "31 calls in 14 days: 12 on Thu 19 Nov, 19 on Fri 20 Nov" */
export function daysText(days: readonly Day[]): string {
  const used = days.filter(({ calls }) => calls > 0);
  const all = used.reduce((sum, { calls }) => sum + calls, 0);
  if (all === 0) return 'no calls in 14 days';
  // Noon, so that the time zone does not change the day.
  const each = used.map(({ day, calls }) => `${count(calls)} on ${dayText(new Date(`${day}T12:00:00`))}`);
  return `${counted(all, 'call')} in 14 days: ${each.join(', ')}`;
}
