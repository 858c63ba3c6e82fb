import { expect, test } from 'vitest';

import { wheelSteps } from './wheel';

/** The steps of events that are 16 ms apart. */
function steps(events: readonly { deltaY: number; deltaMode?: number; wheelDeltaY?: number; at?: number }[]): number[] {
  const turned = wheelSteps();
  return events.map(({ deltaMode = 0, at, ...event }, index) => turned({ ...event, deltaMode, timeStamp: at ?? index * 16 }));
}

const many = (count: number, deltaY: number) => Array.from({ length: count }, () => ({ deltaY }));

test('a touchpad makes one step per hundred pixels', () => {
  const told = steps(many(60, -5));
  expect(told.reduce((sum, step) => sum + step, 0)).toBe(-3);
  expect(told.indexOf(-1)).toBe(19);
});

test.each([
  ['in pixels', { deltaY: -120, wheelDeltaY: 120 }, -1],
  ['in few pixels, as some browsers count', { deltaY: 40, wheelDeltaY: -120 }, 1],
  ['two at once', { deltaY: 200, wheelDeltaY: -240 }, 2],
  ['in lines', { deltaY: -3, deltaMode: 1 }, -1],
  ['where nothing is told of notches', { deltaY: 100 }, 1],
])('a wheel notch is a step: %s', (_how, event, expected) => {
  expect(steps([event])).toEqual([expected]);
});

test('a pinch, whose events all claim to be a notch, is measured in pixels', () => {
  expect(steps(Array.from({ length: 10 }, () => ({ deltaY: -2, wheelDeltaY: 120 }))).every((step) => step === 0)).toBe(true);
});

test('the rest of a movement counts neither backwards nor for the next one', () => {
  expect(steps([{ deltaY: 90 }, { deltaY: -20 }, { deltaY: -85 }])).toEqual([0, 0, -1]);
  expect(steps([{ deltaY: 90, at: 0 }, { deltaY: 90, at: 1000 }])).toEqual([0, 0]);
});
