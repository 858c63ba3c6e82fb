// Moves cards between the columns of a board, by pointer or keys.

import { useEffect, useMemo, useReducer, useState, type KeyboardEvent, type PointerEvent, type RefObject } from 'react';

import type { BoardPart, JsonValue } from '../../ipc';
import { latinKey } from '../../state/latin-key';
import { fieldOf, pathOf, textOf, type Placed } from './answer';
import { columnsOf, countText, nextColumn, reduceBoard, stillBoard, type BoardColumn, type BoardEvent, type BoardState } from './board';
import { usePanel } from './context';
import { titled } from './words';

/** Pointer distance that turns a press into a drag, px. */
const DRAG_FROM = 4;

/** A dragged card: where it was pressed, and where it is now, px of the window. */
export interface Drag {
  readonly card: Placed;
  readonly pressed: { readonly x: number; readonly y: number };
  readonly grip: { readonly x: number; readonly y: number; readonly width: number };
  readonly now: { readonly x: number; readonly y: number } | null;
}

export interface Moves {
  readonly state: BoardState;
  readonly columns: readonly BoardColumn[];
  readonly drag: Drag | null;
  /** Moved cards stay visible at any position in their column. */
  readonly moved: ReadonlySet<string>;
  /** Screen reader announcement of the last step. */
  readonly said: string;
  handlersOf(card: Placed): CardHandlers;
}

type CardHandlers = PointerHandlers & { readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void };

interface PointerHandlers {
  readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerMove: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerUp: () => void;
  readonly onPointerCancel: () => void;
}

/** `answered` changes with each load; `root` is the board. */
export function useMoves(part: BoardPart, value: JsonValue, answered: string | null, root: RefObject<HTMLElement | null>): Moves {
  const panel = usePanel();
  const [state, dispatch] = useReducer(reduceBoard, stillBoard);
  const [said, setSaid] = useState('');
  const [moved, setMoved] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => dispatch({ type: 'answered' }), [answered]);
  // Memoised: pointer moves re-render, and there may be thousands of cards.
  const columns = useMemo(() => columnsOf(part, value, state), [part, value, state]);
  const labelOf = (name: string) => columns.find((column) => column.name === name)?.label ?? titled(name);
  const titleOf = (card: Placed) => textOf(fieldOf(card.row, part.title));

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
  const board: Board = { part, columns, state, root, dispatch, setSaid, drop, titleOf, labelOf, openNote: panel.openNote };
  const { drag, pointer, giveBack } = useDrag(board);
  const onKeyDown = keysOf(board, giveBack);
  return { state, columns, drag, moved, said, handlersOf: (card) => ({ ...pointer(card), onKeyDown: onKeyDown(card) }) };
}

/** The board for pointer and keys. */
interface Board {
  readonly part: BoardPart;
  readonly columns: readonly BoardColumn[];
  readonly state: BoardState;
  readonly root: RefObject<HTMLElement | null>;
  dispatch(event: BoardEvent): void;
  setSaid(words: string): void;
  drop(card: Placed, lift: NonNullable<BoardState['lift']>): Promise<void>;
  titleOf(card: Placed): string;
  labelOf(column: string): string;
  openNote(path: string): void;
}

function useDrag({ part, columns, state, root, dispatch, drop }: Board) {
  const [drag, setDrag] = useState<Drag | null>(null);
  const giveBack = () => {
    setDrag(null);
    dispatch({ type: 'returned' });
  };
  const pointer = (card: Placed): PointerHandlers => ({
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0 || !part.drop || (event.target as Element).closest('[aria-haspopup]') !== null) return;
      const box = event.currentTarget.getBoundingClientRect();
      // A press on the title opens the note unless it becomes a drag.
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
      // The button was released outside of the window.
      if (event.buttons === 0) return giveBack();
      const now = { x: event.clientX, y: event.clientY };
      if (drag.now === null) {
        if (Math.hypot(now.x - drag.pressed.x, now.y - drag.pressed.y) < DRAG_FROM) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        dispatch({ type: 'lifted', card: card.key, from: shownIn(columns, card), by: 'pointer' });
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

  // Esc cancels a pointer drag wherever the focus is.
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
  }, [dragging, dispatch]);
  return { drag, pointer, giveBack };
}

/** Space picks up and drops, arrows move, Esc cancels. */
function keysOf({ part, columns, state, dispatch, setSaid, drop, titleOf, labelOf, openNote }: Board, giveBack: () => void) {
  return (card: Placed) => (event: KeyboardEvent<HTMLElement>) => {
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
          dispatch({ type: 'lifted', card: card.key, from: shownIn(columns, card), by: 'keys' });
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
        return path === null ? undefined : act(() => openNote(path));
      }
      default:
        return undefined;
    }
  };
}

/** The column in which a card is rendered. */
function shownIn(columns: readonly BoardColumn[], card: Placed): string {
  return columns.find(({ cards }) => cards.some(({ key }) => key === card.key))?.name ?? '';
}

/** The next card in its column, or the first of the next column. */
export function moveFocus(from: HTMLElement, by: 1 | -1, way: 'card' | 'column'): void {
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
