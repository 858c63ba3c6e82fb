// Globals of tools besides the language itself and the web APIs in web.mjs: requests to Nova, timers, events,
// the console and random numbers. All output goes through `ask`.

let host;
const { parse, stringify } = JSON;

// Pending requests to Nova.
const asked = new Map();

export function ask(want, signal) {
  const { stack } = new Error(); // so that a refusal has the tool's line rather than this one
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const id = host.ask(stringify(want));
    const stopped = () => asked.delete(id) && reject(signal.reason);
    signal?.addEventListener('abort', stopped);
    asked.set(id, (ok, text, code) => {
      signal?.removeEventListener('abort', stopped);
      if (ok) {
        resolve(parse(text));
      } else {
        const error = want.type === 'fetch' ? new TypeError(text) : new Error(text);
        error.stack = stack;
        if (code !== undefined) error.code = code;
        reject(error);
      }
    });
  });
}

export function settle(id, ok, text, code) {
  const done = asked.get(id);
  asked.delete(id);
  done?.(ok, text, code);
}

export function forget() {
  asked.clear();
  timers.running.clear();
}

export const timers = {
  running: new Map(),
  start(run, ms, args, every) {
    if (typeof run !== 'function') {
      throw new TypeError('a timer wants a function');
    }
    const wait = Math.min(Math.max(Number(ms) || 0, every === undefined ? 0 : 1), 0x7fffffff);
    const id = host.startTimer(wait);
    timers.running.set(id, { run, args, wait: every && wait });
    return id;
  },
  stop(id) {
    if (timers.running.delete(id)) {
      host.stopTimer(id);
    }
  },
  fire(id) {
    const timer = timers.running.get(id);
    if (timer?.wait) {
      host.restartTimer(id, timer.wait);
    } else {
      timers.running.delete(id);
    }
    timer?.run(...timer.args);
  },
};

class Event {
  constructor(type, init = {}) {
    this.type = `${type}`;
    this.cancelable = !!init.cancelable;
    this.defaultPrevented = false;
    this.target = null;
    this.timeStamp = performance.now();
  }
  get currentTarget() {
    return this.target;
  }
  preventDefault() {
    this.defaultPrevented = this.cancelable;
  }
  stopPropagation() {}
  stopImmediatePropagation() {
    this.stopped = true;
  }
}

class EventTarget {
  #listeners = [];
  addEventListener(type, listener, options) {
    const known = this.#listeners.some((l) => l.type === type && l.listener === listener);
    if (listener && !known && !options?.signal?.aborted) {
      this.#listeners.push({ type, listener, once: !!options?.once });
      options?.signal?.addEventListener('abort', () => this.removeEventListener(type, listener));
    }
  }
  removeEventListener(type, listener) {
    this.#listeners = this.#listeners.filter((l) => l.type !== type || l.listener !== listener);
  }
  dispatchEvent(event) {
    event.target = this;
    const handler = this[`on${event.type}`];
    const called = this.#listeners.filter((l) => l.type === event.type);
    if (typeof handler === 'function') {
      called.unshift({ listener: handler });
    }
    for (const { type, listener, once } of called) {
      if (event.stopped) break;
      if (once) this.removeEventListener(type, listener);
      try {
        typeof listener === 'function' ? listener.call(this, event) : listener.handleEvent(event);
      } catch (error) {
        console.error('an event listener threw:', error);
      }
    }
    return !event.defaultPrevented;
  }
}

