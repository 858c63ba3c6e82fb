import { nothing } from '../../ipc';
import { troubleOf } from '../../shared';
import { figuresOf, type Figure } from '../../shared/figures';
import { useApp, useRpc } from '../../state/hooks';
import type { Asked, Read } from '../skill/state';
import { useReads } from '../skill/useReads';
import { holdingIn, isSame, mentionsIn, tradesIn, watchedIn, type Holding, type Mention, type Trade, type Watched } from './notes';

/** The user's notes about a symbol. */
export interface Notes {
  readonly holding: Holding | null;
  readonly trades: readonly Trade[];
  /** The whole watchlist; `null` if missing or loading. */
  readonly watchlist: readonly Watched[] | null;
  readonly watched: Watched | null;
  readonly mentions: readonly Mention[];
  /** Number of positions, trades and mentions. */
  readonly count: number;
  /** Requests that failed, or ask for approval. */
  readonly troubled: readonly Read[];
  /** Time of the oldest load, RFC 3339. */
  readonly at: string | null;
  /** The derivation of a field of the position. */
  figure(field: 'value' | 'gain'): Figure | undefined;
  again(): void;
}

export function useNotes(symbol: string | null, has: (tool: string) => boolean): Notes {
  const call = (tool: string, args: Asked['args'] = {}): Asked | null => (symbol !== null && has(tool) ? { tool, args } : null);
  const positions = call('portfolio.positions');
  const trades = call('portfolio.list_trades', { symbol: symbol ?? '' });
  const watchlist = call('portfolio.watchlist');
  const records = useReads([positions, trades, watchlist].filter((asked) => asked !== null));
  const of = (asked: Asked | null) => (asked === null ? null : records.of(asked));
  const answerOf = (asked: Asked | null) => of(asked)?.result?.value;

  const held = of(positions);
  const holding = symbol === null ? null : holdingIn(answerOf(positions), symbol);
  const isKnown = positions === null || held?.result != null || held?.error != null;
  const links = isKnown ? call('vault.links', { path: holding?.path ?? symbol ?? '' }) : null;
  const linked = useReads(links === null ? [] : [links]);
  const linksRead = links === null ? null : linked.of(links);

  const own = tradesIn(answerOf(trades));
  const list = watchlist === null ? null : watchedIn(answerOf(watchlist));
  const others = [...own.map(({ path }) => path), ...(list ?? []).map(({ path }) => path)];
  const mentions = symbol === null ? [] : mentionsIn(linksRead?.result?.value, { symbol, note: holding?.path ?? null, others });
  const reads = [held, of(trades), of(watchlist), linksRead].filter((read) => read !== null);
  return {
    holding,
    trades: own,
    watchlist: answerOf(watchlist) === undefined ? null : list,
    watched: list?.find((entry) => isSame(entry.symbol, symbol ?? '')) ?? null,
    mentions,
    count: (holding === null ? 0 : 1) + own.length + mentions.length,
    // A symbol without trades or a note is normal.
    troubled: reads.filter((read) => read.run !== null || (read.error !== null && read.error.code !== 'note_not_found')),
    at: reads.flatMap(({ at }) => at ?? []).toSorted()[0] ?? null,
    figure: (field) => (held?.result && holding ? figuresOf(held.tool, held.result.figures, held.result.sources).find(({ view }) => view.at === `/positions/${holding.place}/${field}`) : undefined),
    again: () => {
      records.again();
      linked.again();
    },
  };
}

export interface Tools {
  /** Whether an enabled skill has it; false while unknown. */
  has(tool: string): boolean;
  /** Why it cannot be called, in a sentence; `null` if it can, and while unknown. */
  notReady(tool: string): string | null;
}

export function useTools(): Tools {
  const registry = useApp(({ revisions }) => revisions.registry);
  const skills = useRpc('list_skills', nothing, registry).data ?? [];
  const rows = useRpc('list_tools', nothing, registry).data ?? [];
  return {
    has: (tool) => skills.some(({ state, tools }) => (state === 'active' || state === 'available') && tools.includes(tool)),
    notReady: (tool) => {
      const row = rows.find(({ name }) => name === tool);
      const trouble = row ? troubleOf(row) : null;
      return trouble === null || trouble.usable ? null : trouble.message || `${tool} is ${trouble.word}.`;
    },
  };
}
