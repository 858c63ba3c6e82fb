// The window's only connection to the backend: commands of `Commands` out, `Envelope`s in. main.tsx chooses
// the transport (Tauri, or a test double).

import { createContext, useContext } from 'react';

import type { Commands, Envelope, ErrorCode, UserError } from './protocol.generated';

export type * from './protocol.generated';

export type Method = keyof Commands;
export type Params<M extends Method> = Commands[M]['params'];
export type Result<M extends Method> = Commands[M]['result'];

export type Backend = {
  /** Rejects with a `UserError`. */
  rpc<M extends Method>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Returns an unsubscribe function. */
  subscribe(onEvent: (event: Envelope) => void): () => void;
};

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** An event without its envelope. */
export type EventBody = DistributiveOmit<Envelope, 'v' | 'seq' | 'at' | 'session' | 'turn'>;

/** One kind of envelope: `EventOf<'usage'>`. */
export type EventOf<T extends Envelope['type']> = Extract<Envelope, { type: T }>;

/** Params of a command without params. */
export const nothing = {} as Params<'app_status'>;

const BackendContext = createContext<Backend | null>(null);

export const BackendProvider = BackendContext.Provider;

export function useBackend(): Backend {
  const backend = useContext(BackendContext);
  if (!backend) throw new Error('useBackend needs a BackendProvider above it');
  return backend;
}

/** Converts anything thrown to an error that can be shown. */
export function userError(thrown: unknown): UserError {
  if (isUserError(thrown)) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'internal' satisfies ErrorCode, message, hint: 'Try again, or restart Nova.' };
}

function isUserError(value: unknown): value is UserError {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value && 'hint' in value;
}
