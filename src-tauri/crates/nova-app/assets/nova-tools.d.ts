// The API of a tool file. Nova runs it without Node: no files, processes or packages.
// See docs/tools.md in Nova's repository for the rest.

declare module '@nova/tools' {
  import type { ZodType } from 'zod'

  /** The worst a tool may do. Undeclared counts as the worst. */
  export type Effect =
    /** Only computes. */
    | 'read'
    /** Changes notes; with `vault: 'write'`. */
    | 'write'
    /** Contacts the web. */
    | 'external'
    /** Changes something that cannot be undone. */
    | 'destructive'
    /** Reaches a person. */
    | 'send'

  /** What the settings of each skill are: Nova writes it into skills/nova-configs.d.ts. */
  export interface Configs {}

  /** `ToolContext<'meeting-notes'>` knows the settings of that skill. */
  export interface ToolContext<Skill = unknown> {
    /** The settings of the tool's skill, as they were when the call began. */
    readonly config: Skill extends keyof Configs ? Configs[Skill] : Readonly<Record<string, any>>
    /** The moment at which the call began. */
    readonly clock: {
      /** RFC 3339, in UTC. */
      now(): string
      /** YYYY-MM-DD in the user's time zone. */
      today(): string
      /** The user's time zone, such as Europe/Berlin. */
      readonly zone: string
    }
    /** Small values of the skill's own; of a single file, the file's own. Keys are lower-case letters, digits and hyphens. */
    readonly store: {
      get(key: string): Promise<any>
      set(key: string, value: unknown): Promise<void>
      remove(key: string): Promise<void>
    }
    /** Other tools, each by its own rules: `ctx.tools.crm.add_contact({ name })`. */
    readonly tools: Record<string, Record<string, (args?: object) => Promise<any>>>
    /** Only with `vault: 'read'` or `vault: 'write'`; the verbs that change notes only with the latter. */
    readonly vault: Vault
    /** The records that the tool's skill declares; only with `vault`. */
    readonly records: Records
    readonly credentials: {
      /** The secret `service/key`; asks the user for it if it is missing. */
      get(service: string, key: string): Promise<string>
      has(service: string): Promise<boolean>
    }
    readonly request: {
      readonly request_id: string
      readonly turn_id: string | null
      readonly session_id: string
      readonly principal: { readonly kind: string; readonly name: string; readonly relationship: string }
    }
    /** Aborted when the user stops the call. */
    readonly signal: AbortSignal
    readonly log: Logger
    /** Progress from 0 to 1, and the current activity; shown on the card. */
    progress(fraction?: number, message?: string): void
  }

  /** A note is named by its path, or by its name if unique. */
  export interface Vault {
    read(note: string): Promise<{ path: string; properties: Record<string, any>; text: string }>
    /** `where` as in `vault.query`: 'status = draft', 'due < 2026-12-01', 'tags contains work'. */
    query(question?: { type?: string; where?: string[]; sort?: string[]; limit?: number }): Promise<{
      total: number
      more: boolean
      notes: { path: string; type: string | null; properties: Record<string, any> }[]
    }>
    search(words: string, options?: { regex?: boolean; limit?: number }): Promise<any>
    links(note: string): Promise<any>
    create(path: string, note?: { content?: string; properties?: Record<string, unknown> }): Promise<{ path: string }>
    /** Replaces an exact text, `count` times; once by default. */
    edit(note: string, old: string, replacement: string, count?: number): Promise<{ path: string }>
    append(note: string, text: string, heading?: string): Promise<{ path: string }>
    /** null removes a property. */
    setProperties(note: string, properties: Record<string, unknown>): Promise<{ path: string }>
    move(note: string, to: string): Promise<any>
  }

  export interface Records {
    types(): Promise<string[]>
    list(type: string): Promise<({ path: string } & Record<string, any>)[]>
    add(type: string, values: Record<string, unknown>): Promise<{ path: string }>
    /** null removes a value. */
    update(type: string, path: string, values: Record<string, unknown>): Promise<{ path: string }>
  }

  /** The description of a tool for the model, in typed parts. */
  export interface Description {
    /** What it does, a whole sentence. */
    purpose: string
    /** Clauses that follow "Use when". */
    use_when?: string | readonly string[]
    /** Clauses that follow "Not when", and the tool to use then. */
    not_when?: readonly { clause: string; instead: string }[]
    /** What an answer must name. */
    cite?: string | readonly string[]
    /** Requests that a person might make. */
    example?: string | readonly string[]
  }

  export interface Logger {
    debug(...values: unknown[]): void
    info(...values: unknown[]): void
    warn(...values: unknown[]): void
    error(...values: unknown[]): void
  }