let abort; // aborts a signal; for its controller only
class AbortSignal extends EventTarget {
  #reason;
  #aborted = false;
  onabort = null;
  static {
    abort = (signal, reason) => {
      if (signal.#aborted) return;
      signal.#aborted = true;
      signal.#reason = reason ?? new DOMException('the call was stopped', 'AbortError');
      signal.dispatchEvent(new Event('abort'));
    };
  }
  get aborted() {
    return this.#aborted;
  }
  get reason() {
    return this.#reason;
  }
  throwIfAborted() {
    if (this.#aborted) throw this.#reason;
  }
  static abort(reason) {
    const signal = new AbortSignal();
    abort(signal, reason);
    return signal;
  }
  static timeout(ms) {
    const signal = new AbortSignal();
    const late = () => abort(signal, new DOMException(`${ms} ms are over`, 'TimeoutError'));
    timers.start(late, ms, []);
    return signal;
  }
  static any(signals) {
    const any = new AbortSignal();
    for (const signal of signals) {
      if (signal.aborted) abort(any, signal.reason);
      signal.addEventListener('abort', () => abort(any, signal.reason), { once: true });
    }
    return any;
  }
}

export class AbortController {
  signal = new AbortSignal();
  abort(reason) {
    abort(this.signal, reason);
  }
}

function structuredClone(value, seen = new Map()) {
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new DOMException(`a ${typeof value} cannot be cloned`, 'DataCloneError');
  }
  if (typeof value !== 'object' || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  const keep = (copy) => (seen.set(value, copy), copy);
  if (value instanceof Date) return keep(new Date(value));
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
  if (value instanceof ArrayBuffer) return keep(value.slice());
  if (ArrayBuffer.isView(value)) {
    const buffer = structuredClone(value.buffer, seen);
    return keep(new value.constructor(buffer, value.byteOffset, value.length ?? value.byteLength));
  }
  if (value instanceof Map) {
    const copy = keep(new Map());
    for (const [k, v] of value) copy.set(structuredClone(k, seen), structuredClone(v, seen));
    return copy;
  }
  if (value instanceof Set) {
    const copy = keep(new Set());
    for (const v of value) copy.add(structuredClone(v, seen));
    return copy;
  }
  const copy = keep(
    Array.isArray(value) ? [] : value instanceof Error ? Object.create(Object.getPrototypeOf(value)) : {},
  );
  if (value instanceof Error) Object.assign(copy, { message: value.message, stack: value.stack });
  for (const key of Object.keys(value)) copy[key] = structuredClone(value[key], seen);
  return copy;
}

// Formats values for the log.
export function line(values) {
  return values.map(show).join(' ').toWellFormed();
}

function show(value) {
  try {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    return stringify(value) ?? String(value);
  } catch {
    try {
      return String(value);
    } catch {
      return `a ${typeof value} that cannot be shown`;
    }
  }
}

function consoleOf() {
  const write = (level) => (...what) => host.log(level, line(what));
  return {
    debug: write('debug'), trace: write('debug'), log: write('info'), info: write('info'),
    dir: write('info'), warn: write('warn'), error: write('error'),
    assert: (holds, ...what) => holds || host.log('error', `assertion failed: ${line(what)}`),
  };
}

function randomUUID() {
  const bytes = host.random(16);
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function getRandomValues(array) {
  if (!ArrayBuffer.isView(array) || array.byteLength > 65536) {
    throw new TypeError('getRandomValues fills a typed array of at most 65,536 bytes');
  }
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(host.random(array.byteLength));
  return array;
}

export function install(given) {
  host = given;
  define({
    AbortController, AbortSignal, Event, EventTarget, structuredClone: (value) => structuredClone(value),
    setTimeout: (run, ms, ...args) => timers.start(run, ms, args),
    setInterval: (run, ms, ...args) => timers.start(run, ms, args, true),
    clearTimeout: timers.stop,
    clearInterval: timers.stop,
    console: consoleOf(),
    crypto: Object.freeze({ randomUUID, getRandomValues }),
  });
  withoutEval();
  // Its callbacks could run during a later call.
  delete globalThis.FinalizationRegistry;
}

// Non-enumerable, like the language's own globals.
export function define(globals) {
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
}

// Only the code that the user has reviewed runs: strings cannot be evaluated.
function withoutEval() {
  delete globalThis.eval;
  const kinds = [function () {}, async function () {}, function* () {}, async function* () {}];
  const none = function Function() {
    throw new EvalError('a tool makes no code out of texts: `eval` and `new Function` are not here');
  };
  for (const kind of kinds) {
    const proto = Object.getPrototypeOf(kind);
    Object.defineProperty(proto, 'constructor', { value: none });
  }
  none.prototype = Object.getPrototypeOf(kinds[0]);
  globalThis.Function = none;
}
