// A board while a card is moved. Pure. Cards and totals come from the output; cards being moved or written
// are overlaid.

import type { BoardPart, JsonValue } from '../../ipc';
import { amountsOf, moneyText, type Amount } from '../../shared/amount';
import { negated, plus } from '../../shared/decimal';
import { at, fieldOf, isRow, rowsAt, textOf, type Placed, type Row } from './answer';
import { titled } from './words';

export interface BoardState {
  /** A picked-up card. */
  readonly lift: Lift | null;
  /** Targets of dropped cards by key, until a reload has them there. */
  readonly moved: Readonly<Record<string, Moved>>;
}

export interface Lift {
  /** The card's key. */
  readonly card: string;
  readonly from: string;
  /** The column under the card. */
  readonly over: string;
  readonly by: 'pointer' | 'keys';
}

export interface Moved {
  readonly to: string;
  /** Whether it is written, so that the next load has it. */
  readonly written: boolean;
}

export type BoardEvent =
  | { readonly type: 'lifted'; readonly card: string; readonly from: string; readonly by: Lift['by'] }
  | { readonly type: 'reached'; readonly column: string }
  | { readonly type: 'dropped' }
  | { readonly type: 'returned' }
  | { readonly type: 'written'; readonly card: string }
  | { readonly type: 'refused'; readonly card: string }
  | { readonly type: 'answered' };

export const stillBoard: BoardState = { lift: null, moved: {} };

export function reduceBoard(state: BoardState, event: BoardEvent): BoardState {
  const { lift, moved } = state;
  switch (event.type) {
    case 'lifted':
      return { ...state, lift: { card: event.card, from: event.from, over: event.from, by: event.by } };
    case 'reached':
      return lift === null || lift.over === event.column ? state : { ...state, lift: { ...lift, over: event.column } };
    case 'returned':
      return lift === null ? state : { ...state, lift: null };
    case 'dropped':
      if (lift === null) return state;
      return { lift: null, moved: lift.over === lift.from ? moved : { ...moved, [lift.card]: { to: lift.over, written: false } } };
    case 'written': {
      const card = moved[event.card];
      return card ? { ...state, moved: { ...moved, [event.card]: { ...card, written: true } } } : state;
    }
    case 'refused': {
      const { [event.card]: _back, ...others } = moved;
      return { ...state, moved: others };
    }
    case 'answered':
      return { ...state, moved: Object.fromEntries(Object.entries(moved).filter(([, card]) => !card.written)) };
  }
}

export interface BoardColumn {
  /** As in the cards. */
  readonly name: string;
  readonly label: string;
  readonly folded: boolean;
  readonly cards: readonly Placed[];
  /** Including the overlay. */
  readonly count: number;
  readonly total: readonly Amount[];
}

/** The columns to render, with counts and totals as they would be after the drop. */
export function columnsOf(part: BoardPart, value: JsonValue | null, { lift, moved }: BoardState): BoardColumn[] {
  const cards = rowsAt(value, part.rows);
  const declared = at(value, part.columns);
  const columns = (Array.isArray(declared) ? declared : []).filter(isRow);
  /** The column that a card is counted in. */
  const placeOf = ({ key, row }: Placed) => moved[key]?.to ?? columnOf(part, row);
  const countedIn = (card: Placed) => (lift?.card === card.key ? lift.over : placeOf(card));

  return columns.map((column) => {
    const name = columnOf(part, column);
    let count = typeof column['count'] === 'number' ? column['count'] : 0;
    let total: readonly Amount[] = amountsOf(column['total'], textOf(column['currency']));
    for (const card of cards) {
      const [own, now] = [columnOf(part, card.row), countedIn(card)];
      if (own === now || (own !== name && now !== name)) continue;
      const gains = now === name;
      count += gains ? 1 : -1;
      for (const amount of valueOf(part, card.row)) total = added(total, gains ? amount : { ...amount, amount: negated(amount.amount) });
    }
    return {
      name,
      label: textOf(column['label']) || titled(name),
      folded: part.folded.includes(name),
      cards: cards.filter((card) => placeOf(card) === name),
      count,
      total,
    };
  });
}

/** The previous or next column. */
export function nextColumn(columns: readonly BoardColumn[], from: string, by: 1 | -1): string {
  const place = columns.findIndex(({ name }) => name === from);
  return columns[Math.min(columns.length - 1, Math.max(0, place + by))]?.name ?? from;
}

export function columnOf(part: BoardPart, row: Row): string {
  return textOf(fieldOf(row, part.column));
}

/** The amounts of a card. */
export function valueOf(part: BoardPart, row: Row): Amount[] {
  if (part.value === null) return [];
  return amountsOf(fieldOf(row, part.value), part.unit === null ? '' : textOf(fieldOf(row, part.unit)));
}

/** Exact, per currency. A zero currency is omitted beside others. */
function added(total: readonly Amount[], { amount, currency }: Amount): readonly Amount[] {
  const own = total.findIndex((one) => one.currency === currency || one.currency === '' || currency === '');
  const old = total[own];
  if (old === undefined) return [...total, { amount, currency }];
  const sum = plus(old.amount, amount);
  if (sum === null) return total;
  const next = total.with(own, { amount: sum, currency: old.currency || currency });
  return next.length > 1 ? next.filter((one) => /[1-9]/.test(one.amount)) : next;
}

/** "2 deals", with the board's noun for its cards. */
export function countText({ one, many }: BoardPart, count: number): string {
  return `${count} ${count === 1 ? (one ?? 'card') : (many ?? 'cards')}`;
}

export function totalText({ total }: BoardColumn): string {
  return total.map((amount) => moneyText(amount)).join(', ');
}
