import { useEffect, useEffectEvent, useRef } from 'react';

import { useBackend } from '../../ipc';
import { useApp } from '../../state/hooks';

/** Interval at which the open panel renews the watch, ms; without that, it ends after five minutes. */
const RENEWED_EVERY = 120_000;

/** One after another: a late close would end the watch of a panel that was opened again. */
let watching: Promise<unknown> = Promise.resolve();

/**
 * Has the inboxes watched while the panel is open, and reloads after a change. Starts once a list was read: the
 * first one may ask for the password.
 */
export function useWatch(isRead: boolean, again: () => void): void {
  const backend = useBackend();
  const changes = useApp(({ revisions }) => revisions.mail);
  const seen = useRef(changes);
  const reload = useEffectEvent(again);
  useEffect(() => {
    if (seen.current === changes) return;
    seen.current = changes;
    reload();
  }, [changes]);
  useEffect(() => {
    if (!isRead) return;
    // Without a watch, the list is still reloaded from time to time.
    const watch = (open: boolean) => void (watching = watching.then(() => backend.rpc('watch_mail', { open })).catch(() => {}));
    watch(true);
    const timer = setInterval(() => watch(true), RENEWED_EVERY);
    return () => {
      clearInterval(timer);
      watch(false);
    };
  }, [backend, isRead]);
}
