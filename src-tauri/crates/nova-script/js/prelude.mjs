// The JavaScript side of a load and a call: `defineTool`, `ctx`, and conversion of results to JSON.
// src/child/isolate.rs calls the exports; tools cannot import this module.
import { z } from 'zod';
import { AbortController, ask, forget, install, line, settle, timers } from 'nova:globals';
import { installWeb } from 'nova:web';

// Captured before a tool runs, because it may modify any global.
const { parse, stringify } = JSON;
const { freeze } = Object;
const { isArray } = Array;

const EFFECTS = ['read', 'write', 'external', 'destructive', 'send'];
// Required properties of a definition, and their descriptions.
const REQUIRED = [
  ['name', 'name is what the tool is called'],
  ['description', 'description says in a sentence what the tool does, the model reads it'],
  ['parameters', 'parameters is a zod object: z.object({ ... }), empty for a tool without arguments'],
  ['execute', 'execute is a function: async (args, ctx) => { ... }'],
];
const EXAMPLE = 'export default defineTool({ name, description, parameters, execute })';

let host;
let tool;
let controller;
const defined = new WeakSet();

// An error raised by Nova; tools cannot forge its kind.
class Fault extends Error {
  #kind;
  constructor(kind, message) {
    super(message);
    this.#kind = kind;
  }
  static kind(error) {
    return #kind in error ? error.#kind : '';
  }
}

export function start(given) {
  host = given;
  install(given);
  installWeb(given);
  z.config({ jitless: true }); // otherwise zod uses the Function constructor, which is unavailable
}

// Records the current line of the file.
export function at(line) {
  host.at(line);
}

export function defineTool(spec) {
  if (typeof spec !== 'object' || spec === null) {
    throw new Fault('definition', `defineTool takes an object: ${EXAMPLE}`);
  }
  const made = freeze({ ...spec });
  defined.add(made);
  return made;
}

// The other tools of the chat: `tools.crm.list_contacts({ stage: 'lead' })`.
export const tools = byName((skill) => byName((tool) => (args) => callOther(`${skill}.${tool}`, args)));

async function callOther(tool, args = {}) {
  return (await ask({ type: 'call', tool, args }, controller?.signal)).value;
}

// A proxy with every property, except those by which it would be taken for a promise or a custom JSON value.
function byName(make) {
  const get = (_, name) => (typeof name === 'string' && name !== 'then' && name !== 'toJSON' ? make(name) : undefined);
  return new Proxy(freeze({}), { get });
}

// Validates the default export of a file, and returns a Definition as JSON.
export function define(value) {
  if (!defined.has(value)) {
    wrong(`a file's default export is what defineTool returned: ${EXAMPLE}`);
  }
  const { name, parameters, execute, effect, hosts, requires_credentials, vault } = value;
  const missing = REQUIRED.filter(([key]) => value[key] === undefined);
  if (missing.length > 1) {
    const [last, ...others] = missing.map(([key]) => key).reverse();
    wrong(`${others.reverse().join(', ')} and ${last} are missing: ${missing.map(([, what]) => what).join('; ')}`);
  }
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    wrong(`name is ${brief(name)}; it has 1 to 64 of the characters A-Z, a-z, 0-9, _ and -`);
  }
  const { description, ...fragments } = described(value.description);
  if (typeof description !== 'string' || description.trim() === '') {
    wrong('description is missing: say in a sentence what the tool does, the model reads it');
  }
  if ([...description].length > 4096) {
    wrong('description is longer than 4,096 characters');
  }
  if (!(parameters instanceof z.ZodObject)) {
    wrong('parameters is a zod object: z.object({ ... }), empty for a tool without arguments');
  }
  if (typeof execute !== 'function') {
    wrong('execute is a function: async (args, ctx) => { ... }, or async function* to stream');
  }
  if (effect !== undefined && !EFFECTS.includes(effect)) {
    wrong(`effect is ${brief(effect)}; it is one of ${EFFECTS.join(', ')}`);
  }
  if (vault !== undefined && !['read', 'write'].includes(vault)) {
    wrong(`vault is ${brief(vault)}; it is 'read' or 'write', or left out`);
  }
  if (vault === 'write' && effect !== undefined && effect !== 'write') {
    wrong(`vault: 'write' goes with effect: 'write'; hosts are asked about by themselves`);
  }
  tool = value;
  return stringify({
    name,
    description,
    fragments,
    parameters: schema(parameters),
    effect: effect ?? null,
    credentials: list('requires_credentials', requires_credentials).map(credential),
    hosts: list('hosts', hosts).map(hostname),
    proposed_hosts: [],
    vault: vault ?? null,
  });
}

