// Data of the panel about a sub-agent's session. Pure.
import type { JsonValue } from '../ipc';
import type { Block, CallItem, SessionState } from '../state/session';

/** The calls of its first turn; later messages of the user are not part of its task. */
export function callsOf({ turns }: SessionState): readonly CallItem[] {
  return turns[0]?.items.filter((item) => item.kind === 'call') ?? [];
}

/** The blocks of its last message. */
export function lastWords({ turns }: SessionState): readonly Block[] {
  const last = turns[0]?.items.findLast((item) => item.kind === 'message');
  if (last?.kind !== 'message') return [];
  const same = turns[0]?.items.filter((item) => item.kind === 'message' && item.message === last.message) ?? [];
  return same.flatMap((item) => (item.kind === 'message' ? item.blocks : []));
}

/** A call's arguments in short, and its error. */
export function aboutCall({ args, result, state }: CallItem): string {
  if (state === 'denied') return 'denied by you';
  if (state === 'refused') return 'refused by a rule';
  return result?.error?.message ?? firstText(args);
}

export interface PagesRead {
  readonly count: number;
  /** Most requested first. */
  readonly hosts: readonly string[];
}

/** The web sources used by its calls. */
export function pagesRead(session: SessionState): PagesRead {
  const sources = callsOf(session).flatMap(({ result }) => result?.sources ?? []);
  const byHost = new Map<string, number>();
  for (const source of sources) {
    if (source.kind !== 'web') continue;
    const host = URL.canParse(source.url) ? new URL(source.url).host : source.url;
    byHost.set(host, (byHost.get(host) ?? 0) + 1);
  }
  const hosts = [...byHost].toSorted(([, a], [, b]) => b - a);
  return { count: hosts.reduce((sum, [, asked]) => sum + asked, 0), hosts: hosts.map(([host]) => host) };
}

function firstText(args: JsonValue): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return '';
  const text = Object.values(args).find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof text === 'string' ? text.trim() : '';
}
