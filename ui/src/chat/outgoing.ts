// Outgoing requests of a turn's tools. Pure.
import type { Turn } from '../state/session';

export interface OutgoingRequests {
  readonly requests: number;
  /** Most requested first. */
  readonly hosts: readonly string[];
}

/** The requests whose answers the turn's calls list as sources; cached answers do not count. */
export function outgoingRequests({ items, startedAt }: Pick<Turn, 'items' | 'startedAt'>): OutgoingRequests | null {
  const began = Date.parse(startedAt);
  const byHost = new Map<string, number>();
  const read = new Set<string>();
  for (const item of items) {
    if (item.kind !== 'call') continue;
    for (const source of item.result?.sources ?? []) {
      if (source.kind !== 'web' || Date.parse(source.at) < began) continue;
      // Later parts of a page come from the cache; a page read by a sub-agent is listed by both its own call
      // and its task's.
      if (source.title !== undefined || item.subAgent || item.principal.kind === 'subagent') {
        const answer = `${source.url} ${source.at}`;
        if (read.has(answer)) continue;
        read.add(answer);
      }
      const host = hostOf(source.url);
      byHost.set(host, (byHost.get(host) ?? 0) + 1);
    }
  }
  const hosts = [...byHost].toSorted(([, a], [, b]) => b - a);
  if (hosts.length === 0) return null;
  return { requests: hosts.reduce((sum, [, count]) => sum + count, 0), hosts: hosts.map(([host]) => host) };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
