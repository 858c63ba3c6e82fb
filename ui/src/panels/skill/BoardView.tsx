import { useEffect, useMemo, useReducer, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';

import type { BoardPart } from '../../ipc';
import { Badge, Button } from '../../shared';
import { moneyText } from '../../shared/amount';
import { listStep } from '../../shared/list-keys';
import { latinKey } from '../../state/latin-key';
import { RowMenu } from './ActionButton';
import { fieldOf, pathOf, rowHas, textOf, type Placed } from './answer';
import { columnOf, columnsOf, nextColumn, reduceBoard, stillBoard, valueOf, type BoardColumn, type BoardEvent, type BoardState } from './board';
import { ChangedMark, RowTitle } from './Cell';
import { usePanel } from './context';
import { Nothing, Region, type Shown } from './Region';
import { MORE, useMore } from './useMore';
import { dateText, daysBetween, titled } from './words';

/** How far the pointer goes before a press is a drag, px. */
const DRAG_FROM = 4;
/** Cards of a column at first, more than a high window shows: each has a menu, and all of 800 deals would take seconds. */
const FIRST_CARDS = 20;

/** Cards in columns; a card that is dropped in another column calls what the board declares. */
export function BoardView({ part }: { part: BoardPart }) {
  const panel = usePanel();
  return (
    <Region read={panel.read(panel.asked(part))} loading={<Skeletons wide={panel.wide} />}>
      {(shown) => <Columns part={part} shown={shown} />}
    </Region>
  );
}

/** Columns in the place of those that are read. */
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

/** A card under the pointer: where it was pressed, and where it is now, px of the window. */
interface Drag {
  readonly card: Placed;
  readonly pressed: { readonly x: number; readonly y: number };
  readonly grip: { readonly x: number; readonly y: number; readonly width: number };
  readonly now: { readonly x: number; readonly y: number } | null;
}

function Columns({ part, shown: { value, read } }: { part: BoardPart; shown: Shown }) {
  const panel = usePanel();
  const [state, dispatch] = useReducer(reduceBoard, stillBoard);
  const [drag, setDrag] = useState<Drag | null>(null);
  const [said, setSaid] = useState('');
  const [peeked, setPeeked] = useState<string | null>(null);
  /** Cards that were moved here stay in sight, wherever they stand in their column. */
  const [moved, setMoved] = useState<ReadonlySet<string>>(new Set());
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => dispatch({ type: 'answered' }), [read.at]);

  // Not at each move of the pointer: there may be thousands of cards.
  const columns = useMemo(() => columnsOf(part, value, state), [part, value, state]);
  const found = useMemo(
    () => new Map(columns.map(({ name, cards }) => [name, cards.filter(({ row }) => rowHas(row, panel.filter))])),
    [columns, panel.filter],
  );
  const labelOf = (name: string) => columns.find((column) => column.name === name)?.label ?? titled(name);
  const titleOf = (card: Placed) => textOf(fieldOf(card.row, part.title));
  const isOpen = ({ name, folded }: BoardColumn) => !folded || peeked === name || state.lift?.over === name;

  const drop = async (card: Placed, lift: NonNullable<BoardState['lift']>) => {
    dispatch({ type: 'dropped' });
    if (lift.over === lift.from || !part.drop) {
      setSaid(`${titleOf(card)} stays in ${labelOf(lift.from)}.`);
      return;
    }
    setMoved((old) => new Set(old).add(card.key));
    const outcome = await panel.act(part.drop, card.row, lift.over);
    if (outcome.kind === 'done') {
      dispatch({ type: 'written', card: card.key });
      setSaid(`${titleOf(card)} is in ${labelOf(lift.over)}.`);
    } else {
      dispatch({ type: 'refused', card: card.key });
      setSaid(`${titleOf(card)} is back in ${labelOf(lift.from)}${outcome.kind === 'failed' ? `: ${outcome.reason}` : '.'}`);
    }
  };
  const lift = (event: Extract<BoardEvent, { type: 'lifted' }>) => dispatch(event);
  const giveBack = () => {
    setDrag(null);
    dispatch({ type: 'returned' });
  };

  const pointer = (card: Placed) => ({
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0 || !part.drop || (event.target as Element).closest('[aria-haspopup]') !== null) return;
      const box = event.currentTarget.getBoundingClientRect();
      // The title keeps its press until it is a drag: alone it opens the note.
      if ((event.target as Element).closest('button') === null) event.currentTarget.setPointerCapture(event.pointerId);
      setDrag({
        card,
        pressed: { x: event.clientX, y: event.clientY },
        grip: { x: event.clientX - box.left, y: event.clientY - box.top, width: box.width },
        now: null,
      });
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (drag?.card.key !== card.key) return;
      // Let go where nobody heard it.
      if (event.buttons === 0) return giveBack();
      const now = { x: event.clientX, y: event.clientY };
      if (drag.now === null) {
        if (Math.hypot(now.x - drag.pressed.x, now.y - drag.pressed.y) < DRAG_FROM) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        lift({ type: 'lifted', card: card.key, from: shownIn(columns, card), by: 'pointer' });
      }
      setDrag({ ...drag, now });
      const under = document.elementFromPoint(now.x, now.y)?.closest<HTMLElement>('[data-column]');
      const column = under && root.current?.contains(under) ? under.dataset['column'] : undefined;
      if (column !== undefined) dispatch({ type: 'reached', column });
    },
    onPointerUp: () => {
      if (drag?.now && state.lift) void drop(card, state.lift);
      setDrag(null);
    },
    onPointerCancel: giveBack,
  });

  const onKeyDown = (card: Placed) => (event: KeyboardEvent<HTMLElement>) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const lifted = state.lift;
    const act = (work: () => void) => {
      event.preventDefault();
      event.stopPropagation();
      work();
    };
    const go = (by: 1 | -1) => {
      if (lifted === null) return moveFocus(event.currentTarget, by, 'column');
      const column = nextColumn(columns, lifted.over, by);
      dispatch({ type: 'reached', column });
      const there = columns.find(({ name }) => name === column);
      setSaid(`${labelOf(column)}, ${there ? countText(part, there.count) : ''}`);
    };
    switch (latinKey(event)) {
      case ' ':
        return act(() => {
          if (!part.drop) return;
          if (lifted) return void drop(card, lifted);
          lift({ type: 'lifted', card: card.key, from: shownIn(columns, card), by: 'keys' });
          setSaid(`${titleOf(card)} is lifted from ${labelOf(shownIn(columns, card))}. Arrows move it, Space drops it, Esc returns it.`);
        });
      case 'Escape':
        return lifted === null
          ? undefined
          : act(() => {
              giveBack();
              setSaid(`${titleOf(card)} is back in ${labelOf(lifted.from)}.`);
            });
      case 'ArrowRight':
        return act(() => go(1));
      case 'ArrowLeft':
        return act(() => go(-1));
      case 'ArrowDown':
      case 'j':
        return lifted ? undefined : act(() => moveFocus(event.currentTarget, 1, 'card'));
      case 'ArrowUp':
      case 'k':
        return lifted ? undefined : act(() => moveFocus(event.currentTarget, -1, 'card'));
      case 'Enter': {
        const path = pathOf(card.row);
        return path === null ? undefined : act(() => panel.openNote(path));
      }
      default:
        return undefined;
    }
  };

  // Esc ends a drag by pointer too, wherever the focus is.
  const dragging = drag?.now != null;
  useEffect(() => {
    if (!dragging) return;
    const onEscape = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      setDrag(null);
      dispatch({ type: 'returned' });
    };
    window.addEventListener('keydown', onEscape, true);
    return () => window.removeEventListener('keydown', onEscape, true);
  }, [dragging]);

  if (columns.length === 0) return <Nothing empty={part.empty} fallback="Nothing here yet." />;
  const lifted = columns.flatMap(({ cards }) => cards).find(({ key }) => key === state.lift?.card);
  return (
    <div ref={root} className={`flex min-h-64 flex-1 gap-2 overflow-x-auto ${panel.wide ? 'pt-3 pr-3 pb-3 pl-5' : 'p-3.5'}`}>
      {columns.map((column) => {
        const over = state.lift !== null && state.lift.over === column.name && state.lift.from !== column.name;
        const total = column.total.length > 0 ? `, ${totalText(column)}` : '';
        const cards = countText(part, column.count);
        return isOpen(column) ? (
          <div
            key={column.name}
            data-column={column.name}
            role="list"
            aria-label={`${column.label}, ${column.count}${total}`}
            onMouseLeave={() => peeked === column.name && setPeeked(null)}
            className={`flex min-w-49 flex-1 basis-49 flex-col gap-1.5 overflow-y-auto rounded-card bg-surface-side p-1.5 ${panel.wide ? '' : 'bg-surface-sunken'} ${over ? 'outline-2 -outline-offset-2 outline-accent' : ''}`}
          >
            <div aria-hidden="true" className="flex shrink-0 items-baseline gap-1.5 px-1.5 pt-1 pb-1.5 text-small">
              <span className="font-semibold">{column.label}</span>
              <span className="text-fg-3">{column.count}</span>
              <span className={`tabular ml-auto text-right ${over ? 'text-accent' : 'text-fg-2'}`}>{totalText(column)}</span>
            </div>
            {over && lifted && (
              <div className="rounded-card border border-dashed border-accent bg-accent-soft p-1">
                {state.lift?.by === 'keys' && <Face part={part} card={lifted} className="border-accent-line shadow-2" />}
                <p className="py-1 text-center text-small text-accent">
                  {state.lift?.by === 'keys' ? 'Space sets' : 'Release to set'}{' '}
                  <code className="font-mono">
                    {part.column.replace(/^\//, '')}: {column.name}
                  </code>
                </p>
              </div>
            )}
            <Cards
              cards={found.get(column.name) ?? []}
              kept={(key) => moved.has(key) || state.lift?.card === key}
              label={column.label}
            >
              {(card) => (
                <div
                  key={card.key}
                  role="listitem"
                  tabIndex={0}
                  data-card
                  data-row={pathOf(card.row) ?? undefined}
                  data-note-path={pathOf(card.row) ?? undefined}
                  aria-roledescription={part.drop ? 'card that can be moved' : 'card'}
                  aria-label={cardLabel(part, card, panel.today)}
                  className={`group/card relative rounded-card ${part.drop ? 'touch-none' : ''} ${state.lift?.card === card.key && (over || dragging || state.lift.by === 'keys') ? 'opacity-45' : ''}`}
                  onKeyDown={onKeyDown(card)}
                  {...pointer(card)}
                >
                  <Face part={part} card={card} pending={state.moved[card.key]?.written === false} />
                  {part.actions.length > 0 && (
                    <span className="absolute top-1 right-1 opacity-0 group-focus-within/card:opacity-100 group-hover/card:opacity-100 has-data-[state=open]:opacity-100">
                      <RowMenu actions={part.actions} row={card.row} title={titleOf(card)} />
                    </span>
                  )}
                </div>
              )}
            </Cards>
          </div>
        ) : (
          <button
            key={column.name}
            type="button"
            data-column={column.name}
            aria-label={`${column.label} ${cards}${total}. Open`}
            onClick={() => setPeeked(column.name)}
            onMouseEnter={() => setPeeked(column.name)}
            className="flex w-9 shrink-0 items-start justify-center rounded-card bg-surface-side pt-3 text-small text-fg-2 hover:bg-hover"
          >
            <span className="flex gap-2 whitespace-nowrap [writing-mode:vertical-rl]">
              <span className="font-semibold text-fg">{column.label}</span> {cards}
              {total}
            </span>
          </button>
        );
      })}
      {drag?.now && (
        <div
          aria-hidden="true"
          className="pointer-events-none fixed top-0 left-0 z-50"
          style={{ width: drag.grip.width, transform: `translate(${drag.now.x - drag.grip.x}px, ${drag.now.y - drag.grip.y}px)` }}
        >
          <Face part={part} card={drag.card} className="border-accent shadow-2" />
        </div>
      )}
      <p role="status" aria-live="assertive" className="sr-only">
        {said}
      </p>
    </div>
  );
}

/** The first cards of a column, those that are kept, and the way to more. */
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

/** What a card shows: title, a few words, its value and its date. */
function Face({ part, card: { row }, pending = false, className = '' }: { part: BoardPart; card: Placed; pending?: boolean; className?: string }) {
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

/** "Jane Doe, Quillon Labs": those fields that are there. */
export function detailOf(fields: readonly string[], row: Placed['row']): string {
  return fields
    .map((field) => textOf(fieldOf(row, field)))
    .filter((text) => text !== '')
    .join(', ');
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

/** "2 deals": in the word that the board has for its cards. */
function countText({ one, many }: BoardPart, count: number): string {
  return `${count} ${count === 1 ? (one ?? 'card') : (many ?? 'cards')}`;
}

function totalText({ total }: BoardColumn): string {
  return total.map((amount) => moneyText(amount)).join(', ');
}

/** The column that a card is drawn in now. */
function shownIn(columns: readonly BoardColumn[], card: Placed): string {
  return columns.find(({ cards }) => cards.some(({ key }) => key === card.key))?.name ?? '';
}

/** The card beside one in its column, or the first of the column beside it. */
function moveFocus(from: HTMLElement, by: 1 | -1, way: 'card' | 'column'): void {
  const column = from.closest('[data-column]');
  if (!column) return;
  if (way === 'card') {
    const cards = [...column.querySelectorAll<HTMLElement>('[data-card], [data-more]')];
    cards[cards.indexOf(from) + by]?.focus();
    return;
  }
  const columns = [...(column.parentElement?.querySelectorAll<HTMLElement>('[data-column]') ?? [])];
  const there = columns.slice(by > 0 ? columns.indexOf(column as HTMLElement) + 1 : 0, by > 0 ? undefined : columns.indexOf(column as HTMLElement));
  const first = (by > 0 ? there : there.toReversed()).flatMap((one) => one.querySelector<HTMLElement>('[data-card]') ?? [])[0];
  first?.focus();
}
