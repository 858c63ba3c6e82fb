// How far a wheel was turned, or two fingers drawn over a touchpad, in steps that a person means.

/** Of a wheel; an old property that every browser has and no standard names. */
interface Turned extends Pick<WheelEvent, 'deltaY' | 'deltaMode' | 'timeStamp'> {
  readonly wheelDeltaY?: number;
}

/** Pixels of a touchpad. */
const STEP = 100;

/** What browsers call one notch of a wheel, however many pixels it scrolls there. */
const NOTCH = 120;

/** Pixels: a pinch calls each of its many events a notch, and they are smaller. */
const LEAST_OF_NOTCH = 30;

/** Milliseconds after which it is another movement. */
const PAUSE = 400;

/** Tells of each event how many whole steps it makes with those before it; more than 0 is down. */
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
    // Not -0.
    return steps || 0;
  };
}

function partOf({ deltaY, deltaMode, wheelDeltaY = 0 }: Turned): number {
  // Lines or pages, which only wheels tell.
  if (deltaMode !== 0) return Math.sign(deltaY);
  const notches = Math.abs(wheelDeltaY) / NOTCH;
  if (notches > 0 && Number.isInteger(notches) && Math.abs(deltaY) >= LEAST_OF_NOTCH) return Math.sign(deltaY) * notches;
  return deltaY / STEP;
}
