// What skills say without being asked.
import { nothing, type GlanceView } from '../../ipc';
import type { Tools } from './access';

/** Between two readings, ms: a sync of many notes is no reason to read without a pause. */
const PAUSE = 1000;

export function glanceActions({ backend, setApp }: Tools) {
  let reading: Promise<void> | null = null;
  let stale = false;
  /** How many vaults were opened. */
  let vaults = 0;
  const read = async () => {
    const of = vaults;
    // A failure needs no report, as nobody asked: the old words beside the names stay.
    const glances = await backend.rpc('list_glances', nothing).catch(() => null);
    if (of !== vaults) return;
    setApp((app) => {
      const before = app.glances ?? [];
      return glances === null ? { ...app, glances: before } : { ...app, glances: withLate(glances, before), glancesReadAt: Date.now() };
    });
  };
  return {
    /** Another vault is open: what was said, or is being read, is of notes that do not exist. */
    forgetGlances(): void {
      vaults += 1;
      setApp((app) => ({ ...app, glances: null, glancesReadAt: null }));
    },

    /** While they are read, changes of many notes ask for one more reading, not for many. */
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

/** What took too long this time says what it said last. */
function withLate(glances: readonly GlanceView[], before: readonly GlanceView[]): GlanceView[] {
  return glances.map((one, at) => {
    const last = before[at];
    return one.late && last?.skill === one.skill && last.ask === one.ask ? { ...one, says: last.says, badge: last.badge, today: last.today } : one;
  });
}
