// What a turn's tools asked of other machines. Pure.
import type { Turn } from '../state/session';

export interface Left {
  readonly requests: number;
  /** Most asked first. */
  readonly hosts: readonly string[];
}

/** The requests whose answers the turn's calls say that they used; an answer that was kept from before is none. */
export function leftBy({ items, startedAt }: Pick<Turn, 'items' | 'startedAt'>): Left | null {
  const began = Date.parse(startedAt);
  const byHost = new Map<string, number>();
  const read = new Set<string>();
  for (const item of items) {
    if (item.kind !== 'call') continue;
    for (const source of item.result?.sources ?? []) {
      if (source.kind !== 'web' || Date.parse(source.at) < began) continue;
      // The rest of a page was kept from its first part; a page that a sub-agent read is named by its own call and by
      // that of its task.
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
