// Before React DOM, which looks for the hook once.
import './renders';

import '@testing-library/jest-dom/vitest';
import { cleanup, configure, getConfig } from '@testing-library/react';
import { afterEach } from 'vitest';

afterEach(cleanup);

// Let React render and run effects before the test continues: it uses immediates, which on a busy machine run
// after the timer that Testing Library waits for.
const { asyncWrapper } = getConfig();
const immediate = setImmediate;
configure({
  // Awaited changes are immediate; only slow machines need this long.
  asyncUtilTimeout: 20_000,
  asyncWrapper: (act) =>
    asyncWrapper(async () => {
      const done = await act();
      for (let turn = 0; turn < 3; turn++) await new Promise((next) => immediate(next));
      return done;
    }),
});

// What jsdom lacks. Tests of tooling run without jsdom.
if (typeof window !== 'undefined') {
  globalThis.ResizeObserver ??= class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
  window.matchMedia ??= (media: string) =>
    ({ media, matches: false, addEventListener() {}, removeEventListener() {} }) as unknown as MediaQueryList;
  window.PointerEvent ??= class extends MouseEvent {
    readonly pointerId: number;
    constructor(type: string, init: PointerEventInit = {}) {
      super(type, init);
      this.pointerId = init.pointerId ?? 0;
    }
  } as unknown as typeof PointerEvent;
  Element.prototype.scrollIntoView ??= () => {};
  Element.prototype.scrollTo ??= () => {};
  Range.prototype.getBoundingClientRect ??= () => new DOMRect();
  Element.prototype.hasPointerCapture ??= () => false;
  Element.prototype.setPointerCapture ??= () => {};
  Element.prototype.releasePointerCapture ??= () => {};
}
