import { useEffect, type Dispatch } from 'react';

import { useActions, useApp } from '../../state/hooks';
import type { CalendarChange } from './state';

/** Goes to the day that another part of the window asks for. */
export function useAskedDay(dispatch: Dispatch<CalendarChange>): void {
  const day = useApp(({ panel }) => panel.day);
  const { setPanel } = useActions();
  useEffect(() => {
    if (day === null) return;
    dispatch({ type: 'viewed', view: 'day', day });
    setPanel({ day: null });
  }, [day, dispatch, setPanel]);
}