  export interface ToolDefinition<Parameters extends ZodType = ZodType> {
    /** Letters, digits, _ and -; also the file's name. */
    name: string
    /** For the model: what it does, and when to use it. */
    description: string | Description
    parameters?: Parameters
    effect?: Effect
    /** Every host it contacts, `name` or `name:port`. Any other asks while it runs. */
    hosts?: readonly string[]
    /** `service` or `service/key`. */
    requires_credentials?: readonly string[]
    /** What it does with notes. Without it, a file sees none. One call changes at most 500. */
    vault?: 'read' | 'write'
    /** Returns plain data. An async generator yields partial results; the last one counts. */
    execute(
      args: Parameters['_output'],
      ctx: ToolContext<any>,
    ): unknown | Promise<unknown> | AsyncGenerator<unknown, unknown, undefined>
  }

  /** Defines the tool; use it as the default export. */
  export function defineTool<Parameters extends ZodType>(
    definition: ToolDefinition<Parameters>,
  ): ToolDefinition<Parameters>
}

declare module '@nexus/tools' {
  export * from '@nova/tools'
}

// ---- available without an import ------------------------------------------------------------

declare function fetch(url: string | URL, init?: RequestInit): Promise<Response>

interface RequestInit {
  method?: string
  headers?: Headers | Record<string, string> | [string, string][]
  body?: string | Uint8Array | ArrayBuffer | URLSearchParams | null
  signal?: AbortSignal | null
}

declare class Headers implements Iterable<[string, string]> {
  constructor(init?: Headers | Record<string, string> | [string, string][])
  get(name: string): string | null
  has(name: string): boolean
  set(name: string, value: string): void
  append(name: string, value: string): void
  delete(name: string): void
  forEach(visit: (value: string, name: string) => void): void
  [Symbol.iterator](): IterableIterator<[string, string]>
}

interface Response {
  readonly ok: boolean
  readonly status: number
  readonly statusText: string
  readonly url: string
  readonly headers: Headers
  json(): Promise<any>
  text(): Promise<string>
  arrayBuffer(): Promise<ArrayBuffer>
}

declare class URL {
  constructor(url: string | URL, base?: string | URL)
  href: string
  protocol: string
  host: string
  hostname: string
  port: string
  pathname: string
  search: string
  hash: string
  readonly origin: string
  readonly searchParams: URLSearchParams
  toString(): string
  toJSON(): string
}

declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(init?: string | Record<string, string> | [string, string][] | URLSearchParams)
  append(name: string, value: string): void
  delete(name: string): void
  get(name: string): string | null
  getAll(name: string): string[]
  has(name: string): boolean
  set(name: string, value: string): void
  toString(): string
  [Symbol.iterator](): IterableIterator<[string, string]>
}

declare class TextEncoder {
  encode(text?: string): Uint8Array
}

declare class TextDecoder {
  constructor(encoding?: 'utf-8' | 'utf8')
  decode(bytes?: Uint8Array | ArrayBuffer): string
}

declare class AbortController {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
}

interface AbortSignal {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

declare function setTimeout(call: () => void, ms?: number): number
declare function clearTimeout(timer: number | undefined): void
declare function setInterval(call: () => void, ms?: number): number
declare function clearInterval(timer: number | undefined): void
declare function queueMicrotask(call: () => void): void
declare function structuredClone<Value>(value: Value): Value

declare const crypto: { randomUUID(): string }

declare const console: {
  debug(...values: unknown[]): void
  log(...values: unknown[]): void
  info(...values: unknown[]): void
  warn(...values: unknown[]): void
  error(...values: unknown[]): void
}

// ---- zod ----------------------------------------------------------------------------------------
// The common part of zod 4, for completion in an editor without packages. The rest works
// too when Nova runs the file.

declare module 'zod' {
  export interface ZodType<Output = any> {
    readonly _output: Output
    describe(text: string): this
    meta(meta: Record<string, unknown>): this
    optional(): ZodType<Output | undefined>
    nullable(): ZodType<Output | null>
    nullish(): ZodType<Output | null | undefined>
    default(value: Exclude<Output, undefined> | (() => Exclude<Output, undefined>)): ZodType<Exclude<Output, undefined>>
    catch(value: Output): ZodType<Output>
    array(): ZodArray<Output>
    or<Other>(other: ZodType<Other>): ZodType<Output | Other>
    and<Other>(other: ZodType<Other>): ZodType<Output & Other>
    refine(check: (value: Output) => unknown, message?: string | { message?: string }): this
    transform<New>(change: (value: Output) => New): ZodType<Awaited<New>>
    pipe<New>(next: ZodType<New>): ZodType<New>
    brand<Name extends string>(): ZodType<Output & { readonly __brand: Name }>
    readonly(): this
    parse(value: unknown): Output
    safeParse(value: unknown): { success: true; data: Output } | { success: false; error: ZodError }
  }

