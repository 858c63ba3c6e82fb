// Converts wheel and touchpad movement to discrete steps.

/** Includes `wheelDeltaY`, which every browser has although it is not standard. */
interface Turned extends Pick<WheelEvent, 'deltaY' | 'deltaMode' | 'timeStamp'> {
  readonly wheelDeltaY?: number;
}

/** Pixels per step of a touchpad. */
const STEP = 100;

/** The delta that browsers report for one wheel notch, whatever its pixels. */
const NOTCH = 120;

/** Minimum pixels of a notch: a pinch reports each of its small events as one. */
const LEAST_OF_NOTCH = 30;

/** Milliseconds after which a new movement starts. */
const PAUSE = 400;

/** Returns the whole steps completed by each event; positive is down. */
export function wheelSteps(): (event: Turned) => number {
  let sum = 0;
  let last = -Infinity;
  return (event) => {
    const { timeStamp } = event;
    const part = partOf(event);
    if (timeStamp - last > PAUSE || Math.sign(part) !== Math.sign(sum)) sum = 0;
    last = timeStamp;
    sum += part;
    const steps = Math.trunc(sum);
    sum -= steps;
    // Avoids -0.
    return steps || 0;
  };
}

function partOf({ deltaY, deltaMode, wheelDeltaY = 0 }: Turned): number {
  // Lines or pages, which only wheels report.
  if (deltaMode !== 0) return Math.sign(deltaY);
  const notches = Math.abs(wheelDeltaY) / NOTCH;
  if (notches > 0 && Number.isInteger(notches) && Math.abs(deltaY) >= LEAST_OF_NOTCH) return Math.sign(deltaY) * notches;
  return deltaY / STEP;
}
