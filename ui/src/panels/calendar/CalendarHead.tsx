import { useState } from 'react';

import { Button, IconButton, Popover, Segments } from '../../shared';
import { Calendar as Month } from '../../shared/form/Calendar';
import { useCalendar } from './context';
import type { CalendarView } from './state';
import { titleOf } from './words';

const views = [
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
] as const satisfies readonly { value: CalendarView; label: string }[];

/** The date, navigation, the view, and a new event. */
export function CalendarHead() {
  const { state, dispatch, today, writing } = useCalendar();
  const unit = state.view;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-0.5 gap-y-1.5 px-3.5 pt-2.5 pb-2">
      <JumpByDate />
      <IconButton icon="chevron-left" iconSize={14} label={`Previous ${unit}`} onClick={() => dispatch({ type: 'turned', by: -1 })} />
      <IconButton icon="chevron-right" iconSize={14} label={`Next ${unit}`} onClick={() => dispatch({ type: 'turned', by: 1 })} />
      <Button className="ml-1 @max-[26rem]:hidden" onClick={() => dispatch({ type: 'went', day: today })}>
        Today
      </Button>
      <span className="flex-1" />
      <Segments label="View" value={state.view} options={views} onChange={(view) => dispatch({ type: 'viewed', view })} />
      <IconButton icon="plus" label="New event" keys="N" onClick={writing.add} />
    </div>
  );
}

function JumpByDate() {
  const { state, dispatch, today } = useCalendar();
  const [open, setOpen] = useState(false);
  return (
    <Popover
      label="Jump to a date"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <button type="button" data-testid="calendar-date" data-tip="Jump to a date" data-tip-keys="G" className="mr-1 rounded-control text-body font-semibold hover:underline">
          <span aria-live="polite">{titleOf(state, today)}</span>
        </button>
      }
    >
      <Month
        chosen={state.day}
        today={today}
        onChoose={(day) => {
          dispatch({ type: 'went', day });
          setOpen(false);
        }}
      />
    </Popover>
  );
}