  type Message = string | { message?: string; error?: string }

  export interface ZodString extends ZodType<string> {
    min(length: number, message?: Message): this
    max(length: number, message?: Message): this
    length(length: number, message?: Message): this
    nonempty(message?: Message): this
    regex(pattern: RegExp, message?: Message): this
    startsWith(text: string, message?: Message): this
    endsWith(text: string, message?: Message): this
    includes(text: string, message?: Message): this
    trim(): this
    toLowerCase(): this
    toUpperCase(): this
    email(message?: Message): this
    url(message?: Message): this
    uuid(message?: Message): this
    datetime(options?: object): this
  }

  export interface ZodNumber extends ZodType<number> {
    min(value: number, message?: Message): this
    max(value: number, message?: Message): this
    gt(value: number, message?: Message): this
    gte(value: number, message?: Message): this
    lt(value: number, message?: Message): this
    lte(value: number, message?: Message): this
    int(message?: Message): this
    positive(message?: Message): this
    nonnegative(message?: Message): this
    negative(message?: Message): this
    multipleOf(value: number, message?: Message): this
  }

  export interface ZodArray<Item> extends ZodType<Item[]> {
    min(length: number, message?: Message): this
    max(length: number, message?: Message): this
    length(length: number, message?: Message): this
    nonempty(message?: Message): this
  }

  export type Shape = Record<string, ZodType>
  type OptionalKeys<S extends Shape> = { [K in keyof S]: undefined extends S[K]['_output'] ? K : never }[keyof S]
  type Flat<T> = { [K in keyof T]: T[K] }
  type ObjectOf<S extends Shape> = Flat<
    { [K in Exclude<keyof S, OptionalKeys<S>>]: S[K]['_output'] } & { [K in OptionalKeys<S>]?: S[K]['_output'] }
  >

  export interface ZodObject<S extends Shape> extends ZodType<ObjectOf<S>> {
    readonly shape: S
    extend<More extends Shape>(more: More): ZodObject<Omit<S, keyof More> & More>
    pick<K extends keyof S>(keys: { [P in K]: true }): ZodObject<Pick<S, K>>
    omit<K extends keyof S>(keys: { [P in K]: true }): ZodObject<Omit<S, K>>
    partial(): ZodObject<{ [K in keyof S]: ZodType<S[K]['_output'] | undefined> }>
    strict(): this
    passthrough(): this
  }

  export interface ZodEnum<Value extends string> extends ZodType<Value> {
    readonly options: readonly Value[]
  }

  export class ZodError extends Error {
    readonly issues: { path: (string | number)[]; message: string; code: string }[]
  }

  export function string(message?: Message): ZodString
  export function number(message?: Message): ZodNumber
  export function int(message?: Message): ZodNumber
  export function boolean(message?: Message): ZodType<boolean>
  export function any(): ZodType<any>
  export function unknown(): ZodType<unknown>
  export function literal<const Value extends string | number | boolean | null>(value: Value): ZodType<Value>
  export function array<Item>(item: ZodType<Item>): ZodArray<Item>
  export function tuple<const Items extends readonly ZodType[]>(
    items: Items,
  ): ZodType<{ -readonly [K in keyof Items]: Items[K]['_output'] }>
  export function object<S extends Shape>(shape: S): ZodObject<S>
  export function strictObject<S extends Shape>(shape: S): ZodObject<S>
  export function looseObject<S extends Shape>(shape: S): ZodObject<S>
  export function record<Value>(key: ZodType<string>, value: ZodType<Value>): ZodType<Record<string, Value>>
  export function union<const Options extends readonly ZodType[]>(options: Options): ZodType<Options[number]['_output']>
  export function discriminatedUnion<const Options extends readonly ZodType[]>(
    key: string,
    options: Options,
  ): ZodType<Options[number]['_output']>
  export function optional<Output>(type: ZodType<Output>): ZodType<Output | undefined>
  export function nullable<Output>(type: ZodType<Output>): ZodType<Output | null>
  export function email(message?: Message): ZodString
  export function url(message?: Message): ZodString
  export function uuid(message?: Message): ZodString
  export const iso: { date(): ZodString; datetime(options?: object): ZodString; time(): ZodString }
  export const coerce: { string(): ZodString; number(): ZodNumber; boolean(): ZodType<boolean> }

  function _enum<const Value extends string>(values: readonly Value[]): ZodEnum<Value>
  function _null(): ZodType<null>
  export { _enum as enum, _null as null }

  type infer<Type extends ZodType> = Type['_output']
  export type { infer, infer as output }

  export * as z from 'zod'
}
