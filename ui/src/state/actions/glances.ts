// What skills say without being asked.
import { nothing, type GlanceView } from '../../ipc';
import type { Tools } from './access';

/** Between two readings, ms: a sync of many notes is no reason to read without a pause. */
const PAUSE = 1000;

export function glanceActions({ backend, setApp }: Tools) {
  let reading: Promise<void> | null = null;
  let stale = false;
  const read = async () => {
    // Nobody asked, so nobody is told that there is no answer: nothing stands beside the names then.
    const glances = await backend.rpc('list_glances', nothing).catch((): GlanceView[] => []);
    setApp((app) => ({ ...app, glances }));
  };
  return {
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
