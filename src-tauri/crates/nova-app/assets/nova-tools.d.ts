// What a tool file sees. Nova runs it without Node: there are no files, no processes, no packages.
// docs/tools.md in Nova's repository tells the rest.

declare module '@nova/tools' {
  import type { ZodType } from 'zod'

  /** The worst a tool may do. Undeclared counts as the worst. */
  export type Effect =
    /** Only computes. */
    | 'read'
    /** Asks the web. */
    | 'external'
    /** Changes something that cannot be brought back. */
    | 'destructive'
    /** Reaches a person. */
    | 'send'

  export interface ToolContext {
    readonly credentials: {
      /** The secret `service/key`; asks the user for it where it is missing. */
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
    /** How far the call is, from 0 to 1, and what it does; shown on its card. */
    progress(fraction?: number, message?: string): void
  }

  export interface Logger {
    debug(...values: unknown[]): void
    info(...values: unknown[]): void
    warn(...values: unknown[]): void
    error(...values: unknown[]): void
  }

  export interface ToolDefinition<Parameters extends ZodType = ZodType> {
    /** Lower case letters, digits and _; the file is called like it. */
    name: string
    /** What the model is told: what it does, and when to use it. */
    description: string
    parameters?: Parameters
    effect?: Effect
    /** Every host it asks, `name` or `name:port`. Any other is asked about while it runs. */
    hosts?: readonly string[]
    /** `service` or `service/key`. */
    requires_credentials?: readonly string[]
    /** Gives back plain data. An async generator yields partial results; the last one counts. */
    execute(
      args: Parameters['_output'],
      ctx: ToolContext,
    ): unknown | Promise<unknown> | AsyncGenerator<unknown, unknown, undefined>
  }

  /** Says what the file is; use it as the default export. */
  export function defineTool<Parameters extends ZodType>(
    definition: ToolDefinition<Parameters>,
  ): ToolDefinition<Parameters>
}

declare module '@nexus/tools' {
  export * from '@nova/tools'
}

// ---- what is there without an import ------------------------------------------------------------

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
// The usual part of zod 4, so that an editor completes it without any package. What is missing here
// works anyway when Nova runs the file.

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