// A description is a string, or an object with structured fragments.
function described(given) {
  const none = { use_when: [], not_when: [], cite: [], example: [] };
  if (typeof given !== 'object' || given === null) {
    return { description: given, ...none };
  }
  for (const key of Object.keys(given)) {
    if (key !== 'purpose' && !(key in none)) {
      wrong(`description.${key} is not known; there are purpose, ${Object.keys(none).join(', ')}`);
    }
  }
  const texts = (key) => {
    const value = given[key] ?? [];
    return list(`description.${key}`, typeof value === 'string' ? [value] : value);
  };
  const notWhen = given.not_when ?? [];
  const is = (part) => typeof part?.clause === 'string' && typeof part?.instead === 'string';
  if (!isArray(notWhen) || !notWhen.every(is)) {
    wrong(`description.not_when is a list of { clause, instead }`);
  }
  return {
    description: given.purpose,
    use_when: texts('use_when'),
    not_when: notWhen.map(({ clause, instead }) => ({ clause, instead })),
    cite: texts('cite'),
    example: texts('example'),
  };
}

// Runs the tool; resolves to the result as JSON.
export async function call(args, request, given) {
  controller = new AbortController();
  const context = contextOf(freezeDeep(parse(request)), freezeDeep(parse(given)), controller.signal);
  const parsed = await tool.parameters.safeParseAsync(parse(args));
  if (!parsed.success) {
    throw new Fault('arguments', z.prettifyError(parsed.error));
  }
  const running = tool.execute(parsed.data, context);
  if (typeof running?.next !== 'function' || !running[Symbol.asyncIterator]) {
    return toJson(await running);
  }
  let last;
  for (;;) {
    const { done, value } = await running.next();
    if (done) {
      return toJson(value === undefined ? last : value);
    }
    last = value;
    const refused = host.partial(toJson(value));
    if (refused) {
      throw new Fault('result', refused);
    }
  }
}

export function answer(id, ok, text, code) {
  settle(id, ok, text, code);
}

export function cancel() {
  controller?.abort();
}

// Discards pending requests and timers after the end of a call.
export function end() {
  forget();
  controller = undefined;
}

export function fire(id) {
  try {
    timers.fire(id);
  } catch (error) {
    host.log('error', `a timer threw: ${describe(error)[1]}`);
  }
}

// Converts any thrown value to [kind, message, stack]; never throws.
export function describe(thrown) {
  let kind = '';
  let stack = '';
  let message;
  try {
    kind = thrown instanceof Error ? Fault.kind(thrown) : '';
    if (thrown instanceof Error || thrown instanceof DOMException) {
      const { name, message: said } = thrown;
      const plain = kind !== '' || name === 'Error';
      message = plain ? `${said}` : said ? `${name}: ${said}` : `${name}`;
      message ||= 'an Error without a message';
      stack = `${thrown.stack ?? ''}`;
    } else if (typeof thrown === 'string') {
      message = thrown;
    } else if (thrown === null || typeof thrown === 'unknown') {
      // QuickJS throws null, or no value at all, if it has no memory for an error.
      message = 'null was thrown; throw an Error with a message, or else use less memory';
    } else {
      const what = thrown === undefined ? 'undefined' : brief(thrown);
      message = `${what} was thrown; throw an Error with a message`;
    }
  } catch {
    message = 'something was thrown that cannot be shown; throw an Error with a message';
  }
  return [kind, message.slice(0, 8192).toWellFormed(), stack.slice(0, 16384).toWellFormed()];
}

function contextOf(request, { config, clock, vault }, signal) {
  const log = {};
  for (const level of ['debug', 'info', 'warn', 'error']) {
    log[level] = (...what) => host.log(level, line(what));
  }
  const value = async (want) => (await ask(want, signal)).value;
  return freeze({
    request,
    signal,
    config: config ?? freeze({}),
    clock: freeze({ now: () => clock.now, today: () => clock.today, zone: clock.zone }),
    store: storeOf(value),
    tools,
    ...(vault ? { vault: vaultOf(value, vault), records: recordsOf(value, vault) } : {}),
    log: freeze(log),
    credentials: freeze({
      get: async (service, key) => {
        const want = { type: 'credential', service: `${service}`, key: `${key}` };
        return (await ask(want, signal)).value;
      },
      has: async (service) => {
        return (await ask({ type: 'has_credential', service: `${service}` }, signal)).has;
      },
    }),
    progress: (fraction, message) => {
      const known = typeof fraction === 'number' && fraction >= 0;
      host.progress(known ? Math.min(fraction, 1) : undefined, message && line([message]));
    },
  });
}

function storeOf(value) {
  const key = (name) => `${name}`;
  return freeze({
    get: (name) => value({ type: 'store', do: 'get', key: key(name) }),
    set: async (name, item) => value({ type: 'store', do: 'set', key: key(name), value: parse(toJson(item)) }),
    remove: (name) => value({ type: 'store', do: 'remove', key: key(name) }),
  });
}

