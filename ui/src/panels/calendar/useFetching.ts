// Fetches remote calendars: by the user's click, and by itself while the panel is open.

import { useEffect, useEffectEvent, useRef, useState } from 'react';

import { nothing, useBackend, type JsonValue } from '../../ipc';
import { useActions, useSession } from '../../state/hooks';
import { waitingCalls } from '../../state/session';
import type { PanelCalls } from '../skill/useCalls';
import { failed } from '../skill/useReads';
import { isStale, refusedBy, type CalendarSource } from './sources';

interface Panel {
  readonly skill: string;
  readonly sources: readonly CalendarSource[];
  /** ms */
  readonly now: number;
  readonly calls: PanelCalls;
  /** Reloads the events. */
  again(): void;
}

export interface Fetching {
  /** Errors of the last fetch, by calendar. */
  readonly refused: Readonly<Record<string, string>>;
  readonly busy: boolean;
  /** Fetches as the user's own call, which may ask. */
  fetch(): void;
}

/** Interval between automatic attempts, ms. */
export const FETCHED_EVERY = 15 * 60_000;

export function useFetching({ skill, sources, now, calls, again }: Panel): Fetching {
  const backend = useBackend();
  const { watch, unwatch } = useActions();
  const [refused, setRefused] = useState<Fetching['refused']>({});
  const [busy, setBusy] = useState(false);
  /** The run of an automatic fetch. */
  const [quietRun, setQuietRun] = useState<string | null>(null);
  const tried = useRef(-Infinity);
  const tool = `${skill}.refresh_calendars`;

  const whileBusy = async (work: () => Promise<JsonValue>) => {
    tried.current = now;
    setBusy(true);
    const value = await work();
    setBusy(false);
    setRefused(refusedBy(value));
    again();
  };
  const quietly = async () => {
    const run = `panel-${crypto.randomUUID()}`;
    watch(run);
    setQuietRun(run);
    const { value } = await backend.rpc('call_tool', { tool, args: {}, run }).catch(failed);
    unwatch(run);
    setQuietRun(null);
    return value;
  };
  /** Whether neither a rule nor a credential needs the user's answer. */
  const isAllowed = async () => {
    const { verdict } = await backend.rpc('try_rule', { tool, args: {}, relationship: null });
    if (verdict !== 'run') return false;
    const { credentials } = await backend.rpc('list_credentials', nothing);
    const consumer = `skill:${skill}`;
    const own = credentials.filter(({ name, wanted_by }) => name.includes('/') && wanted_by.includes(consumer));
    return own.every(({ state, grants }) => state === 'kept' && grants.some((grant) => grant.consumer === consumer && grant.in_force));
  };

  const look = useEffectEvent(() => {
    if (busy || !isStale(sources, now, FETCHED_EVERY) || now - tried.current < FETCHED_EVERY) return;
    if (!navigator.onLine || document.visibilityState !== 'visible') return;
    tried.current = now;
    isAllowed().then(
      (allowed) => (allowed ? whileBusy(quietly) : undefined),
      () => undefined,
    );
  });
  const ages = sources.map(({ fetched }) => fetched).join();
  useEffect(() => look(), [now, ages]);

  // A question that nobody expects is withdrawn, not shown.
  const asks = waitingCalls(useSession(quietRun ?? '')).length > 0;
  useEffect(() => {
    if (asks && quietRun !== null) void backend.rpc('stop_tool', { run: quietRun }).catch(() => undefined);
  }, [backend, asks, quietRun]);

  const fetch = () => {
    if (!busy) void whileBusy(async () => (await calls.call('Fetch calendars', tool, {})).value);
  };
  return { refused, busy, fetch };
}
