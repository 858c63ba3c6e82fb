// State of the box that adds a server. Only the backend parses the text.

import type { OfferedServer, UserError } from '../../ipc';
import { valuesIn } from './editing';

export interface ServerForm {
  readonly name: string;
  /** A command line or an address. */
  readonly runs: string;
  /** `NAME=value`, one per line. */
  readonly values: string;
}

export interface Adding {
  readonly way: 'paste' | 'form';
  readonly text: string;
  readonly form: ServerForm;
  /** The servers in `textOf`, as parsed by the backend; none while it is parsing. */
  readonly offers: readonly OfferedServer[] | null;
  readonly problem: UserError | null;
  readonly busy: boolean;
  /** Whether added servers may start once approved. */
  readonly enabled: boolean;
}

export const emptyAdding: Adding = {
  way: 'paste',
  text: '',
  form: { name: '', runs: '', values: '' },
  offers: null,
  problem: null,
  busy: false,
  enabled: true,
};

export type AddingAction =
  | { readonly type: 'way'; readonly way: Adding['way'] }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'form'; readonly change: Partial<ServerForm> }
  /** The backend has parsed `text`, or failed to. */
  | { readonly type: 'read'; readonly text: string; readonly offers: readonly OfferedServer[] }
  | { readonly type: 'unreadable'; readonly text: string; readonly problem: UserError }
  | { readonly type: 'add'; readonly enabled: boolean }
  | { readonly type: 'refused'; readonly problem: UserError };

export function reduceAdding(state: Adding, action: AddingAction): Adding {
  switch (action.type) {
    case 'way':
      return { ...state, way: action.way, offers: null, problem: null };
    case 'text':
      return { ...state, text: action.text, offers: null, problem: null };
    case 'form':
      return { ...state, form: { ...state.form, ...action.change }, offers: null, problem: null };
    case 'read':
      return action.text === textOf(state) ? { ...state, offers: action.offers, problem: null } : state;
    case 'unreadable':
      return action.text === textOf(state) ? { ...state, offers: null, problem: action.problem } : state;
    case 'add':
      return { ...state, busy: true, problem: null, enabled: action.enabled };
    case 'refused':
      return { ...state, busy: false, problem: action.problem };
  }
}

/** The text to parse and add; empty if there is none. */
export function textOf({ way, text, form }: Adding): string {
  if (way === 'paste') return text.trim();
  const name = form.name.trim();
  const runs = form.runs.trim();
  if (name === '' || runs === '') return '';
  const values = Object.fromEntries(valuesIn(form.values));
  const isAddress = /^https?:\/\//i.test(runs);
  return JSON.stringify({ mcpServers: { [name]: isAddress ? { url: runs, headers: values } : { command: runs, env: values } } });
}

/** Names of the servers that can be added now. */
export function addable({ offers, busy }: Adding): readonly string[] {
  if (busy) return [];
  return (offers ?? []).filter(({ taken, problem }) => !taken && problem === null).map(({ name }) => name);
}
