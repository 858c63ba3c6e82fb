// Web APIs that make sense without pages, files and connections: URLs, text encoding, and fetch, which sends
// a request to Nova.
import { AbortController, ask, define } from 'nova:globals';

let host;
const { parse, stringify } = JSON;
// Bytes are passed to Nova as base64.
const toBase64 = Function.prototype.call.bind(Uint8Array.prototype.toBase64);
const fromBase64 = Uint8Array.fromBase64.bind(Uint8Array);

export function installWeb(given) {
  host = given;
  define({ Headers, Request, Response, TextDecoder, TextEncoder, URL, URLSearchParams, fetch });
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
      this.#pairs = host.parseQuery(whole(init.startsWith('?') ? init.slice(1) : init));
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
    return host.writeQuery(this.#pairs.map((pair) => pair.map(whole)));
  }
}

// In the order of the components from `host.parseUrl`.
const PARTS = ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'];

function parseUrl(url, base) {
  return host.parseUrl(whole(url), base === undefined ? undefined : whole(base));
}

// Replaces lone surrogates, which UTF-8 cannot encode.
function whole(text) {
  return `${text}`.toWellFormed();
}

class URL {
  #parts;
  #params;
  constructor(url, base) {
    this.#parts = parseUrl(url, base);
    if (!this.#parts) {
      throw new TypeError(`'${url}' is not a URL`);
    }
  }
  static canParse(url, base) {
    return !!parseUrl(url, base);
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
          const parts = host.changeUrl(this.#parts[0], part, whole(value));
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
    return host.encode(whole(text));
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

// The common base of Request and Response. Bodies are complete; streams are not supported.
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

// The bytes and the default content type of a body.
function content(body) {
  if (body == null) return [null];
  if (typeof body === 'string') return [host.encode(whole(body)), 'text/plain;charset=UTF-8'];
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
