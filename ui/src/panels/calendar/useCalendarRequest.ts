import { useEffect, type Dispatch } from 'react';

import { useActions, useApp } from '../../state/hooks';
import type { CalendarChange } from './state';

/** Shows what another part of the window asks for. */
export function useCalendarRequest(dispatch: Dispatch<CalendarChange>): void {
  const request = useApp(({ panel }) => panel.calendar);
  const { setPanel } = useActions();
  useEffect(() => {
    if (request === null) return;
    dispatch({ type: 'viewed', view: 'day', day: request.day });
    if (request.event !== undefined) dispatch({ type: 'opened', event: request.event });
    if (request.add !== undefined) dispatch({ type: 'adding', event: request.add });
    setPanel({ calendar: null });
  }, [request, dispatch, setPanel]);
}
