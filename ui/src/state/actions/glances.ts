// Loads due items reported by skills.
import { nothing, type GlanceView } from '../../ipc';
import type { Tools } from './access';

/** Minimum time between loads, ms, so that a sync of many notes does not cause continuous loading. */
const PAUSE = 1000;

export function glanceActions({ backend, setApp }: Tools) {
  let reading: Promise<void> | null = null;
  let stale = false;
  /** Number of vaults opened. */
  let vaults = 0;
  const read = async () => {
    const of = vaults;
    // Nobody requested it, so a failure is not reported: the old items stay.
    const glances = await backend.rpc('list_glances', nothing).catch(() => null);
    if (of !== vaults) return;
    setApp((app) => {
      const before = app.glances ?? [];
      return glances === null ? { ...app, glances: before } : { ...app, glances: withLate(glances, before), glancesReadAt: Date.now() };
    });
  };
  return {
    /** Another vault was opened: loaded and pending items refer to missing notes. */
    clearGlances(): void {
      vaults += 1;
      setApp((app) => ({ ...app, glances: null, glancesReadAt: null }));
    },

    /** Changes of notes during a load cause one more load, not one each. */
    loadGlances(): Promise<void> {
      stale = true;
      reading ??= (async () => {
        for (let first = true; stale; first = false) {
          if (!first) await new Promise((done) => setTimeout(done, PAUSE));
          stale = false;
          await read();
        }
        reading = null;
      })();
      return reading;
    },
  };
}

/** A skill that timed out keeps its last items. */
function withLate(glances: readonly GlanceView[], before: readonly GlanceView[]): GlanceView[] {
  return glances.map((one, at) => {
    const last = before[at];
    return one.late && last?.skill === one.skill && last.ask === one.ask ? { ...one, says: last.says, badge: last.badge, today: last.today } : one;
  });
}
