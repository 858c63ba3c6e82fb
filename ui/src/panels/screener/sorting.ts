// Sorts hits. Pure.

import { byName } from '../../shared/natural';
import type { Column, Hit } from './answers';
import type { ScreenerState } from './state';

/** In the tool's order (best first), or by a column with unknown values last. */
export function sortedHits(hits: readonly Hit[], columns: readonly Column[], sort: ScreenerState['sort']): readonly Hit[] {
  if (sort === null) return hits;
  const { by, down } = sort;
  if (by === 'symbol') return hits.toSorted((a, b) => byName(a.symbol, b.symbol) * (down ? -1 : 1));
  const at = columns.findIndex(({ key }) => key === by);
  const sizeOf = (hit: Hit) => {
    const text = by === 'price' ? hit.price : by === 'score' ? hit.score : hit.values[at];
    const size = text == null ? NaN : Number(text.replace('−', '-'));
    return Number.isFinite(size) ? size : null;
  };
  return hits.toSorted((a, b) => {
    const [one, other] = [sizeOf(a), sizeOf(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return (one - other) * (down ? -1 : 1);
  });
}
