// A backend without default responses: records commands, answers those that a test scripts, and emits given
// events.

import type { Backend, Envelope, EventBody, Method, Params, Result, UserError } from '../ipc';

type Handler<M extends Method> = (params: Params<M>) => Result<M> | Promise<Result<M>>;

export interface Call {
  readonly method: Method;
  readonly params: unknown;
}

/**
 * A subclass answers a command with a property of the same name; a handler passed to `on` takes precedence.
 */
export abstract class ScriptedBackend implements Backend {
  /** All received commands, oldest first. */
  readonly calls: Call[] = [];
  private readonly handlers = new Map<Method, Handler<Method>>();
  private readonly listeners = new Set<(event: Envelope) => void>();

  protected constructor(
    /** The number of the last event; -1 before the first, as in a new session. */
    protected seq: number,
    protected readonly now: () => string,
  ) {}

  /** Sets the handler of `method`, which rejects by throwing a `UserError`. */
  on<M extends Method>(method: M, handler: Handler<M>): this {
    this.handlers.set(method, handler as unknown as Handler<Method>);
    return this;
  }

  /** Makes `method` fail. */
  fail(method: Method, error: Partial<UserError> = {}): this {
    return this.on(method, () => {
      throw { code: 'internal', message: 'It failed.', hint: 'Try again.', ...error } satisfies UserError;
    });
  }

  /** Params of each call of `method`, oldest first. */
  asked<M extends Method>(method: M): Params<M>[] {
    return this.calls.filter((call) => call.method === method).map((call) => call.params as Params<M>);
  }

  /** Emits an event, of a session and turn where named, and returns its envelope. */
  emit(body: EventBody, of: { session?: string; turn?: string; at?: string } = {}): Envelope {
    const { at = this.now(), ...ids } = of;
    const event = { v: 1, seq: ++this.seq, at, ...ids, ...body } as Envelope;
    for (const listener of [...this.listeners]) listener(event);
    return event;
  }

  rpc = async <M extends Method>(method: M, params: Params<M>): Promise<Result<M>> => {
    this.calls.push({ method, params });
    const handler = this.handlers.get(method) ?? (this as unknown as Partial<Record<Method, Handler<Method>>>)[method];
    if (!handler) throw { code: 'bad_request', message: `No answer for ${method}.`, hint: '' } satisfies UserError;
    return structuredClone(await handler.call(this, params)) as Result<M>;
  };

  subscribe = (onEvent: (event: Envelope) => void): (() => void) => {
    this.listeners.add(onEvent);
    return () => this.listeners.delete(onEvent);
  };
}
