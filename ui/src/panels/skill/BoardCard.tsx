import type { BoardPart } from '../../ipc';
import { Badge } from '../../shared';
import { moneyText } from '../../shared/amount';
import { RowMenu } from './ActionButton';
import { detailOf, fieldOf, pathOf, textOf, type Placed } from './answer';
import { columnOf, valueOf } from './board';
import { ChangedMark, RowTitle } from './Cell';
import { usePanel } from './context';
import type { Moves } from './useMoves';
import { dateText, daysBetween, titled } from './words';

/** One card of a column, draggable if the board declares a drop. */
export function BoardCard({ part, card, moves, away }: { part: BoardPart; card: Placed; moves: Moves; away: boolean }) {
  const { today } = usePanel();
  return (
    <div
      role="listitem"
      tabIndex={0}
      data-card
      data-row={pathOf(card.row) ?? undefined}
      data-note-path={pathOf(card.row) ?? undefined}
      aria-roledescription={part.drop ? 'card that can be moved' : 'card'}
      aria-label={cardLabel(part, card, today)}
      className={`group/card relative rounded-card ${part.drop ? 'touch-none' : ''} ${away ? 'opacity-45' : ''}`}
      {...moves.handlersOf(card)}
    >
      <Face part={part} card={card} pending={moves.state.moved[card.key]?.written === false} />
      {part.actions.length > 0 && (
        <span className="absolute top-1 right-1 opacity-0 group-focus-within/card:opacity-100 group-hover/card:opacity-100 has-data-[state=open]:opacity-100">
          <RowMenu actions={part.actions} row={card.row} title={textOf(fieldOf(card.row, part.title))} />
        </span>
      )}
    </div>
  );
}

/** A card's content: title, details, value and date. */
export function Face({ part, card: { row }, pending = false, className = '' }: { part: BoardPart; card: Placed; pending?: boolean; className?: string }) {
  const { today } = usePanel();
  const detail = detailOf(part.detail, row);
  const value = valueOf(part, row);
  const date = part.date === null ? null : textOf(fieldOf(row, part.date));
  const late = row['late'] === true;
  return (
    <div className={`rounded-card border border-line bg-surface-raised px-2.5 py-2 ${pending ? 'opacity-60' : ''} ${className}`}>
      <div className="flex items-center gap-2 text-ui font-medium">
        <RowTitle title={textOf(fieldOf(row, part.title))} path={pathOf(row)} />
        <ChangedMark path={pathOf(row)} />
      </div>
      {detail !== '' && <p className="cut text-small text-fg-2">{detail}</p>}
      {(value.length > 0 || date !== null) && (
        <div className="mt-1 flex items-center justify-between gap-2 text-small">
          <span className="tabular font-semibold">{value.map((amount) => moneyText(amount)).join(', ')}</span>
          {date === '' ? (
            <Badge tone="warn">no {(part.date ?? '').replace(/^\//, '').replaceAll('_', ' ')}</Badge>
          ) : (
            date !== null && <span className={`shrink-0 whitespace-nowrap ${late ? 'text-danger' : 'text-fg-2'}`}>{late && (daysBetween(date, today) ?? 0) > 0 ? `since ${dateText(date, today)}` : dateText(date, today)}</span>
          )}
        </div>
      )}
    </div>
  );
}

function cardLabel(part: BoardPart, { row }: Placed, today: string): string {
  const date = part.date === null ? '' : textOf(fieldOf(row, part.date));
  return [
    textOf(fieldOf(row, part.title)),
    detailOf(part.detail, row),
    valueOf(part, row).map((amount) => moneyText(amount)).join(', '),
    date === '' ? '' : dateText(date, today),
    `in ${titled(columnOf(part, row))}`,
  ]
    .filter((text) => text !== '')
    .join(', ');
}
