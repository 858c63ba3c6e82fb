// A month of days to choose from, with the keys of a grid.

import { useEffect, useRef, useState, type KeyboardEvent } from 'react';

import { IconButton } from '../Button';
import { moved, parts, weekdayOf } from './date-words';
import { addDays, dateText, daysIn, MONTHS } from './dates';

interface CalendarProps {
  /** `YYYY-MM-DD`, or empty. */
  readonly chosen: string;
  readonly today: string;
  readonly onChoose: (date: string) => void;
}

const STEPS: { [key: string]: (day: string) => string } = {
  ArrowLeft: (day) => addDays(day, -1),
  ArrowRight: (day) => addDays(day, 1),
  ArrowUp: (day) => addDays(day, -7),
  ArrowDown: (day) => addDays(day, 7),
  PageUp: (day) => moved(day, -1, 'month'),
  PageDown: (day) => moved(day, 1, 'month'),
  Home: (day) => addDays(day, -weekdayOf(day)),
  End: (day) => addDays(day, 6 - weekdayOf(day)),
};

export function Calendar({ chosen, today, onChoose }: CalendarProps) {
  const [day, setDay] = useState(chosen || today || '2026-01-01');
  const grid = useRef<HTMLTableElement>(null);
  const { year, month } = parts(day);
  const first = dateText(year, month, 1);
  const weeks = Math.ceil((weekdayOf(first) + daysIn(year, month)) / 7);
  const begin = addDays(first, -weekdayOf(first));

  useEffect(() => grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus(), [day]);

  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    setDay(step(day));
  };
  return (
    <div className="w-56">
      <div className="mb-1 flex items-center justify-between">
        <IconButton icon="chevron-left" iconSize={14} label="Previous month" onClick={() => setDay(moved(day, -1, 'month'))} />
        <span aria-live="polite" className="text-small font-medium">
          {MONTHS[month - 1]} {year}
        </span>
        <IconButton icon="chevron-right" iconSize={14} label="Next month" onClick={() => setDay(moved(day, 1, 'month'))} />
      </div>
      <table ref={grid} role="grid" aria-label={`${MONTHS[month - 1]} ${year}`} onKeyDown={onKeyDown} className="tabular w-full text-small">
        <thead>
          <tr>
            {['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'].map((name) => (
              <th key={name} scope="col" className="font-normal text-fg-3">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: weeks }, (_, week) => (
            <tr key={week}>
              {Array.from({ length: 7 }, (_, at) => {
                const date = addDays(begin, 7 * week + at);
                return (
                  <td key={date} role="gridcell" aria-selected={date === chosen} className="p-0 text-center">
                    <button
                      type="button"
                      tabIndex={date === day ? 0 : -1}
                      data-first-focus={date === day || undefined}
                      aria-label={date}
                      aria-current={date === today ? 'date' : undefined}
                      onClick={() => onChoose(date)}
                      className={`h-7 w-7 rounded-control hover:bg-hover ${date === chosen ? 'bg-accent-soft text-accent' : parts(date).month === month ? 'text-fg' : 'text-fg-3'} ${date === today ? 'font-semibold' : ''}`}
                    >
                      {parts(date).day}
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
