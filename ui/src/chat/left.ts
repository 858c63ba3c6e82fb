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
  for (const item of items) {
    if (item.kind !== 'call') continue;
    for (const source of item.result?.sources ?? []) {
      if (source.kind !== 'web' || Date.parse(source.at) < began) continue;
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