// Each method is a tool of the skill `vault`, run within this call.
function vaultOf(value, access) {
  const run = (tool, args) => value({ type: 'vault', tool, args });
  const reading = {
    read: async (path) => {
      const note = await run('read_note', { path });
      for (let part = note; part.truncated; ) {
        part = await run('read_note', { path: note.path, offset: part.next_offset });
        note.text += part.text;
      }
      return { path: note.path, properties: note.properties ?? {}, text: note.text };
    },
    query: (question = {}) => run('query', question),
    search: (query, options = {}) => run('search', { ...options, query }),
    links: (path) => run('links', { path }),
  };
  const writing = {
    create: (path, { content, properties } = {}) => run('create_note', { path, ...known({ content, properties }) }),
    edit: (path, old, replacement, count) => run('edit_note', { path, old, new: replacement, ...known({ count }) }),
    append: (path, text, heading) => run('append_to_note', { path, text, ...known({ heading }) }),
    setProperties: (path, properties) => run('set_properties', { path, properties }),
    move: (path, to) => run('move_note', { path, to }),
  };
  return freeze(access === 'write' ? { ...reading, ...writing } : reading);
}

function recordsOf(value, access) {
  const run = (what, more) => value({ type: 'records', do: what, ...more });
  const reading = {
    types: () => run('types'),
    list: (record) => run('list', { record }),
  };
  const writing = {
    add: (record, values) => run('add', { record, values }),
    update: (record, path, values) => run('update', { record, path, values }),
  };
  return freeze(access === 'write' ? { ...reading, ...writing } : reading);
}

function known(options) {
  return Object.fromEntries(Object.entries(options).filter(([, option]) => option !== undefined));
}

// Serialises without silent loss: a value that JSON would omit or empty is an error that names it.
// (NaN and infinities become null, as usual.)
function toJson(value) {
  if (value === undefined) {
    return 'null';
  }
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new Fault('result', `the result is a ${typeof value}; return data`);
  }
  try {
    return stringify(value, function (key, item) {
      const at = key === '' ? 'the result' : `\`${key}\` of the result`;
      if (typeof item === 'bigint') {
        throw new Fault('result', `${at} is a BigInt; return a number or its String(...)`);
      }
      if (item instanceof Map) {
        throw new Fault('result', `${at} is a Map; return Object.fromEntries(map)`);
      }
      if (item instanceof Set) {
        throw new Fault('result', `${at} is a Set; return [...set]`);
      }
      // Other JSON parsers reject lone surrogates.
      return typeof item === 'string' ? item.toWellFormed() : item;
    });
  } catch (error) {
    if (error instanceof Fault) {
      throw error;
    }
    const [, message, stack] = describe(error);
    if (message.includes('out of memory')) {
      throw error;
    }
    const fault = new Fault('result', `the result cannot be written as JSON: ${message}`);
    fault.stack = stack;
    throw fault;
  }
}

function schema(parameters) {
  try {
    return expressed(parameters);
  } catch (error) {
    const [path, reason] = unexpressed(parameters, 'parameters', 0) ?? ['parameters', error.message];
    wrong(`${path} cannot be told to a model as JSON Schema: ${reason}`);
  }
}

function expressed(part) {
  return z.toJSONSchema(part, { io: 'input' });
}

// The innermost part without a JSON Schema, and the reason.
function unexpressed(part, path, depth) {
  try {
    expressed(part);
    return undefined;
  } catch (error) {
    const def = part?.def ?? {};
    const inner = Object.entries(def.shape ?? {}).map(([key, value]) => [`${path}.${key}`, value]);
    for (const key of ['element', 'innerType', 'valueType', 'keyType', 'in', 'left', 'right', 'rest']) {
      if (def[key]) inner.push([key === 'element' ? `${path}[]` : path, def[key]]);
    }
    for (const value of [...(def.options ?? []), ...(def.items ?? [])]) inner.push([path, value]);
    for (const [at, value] of depth < 32 ? inner : []) {
      const found = unexpressed(value, at, depth + 1);
      if (found) return found;
    }
    return [path, error.message];
  }
}

function list(name, value) {
  if (value === undefined) {
    return [];
  }
  if (!isArray(value) || value.length > 64 || value.some((item) => typeof item !== 'string')) {
    wrong(`${name} is a list of at most 64 texts`);
  }
  return value;
}

function credential(name) {
  if (!/^[A-Za-z0-9_.-]{1,64}(\/[A-Za-z0-9_.-]{1,64})?$/.test(name)) {
    wrong(`requires_credentials has ${brief(name)}; write 'service' or 'service/key'`);
  }
  return name;
}

function hostname(name) {
  const parts = /^[^\s/?#@\\*]+$/.test(name) ? host.parseUrl(`https://${name}/`) : undefined;
  if (!parts) {
    wrong(`hosts has ${brief(name)}; write a host alone, like 'api.example.com'`);
  }
  return parts[4];
}

function wrong(message) {
  throw new Fault('definition', message);
}

function brief(value) {
  const kind = typeof value === 'object' ? 'an object' : `a ${typeof value}`;
  let text;
  try {
    text = value === undefined ? 'missing' : (stringify(value) ?? kind);
  } catch {
    text = kind;
  }
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function freezeDeep(value) {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(freezeDeep);
    freeze(value);
  }
  return value;
}
