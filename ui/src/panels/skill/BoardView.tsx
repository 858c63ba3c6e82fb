import { useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';

import type { BoardPart } from '../../ipc';
import { Button } from '../../shared';
import { listStep } from '../../shared/list-keys';
import { rowHas, type Placed } from './answer';
import { countText, totalText, type BoardColumn } from './board';
import { BoardCard, Face } from './BoardCard';
import { usePanel } from './context';
import { Nothing, Region, type Shown } from './Region';
import { MORE, useMore } from './useMore';
import { moveFocus, useMoves, type Drag, type Moves } from './useMoves';

/**
 * Cards per column at first, more than a tall window shows: each has a menu, and rendering 800 deals would
 * take seconds.
 */
const FIRST_CARDS = 20;

/** Cards in columns; dropping a card in another column makes the declared call. */
export function BoardView({ part }: { part: BoardPart }) {
  const panel = usePanel();
  return (
    <Region read={panel.read(panel.asked(part))} loading={<Skeletons wide={panel.wide} />}>
      {(shown) => <Columns part={part} shown={shown} />}
    </Region>
  );
}

/** Placeholder columns while loading. */
function Skeletons({ wide }: { wide: boolean }) {
  return (
    <div role="status" aria-label="Reading the board" className={`flex min-h-64 flex-1 animate-appear-late gap-2 overflow-hidden ${wide ? 'pt-3 pr-3 pb-3 pl-5' : 'p-3.5'}`}>
      {[3, 2, 4, 2, 3].map((cards, column) => (
        <div key={column} data-testid="column-skeleton" className={`flex min-w-49 flex-1 basis-49 flex-col gap-1.5 rounded-card p-1.5 ${wide ? 'bg-surface-side' : 'bg-surface-sunken'}`}>
          <span className="mx-1.5 mt-2 mb-2 h-2.5 w-1/2 shrink-0 rounded-badge bg-selected" />
          {Array.from({ length: cards }, (_, card) => (
            <span key={card} className="h-19 shrink-0 rounded-card border border-line bg-surface-raised" />
          ))}
        </div>
      ))}
    </div>
  );
}

function Columns({ part, shown: { value, read } }: { part: BoardPart; shown: Shown }) {
  const { wide, filter } = usePanel();
  const root = useRef<HTMLDivElement>(null);
  const moves = useMoves(part, value, read.at, root);
  const [peeked, setPeeked] = useState<string | null>(null);
  const { state, columns, drag } = moves;
  const found = useMemo(() => new Map(columns.map(({ name, cards }) => [name, cards.filter(({ row }) => rowHas(row, filter))])), [columns, filter]);
  const isOpen = ({ name, folded }: BoardColumn) => !folded || peeked === name || state.lift?.over === name;

  if (columns.length === 0) return <Nothing empty={part.empty} fallback="Nothing here yet." />;
  return (
    <div ref={root} className={`flex min-h-64 flex-1 gap-2 overflow-x-auto ${wide ? 'pt-3 pr-3 pb-3 pl-5' : 'p-3.5'}`}>
      {columns.map((column) =>
        isOpen(column) ? (
          <Column
            key={column.name}
            part={part}
            column={column}
            cards={found.get(column.name) ?? []}
            moves={moves}
            onLeave={() => peeked === column.name && setPeeked(null)}
          />
        ) : (
          <Folded key={column.name} part={part} column={column} onOpen={() => setPeeked(column.name)} />
        ),
      )}
      {drag?.now && <Dragged part={part} drag={drag} now={drag.now} />}
      <p role="status" aria-live="assertive" className="sr-only">
        {moves.said}
      </p>
    </div>
  );
}

interface ColumnProps {
  readonly part: BoardPart;
  readonly column: BoardColumn;
  /** Cards that match the filter. */
  readonly cards: readonly Placed[];
  readonly moves: Moves;
  readonly onLeave: () => void;
}

function Column({ part, column, cards, moves, onLeave }: ColumnProps) {
  const { wide } = usePanel();
  const { state, columns, drag, moved } = moves;
  const { lift } = state;
  const over = lift !== null && lift.over === column.name && lift.from !== column.name;
  const lifted = over ? columns.flatMap((one) => one.cards).find(({ key }) => key === lift.card) : undefined;
  return (
    <div
      data-column={column.name}
      role="list"
      aria-label={`${column.label}, ${column.count}${totalAfter(column)}`}
      onMouseLeave={onLeave}
      className={`flex min-w-49 flex-1 basis-49 flex-col gap-1.5 overflow-y-auto rounded-card bg-surface-side p-1.5 ${wide ? '' : 'bg-surface-sunken'} ${over ? 'outline-2 -outline-offset-2 outline-accent' : ''}`}
    >
      <div aria-hidden="true" className="flex shrink-0 items-baseline gap-1.5 px-1.5 pt-1 pb-1.5 text-small">
        <span className="font-semibold">{column.label}</span>
        <span className="text-fg-3">{column.count}</span>
        <span className={`tabular ml-auto text-right ${over ? 'text-accent' : 'text-fg-2'}`}>{totalText(column)}</span>
      </div>
      {lifted && (
        <div className="rounded-card border border-dashed border-accent bg-accent-soft p-1">
          {lift?.by === 'keys' && <Face part={part} card={lifted} className="border-accent-line shadow-2" />}
          <p className="py-1 text-center text-small text-accent">
            {lift?.by === 'keys' ? 'Space sets' : 'Release to set'}{' '}
            <code className="font-mono">
              {part.column.replace(/^\//, '')}: {column.name}
            </code>
          </p>
        </div>
      )}
      <Cards cards={cards} kept={(key) => moved.has(key) || lift?.card === key} label={column.label}>
        {(card) => (
          <BoardCard
            key={card.key}
            part={part}
            card={card}
            moves={moves}
            away={lift?.card === card.key && (over || drag?.now != null || lift.by === 'keys')}
          />
        )}
      </Cards>
    </div>
  );
}

function Folded({ part, column, onOpen }: { part: BoardPart; column: BoardColumn; onOpen: () => void }) {
  const cards = countText(part, column.count);
  return (
    <button
      type="button"
      data-column={column.name}
      aria-label={`${column.label} ${cards}${totalAfter(column)}. Open`}
      onClick={onOpen}
      onMouseEnter={onOpen}
      className="flex w-9 shrink-0 items-start justify-center rounded-card bg-surface-side pt-3 text-small text-fg-2 hover:bg-hover"
    >
      <span className="flex gap-2 whitespace-nowrap [writing-mode:vertical-rl]">
        <span className="font-semibold text-fg">{column.label}</span> {cards}
        {totalAfter(column)}
      </span>
    </button>
  );
}

function Dragged({ part, drag: { card, grip }, now }: { part: BoardPart; drag: Drag; now: NonNullable<Drag['now']> }) {
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none fixed top-0 left-0 z-50"
      style={{ width: grip.width, transform: `translate(${now.x - grip.x}px, ${now.y - grip.y}px)` }}
    >
      <Face part={part} card={card} className="border-accent shadow-2" />
    </div>
  );
}

/** A column's first cards, pinned ones, and a button for more. */
function Cards({ cards, kept, label, children }: { cards: readonly Placed[]; kept: (key: string) => boolean; label: string; children: (card: Placed) => ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const { most, show } = useMore(box, '[data-card]', FIRST_CARDS);
  const shown = cards.filter(({ key }, place) => place < most || kept(key));
  const left = cards.length - shown.length;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const by = listStep(event);
    if (by === 0) return;
    event.preventDefault();
    moveFocus(event.currentTarget, by, 'card');
  };
  return (
    <div ref={box} className="contents">
      {shown.map(children)}
      {left > 0 && (
        <div role="listitem">
          <Button variant="quiet" size="s" data-more="" aria-label={`Show ${Math.min(MORE, left)} more of ${label}`} onClick={show} onKeyDown={onKeyDown}>
            Show {Math.min(MORE, left)} more
          </Button>
        </div>
      )}
    </div>
  );
}

function totalAfter(column: BoardColumn): string {
  return column.total.length > 0 ? `, ${totalText(column)}` : '';
}
