// What a tool finds beside the language: the part of the web's interfaces that makes sense where
// there is no page, no file and no connection. Everything that leaves goes through `ask`.

let host;
const { parse, stringify } = JSON;
// Bytes cross to Nova as base64.
const toBase64 = Function.prototype.call.bind(Uint8Array.prototype.toBase64);
const fromBase64 = Uint8Array.fromBase64.bind(Uint8Array);

// Questions to Nova that have no answer yet.
const asked = new Map();

export function ask(want, signal) {
  const { stack } = new Error(); // so that a refusal names the tool's line, not this one
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const id = host.ask(stringify(want));
    const stopped = () => asked.delete(id) && reject(signal.reason);
    signal?.addEventListener('abort', stopped);
    asked.set(id, (ok, text) => {
      signal?.removeEventListener('abort', stopped);
      if (ok) {
        resolve(parse(text));
      } else {
        const error = want.type === 'fetch' ? new TypeError(text) : new Error(text);
        error.stack = stack;
        reject(error);
      }
    });
  });
}

export function settle(id, ok, text) {
  const done = asked.get(id);
  asked.delete(id);
  done?.(ok, text);
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

let abort; // aborts a signal; only its controller may
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

class URLSearchParams {
  #pairs = [];
  #changed = () => {};
  static linked(query, changed) {
    const params = new URLSearchParams(query);
    params.#changed = changed;
    return params;
  }
  constructor(init = '') {
    if (typeof init === 'string') {
      this.#pairs = host.parseQuery(init.startsWith('?') ? init.slice(1) : init);
    } else {
      const pairs = init[Symbol.iterator] ? [...init] : Object.entries(init);
      this.#pairs = pairs.map(([name, value]) => [`${name}`, `${value}`]);
    }
  }
  get size() {
    return this.#pairs.length;
  }
  append(name, value) {
    this.#pairs.push([`${name}`, `${value}`]);
    this.#changed(this);
  }
  delete(name, value) {
    this.#pairs = this.#pairs.filter(
      ([n, v]) => n !== `${name}` || (value !== undefined && v !== `${value}`),
    );
    this.#changed(this);
  }
  get(name) {
    return this.#pairs.find(([n]) => n === `${name}`)?.[1] ?? null;
  }
  getAll(name) {
    return this.#pairs.filter(([n]) => n === `${name}`).map(([, value]) => value);
  }
  has(name, value) {
    return this.#pairs.some(
      ([n, v]) => n === `${name}` && (value === undefined || v === `${value}`),
    );
  }
  set(name, value) {
    const first = this.#pairs.find(([n]) => n === `${name}`);
    if (!first) return this.append(name, value);
    first[1] = `${value}`;
    this.#pairs = this.#pairs.filter((pair) => pair === first || pair[0] !== `${name}`);
    this.#changed(this);
  }
  sort() {
    this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#changed(this);
  }
  forEach(each, self) {
    for (const [name, value] of this) each.call(self, value, name, this);
  }
  *entries() {
    for (const [name, value] of this.#pairs) yield [name, value];
  }
  *keys() {
    for (const [name] of this.#pairs) yield name;
  }
  *values() {
    for (const [, value] of this.#pairs) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  toString() {
    return host.writeQuery(this.#pairs);
  }
}

// In the order in which `host.parseUrl` tells the parts.
const PARTS = ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'];

class URL {
  #parts;
  #params;
  constructor(url, base) {
    this.#parts = host.parseUrl(`${url}`, base === undefined ? undefined : `${base}`);
    if (!this.#parts) {
      throw new TypeError(`'${url}' is not a URL`);
    }
  }
  static canParse(url, base) {
    return !!host.parseUrl(`${url}`, base === undefined ? undefined : `${base}`);
  }
  static parse(url, base) {
    return URL.canParse(url, base) ? new URL(url, base) : null;
  }
  static {
    PARTS.forEach((part, i) => {
      Object.defineProperty(URL.prototype, part, {
        enumerable: true,
        configurable: true,
        get() {
          return this.#parts[i];
        },
        set(value) {
          const parts = host.changeUrl(this.#parts[0], part, `${value}`);
          if (!parts) throw new TypeError(`'${value}' cannot be the ${part} of a URL`);
          this.#parts = parts;
          this.#params = undefined;
        },
      });
    });
  }
  get origin() {
    return this.#parts[10];
  }
  get searchParams() {
    this.#params ??= URLSearchParams.linked(this.#parts[8], (params) => {
      this.#parts = host.changeUrl(this.#parts[0], 'search', params.toString());
    });
    return this.#params;
  }
  toString() {
    return this.#parts[0];
  }
  toJSON() {
    return this.#parts[0];
  }
}

class TextEncoder {
  get encoding() {
    return 'utf-8';
  }
  encode(text = '') {
    return host.encode(`${text}`.toWellFormed());
  }
}

class TextDecoder {
  #latin;
  #fatal;
  #ignoreBOM;
  constructor(label = 'utf-8', options = {}) {
    const name = `${label}`.trim().toLowerCase();
    this.#latin = /^(latin1|iso-?8859-1|l1|ascii|us-ascii|windows-1252|cp1252)$/.test(name);
    if (!this.#latin && !/^(utf-?8|unicode-1-1-utf-8)$/.test(name)) {
      throw new RangeError(`TextDecoder knows utf-8 and windows-1252 (latin1), not '${label}'`);
    }
    this.#fatal = !!options.fatal;
    this.#ignoreBOM = !!options.ignoreBOM;
  }
  get encoding() {
    return this.#latin ? 'windows-1252' : 'utf-8';
  }
  get fatal() {
    return this.#fatal;
  }
  decode(bytes = new Uint8Array(), options = {}) {
    if (options.stream) {
      throw new TypeError('TextDecoder decodes whole texts; { stream: true } is not here');
    }
    const text = host.decode(toBase64(view(bytes)), this.#latin);
    if (this.#fatal && text === undefined) {
      throw new TypeError('the bytes are not UTF-8');
    }
    const shown = text ?? host.decodeLossy(toBase64(view(bytes)));
    return !this.#ignoreBOM && !this.#latin && shown.startsWith('\ufeff') ? shown.slice(1) : shown;
  }
}

function view(bytes) {
  if (bytes instanceof Uint8Array) return bytes;
  if (ArrayBuffer.isView(bytes)) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes instanceof ArrayBuffer) return new Uint8Array(bytes);
  throw new TypeError('bytes are an ArrayBuffer or a view of one');
}

class Headers {
  #fields = new Map();
  constructor(init) {
    if (init == null) return;
    const pairs = init[Symbol.iterator] ? [...init] : Object.entries(init);
    for (const [name, value] of pairs) this.append(name, value);
  }
  append(name, value) {
    const [key, text] = field(name, value);
    this.#fields.set(key, [...(this.#fields.get(key) ?? []), text]);
  }
  set(name, value) {
    const [key, text] = field(name, value);
    this.#fields.set(key, [text]);
  }
  delete(name) {
    this.#fields.delete(`${name}`.toLowerCase());
  }
  get(name) {
    return this.#fields.get(`${name}`.toLowerCase())?.join(', ') ?? null;
  }
  has(name) {
    return this.#fields.has(`${name}`.toLowerCase());
  }
  getSetCookie() {
    return [...(this.#fields.get('set-cookie') ?? [])];
  }
  forEach(each, self) {
    for (const [name, value] of this) each.call(self, value, name, this);
  }
  *entries() {
    for (const name of [...this.#fields.keys()].sort()) {
      if (name === 'set-cookie') {
        for (const value of this.#fields.get(name)) yield [name, value];
      } else {
        yield [name, this.get(name)];
      }
    }
  }
  *keys() {
    for (const [name] of this) yield name;
  }
  *values() {
    for (const [, value] of this) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
}

function field(name, value) {
  const key = `${name}`.toLowerCase();
  const text = `${value}`.trim();
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key)) {
    throw new TypeError(`'${name}' is not the name of a header`);
  }
  if (/[\0\r\n]/.test(text)) {
    throw new TypeError(`the value of the header '${name}' has a line break`);
  }
  return [key, text];
}

// What Request and Response have in common. There are no streams: a body is there as a whole.
class Body {
  #bytes;
  #used = false;
  constructor(bytes) {
    this.#bytes = bytes;
  }
  static of(body) {
    return body.#bytes;
  }
  get bodyUsed() {
    return this.#used;
  }
  #take() {
    if (this.#used) throw new TypeError('the body was read already; clone() it before');
    this.#used = this.#bytes !== null;
    return this.#bytes ?? new Uint8Array();
  }
  async bytes() {
    return this.#take().slice();
  }
  async arrayBuffer() {
    return this.#take().slice().buffer;
  }
  async text() {
    return new TextDecoder().decode(this.#take());
  }
  async json() {
    return parse(new TextDecoder().decode(this.#take()));
  }
}

// The bytes of what was given as a body, and the content type that goes with it.
function content(body) {
  if (body == null) return [null];
  if (typeof body === 'string') return [host.encode(body.toWellFormed()), 'text/plain;charset=UTF-8'];
  if (body instanceof URLSearchParams) {
    return [host.encode(`${body}`), 'application/x-www-form-urlencoded;charset=UTF-8'];
  }
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return [view(body).slice()];
  throw new TypeError('a body is a string, URLSearchParams or bytes; for an object JSON.stringify(it)');
}

class Request extends Body {
  constructor(input, init = {}) {
    const from = input instanceof Request ? input : undefined;
    const [bytes, type] = 'body' in init ? content(init.body) : [from ? Body.of(from) : null];
    super(bytes);
    this.url = from ? from.url : new URL(input).href;
    this.method = `${init.method ?? from?.method ?? 'GET'}`;
    if (/^(get|head|post|put|delete|options|patch)$/i.test(this.method)) {
      this.method = this.method.toUpperCase();
    }
    this.headers = new Headers(init.headers ?? from?.headers);
    this.signal = init.signal ?? from?.signal ?? new AbortController().signal;
    if (type && !this.headers.has('content-type')) this.headers.set('content-type', type);
    if (bytes && /^(GET|HEAD)$/.test(this.method)) {
      throw new TypeError(`a ${this.method} request has no body`);
    }
  }
  clone() {
    return new Request(this);
  }
}

class Response extends Body {
  constructor(body, init = {}) {
    const [bytes, type] = content(body);
    super(bytes);
    this.status = init.status ?? 200;
    this.statusText = init.statusText ?? '';
    this.headers = new Headers(init.headers);
    this.url = init.url ?? '';
    this.redirected = !!init.redirected;
    if (type && !this.headers.has('content-type')) this.headers.set('content-type', type);
  }
  static json(data, init = {}) {
    const headers = new Headers(init.headers);
    if (!headers.has('content-type')) headers.set('content-type', 'application/json');
    return new Response(stringify(data), { ...init, headers });
  }
  get ok() {
    return this.status >= 200 && this.status < 300;
  }
  clone() {
    if (this.bodyUsed) throw new TypeError('the body was read already');
    return new Response(Body.of(this), this);
  }
}

const REASONS = {
  200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No Content', 206: 'Partial Content',
  301: 'Moved Permanently', 302: 'Found', 303: 'See Other', 304: 'Not Modified',
  307: 'Temporary Redirect', 308: 'Permanent Redirect', 400: 'Bad Request', 401: 'Unauthorized',
  403: 'Forbidden', 404: 'Not Found', 405: 'Method Not Allowed', 409: 'Conflict', 410: 'Gone',
  422: 'Unprocessable Content', 429: 'Too Many Requests', 500: 'Internal Server Error',
  502: 'Bad Gateway', 503: 'Service Unavailable', 504: 'Gateway Timeout',
};

async function fetch(input, init) {
  const request = new Request(input, init);
  const body = Body.of(request);
  const want = {
    type: 'fetch',
    method: request.method,
    url: request.url,
    headers: [...request.headers],
    body: body && toBase64(body),
  };
  const { status, headers, body: got, url } = await ask(want, request.signal);
  return new Response(fromBase64(got), {
    status, headers, url, statusText: REASONS[status] ?? '', redirected: url !== request.url,
  });
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

// How values read in a log.
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
  view(array).set(host.random(array.byteLength));
  return array;
}

export function install(given) {
  host = given;
  const globals = {
    AbortController, AbortSignal, Event, EventTarget, Headers, Request, Response, TextDecoder,
    TextEncoder, URL, URLSearchParams, fetch, structuredClone: (value) => structuredClone(value),
    setTimeout: (run, ms, ...args) => timers.start(run, ms, args),
    setInterval: (run, ms, ...args) => timers.start(run, ms, args, true),
    clearTimeout: timers.stop,
    clearInterval: timers.stop,
    console: consoleOf(),
    crypto: Object.freeze({ randomUUID, getRandomValues }),
  };
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
  withoutEval();
}

// What the user was shown is what runs: no code is made of texts.
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
