import { useMemo, useRef, useState, type KeyboardEvent } from 'react';

import type { JsonValue, PanelAction, PanelColumn, TablePart } from '../../ipc';
import { Badge, Button, count, Icon, useMedia } from '../../shared';
import { FigureChip } from '../../shared/figures';
import { listKeys, noteForO } from '../../shared/list-keys';
import { latinKey } from '../../state/latin-key';
import { ActionButton, hasKeys, RowMenu } from './ActionButton';
import { at, fieldOf, isRow, offered, pathOf, pointerOf, rowHas, tableRowsAt, textOf, type Placed, type Row } from './answer';
import { Cell, ChangedMark, RowTitle } from './Cell';
import { usePanel, type Figures } from './context';
import { fold, titleColumn } from './fold';
import { Nothing, NotShown, Region, type Shown } from './Region';
import { useVirtual } from './useVirtual';
import { byText, isFigureFormat, sortValue, wordsText } from './words';

/** Rows at first, rows added by a click, and the number above which only visible rows are rendered. */
const FIRST = 50;
const MORE = 150;
const VIRTUAL = FIRST + MORE;

/** Rows in columns. */
export function TableView({ part: declared }: { part: TablePart }) {
  const panel = usePanel();
  const roomy = useMedia('(min-width: 1100px)') && panel.wide;
  const { columns, below } = useMemo(() => {
    const shown = declared.columns.filter((column) => roomy || !column.roomy);
    return panel.wide ? { columns: shown, below: [] } : fold(shown);
  }, [declared, roomy, panel.wide]);
  const part = useMemo(() => ({ ...declared, columns: [...columns] }), [declared, columns]);
  return (
    <section aria-label={part.title || undefined} className="min-w-0">
      {part.title !== '' && <h2 className={`pt-3 pb-1 text-ui font-semibold ${panel.wide ? 'px-5' : 'px-3.5'}`}>{part.title}</h2>}
      <Region read={panel.read(panel.asked(part))} lines={6}>
        {(shown) => <Rows part={part} below={below} shown={shown} />}
      </Region>
    </section>
  );
}

interface RowsProps {
  readonly part: TablePart;
  /** Columns whose values are shown below the row's name. */
  readonly below: readonly PanelColumn[];
  readonly shown: Shown;
}

function Rows({ part, below, shown: { value, figures } }: RowsProps) {
  const { filter, wide } = usePanel();
  const [sorting, setSorting] = useState(() => sortingOf(part));
  const [most, setMost] = useState(FIRST);
  const body = useRef<HTMLTableSectionElement>(null);
  /** Rows of varying height cannot be virtualised: they are added in steps. */
  const folded = below.length > 0;

  const all = useMemo(() => tableRowsAt(value, part), [value, part]);
  const rows = useMemo(() => {
    const found = all.filter(({ row }) => rowHas(row, filter));
    const column = part.columns.find(({ field }) => field === sorting?.field);
    if (!column || sorting === null) return found;
    const by = ({ row }: Placed) => sortValue(fieldOf(row, column.field), column.format);
    return found.toSorted((a, b) => compare(by(a), by(b)) * (sorting.down ? -1 : 1));
  }, [all, part, filter, sorting]);
  const total = part.total === null ? undefined : at(value, part.total);
  const units = useMemo(() => unitsOf(part.columns, isRow(total) ? [...rows.map(({ row }) => row), total] : rows.map(({ row }) => row)), [part.columns, rows, total]);
  const shared = useMemo(() => sharedDetails(part.columns, all), [part.columns, all]);
  const listed = rows.slice(0, most);
  const { from, to, before, after } = useVirtual(body, listed.length, !folded && listed.length > VIRTUAL);

  if (rows.length === 0) return <Nothing empty={part.empty} fallback="Nothing here yet." />;
  const edge = wide ? 'first:pl-5 last:pr-5' : 'first:pl-3.5 last:pr-3.5';
  const left = rows.length - listed.length;
  return (
    <div>
      <table aria-label={part.title || 'Rows'} aria-rowcount={rows.length + 1} className="w-full border-collapse text-small">
        <thead>
          <tr>
            {part.columns.map((column, place) => (
              <th
                key={place}
                scope="col"
                aria-sort={sorting?.field === column.field ? (sorting.down ? 'descending' : 'ascending') : undefined}
                className={`sticky top-0 z-10 border-b border-line px-2 py-2 font-normal whitespace-nowrap text-fg-2 ${wide ? 'bg-surface' : 'bg-surface-side'} ${edge} ${isFigureFormat(column.format) ? 'text-right' : 'text-left'}`}
              >
                <button
                  type="button"
                  data-tip={shared[place] == null ? undefined : `${column.label}: ${shared[place]}, in all rows`}
                  className="inline-flex items-center gap-1 rounded-badge hover:text-fg"
                  onClick={() =>
                    setSorting((old) => ({
                      field: column.field,
                      // Figures begin with the largest, text with A.
                      down: old?.field === column.field ? !old.down : isFigureFormat(column.format),
                    }))
                  }
                >
                  {column.label}
                  {units.heads[place]}
                  {shared[place] != null && <span className="sr-only">({shared[place]})</span>}
                  {sorting?.field === column.field && <Icon name={sorting.down ? 'arrow-down' : 'arrow-up'} size={12} />}
                </button>
              </th>
            ))}
            {part.actions.length > 0 && (
              <th className={`sticky top-0 z-10 border-b border-line ${wide ? 'bg-surface' : 'bg-surface-side'}`}>
                <span className="sr-only">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody ref={body} data-list onKeyDown={listKeys}>
          {before > 0 && <Spacer height={before} columns={part.columns.length} />}
          {listed.slice(from, to).map((placed, place) => (
            <BodyRow key={placed.key} part={part} below={below} placed={placed} units={units.cells} shared={shared} figures={figures} edge={edge} index={from + place + 2} />
          ))}
          {after > 0 && <Spacer height={after} columns={part.columns.length} />}
        </tbody>
        {isRow(total) && (
          <tfoot>
            <tr className="border-t border-line-strong font-semibold">
              {part.columns.map((column, place) => (
                <td key={place} className={`px-2 py-1.5 ${edge} ${isFigureFormat(column.format) ? 'tabular text-right' : ''}`}>
                  <TotalCell column={column} row={total} unit={units.cells[place] ?? null} pointer={part.total ?? ''} figures={figures} />
                </td>
              ))}
              {part.actions.length > 0 && <td />}
            </tr>
          </tfoot>
        )}
      </table>
      {left > 0 && (
        <Button variant="quiet" size="s" className={wide ? 'mx-3 my-1.5' : 'm-1.5'} onClick={() => setMost(folded ? most + MORE : most === FIRST ? VIRTUAL : Infinity)}>
          {folded || most === FIRST ? `Show ${Math.min(MORE, left)} more` : `Show all ${count(rows.length)}`}
        </Button>
      )}
      <NotShown value={value} />
    </div>
  );
}

/** The declared order: `value`, or `-value` for the largest first. */
function sortingOf({ sort }: TablePart): { field: string; down: boolean } | null {
  return sort === null ? null : { field: sort.replace(/^-/, ''), down: sort.startsWith('-') };
}

interface BodyRowProps {
  readonly part: TablePart;
  readonly below: readonly PanelColumn[];
  readonly placed: Placed;
  /** Unit to write beside a bare amount, by column. */
  readonly units: readonly (string | null)[];
  /** Detail common to all rows, shown in the head, by column. */
  readonly shared: readonly (string | null)[];
  readonly figures: Figures;
  readonly edge: string;
  readonly index: number;
}

function BodyRow({ part, below, placed: { row, at: pointer }, units, shared, figures, edge, index }: BodyRowProps) {
  const { openNote, act } = usePanel();
  const path = pathOf(row);
  const titled = titleColumn(part.columns);
  const title = textOf(fieldOf(row, part.columns[titled]?.field ?? ''));
  const quiet = part.quiet !== null && fieldOf(row, part.quiet) === true;
  const [menuOpen, setMenuOpen] = useState(false);
  const byKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      event.preventDefault();
      setMenuOpen(true);
      return;
    }
    // If the row's menu has keys, O is its "Open note"; in other lists it opens Obsidian.
    if (path !== null && hasKeys(part.actions) && noteForO(event) === path) {
      event.preventDefault();
      openNote(path);
      return;
    }
    const action = actionOfKey(part.actions, row, event);
    if (!action) return;
    event.preventDefault();
    void act(action, row);
  };
  // The row already shows its age.
  const ageIsShown = part.columns.some(({ format }) => format === 'age') && typeof row['stale'] === 'string';
  return (
    <tr data-row={path ?? undefined} data-list-item data-note-path={path ?? undefined} aria-rowindex={index} onKeyDown={byKey} className={`h-[31px] border-b border-line hover:bg-hover short:h-[29px] ${quiet ? 'text-fg-2' : ''}`}>
      {part.columns.map((column, place) => {
        const value = fieldOf(row, column.field);
        const figure = isFigureFormat(column.format) ? figures.get(`${pointer}${pointerOf(column.field)}`) : undefined;
        return (
          <td
            key={place}
            className={`selectable px-2 py-1 ${edge} ${isFigureFormat(column.format) ? 'tabular text-right' : ''} ${place === titled && below.length > 0 ? 'w-full max-w-0' : ''}`}
          >
            <span className={`flex items-center gap-x-3 ${isFigureFormat(column.format) ? 'justify-end' : ''} ${place === titled && below.length > 0 ? 'flex-wrap' : ''}`}>
              {figure?.view.caution && !ageIsShown && <FigureChip figure={figure} onNote={openNote} />}
              {place === titled && row['kind'] === 'transfer' && <Icon name="swap" size={14} className="-mr-1.5 shrink-0 text-fg-2" />}
              {place === titled && column.format === 'text' ? (
                <RowTitle title={title} path={path} className={`${below.length > 0 ? '' : 'shrink-0'} ${quiet ? '' : 'font-medium'} ${column.detail === null ? '' : 'min-w-11'}`} />
              ) : (
                <Cell value={value} format={column.format} unit={units[place] ?? unitOf(column, row)} row={row} />
              )}
              {column.detail !== null && shared[place] === null && <Detail text={wordsText(textOf(fieldOf(row, column.detail)))} quiet={quiet} />}
              {place === titled && <ChangedMark path={path} />}
            </span>
            {place === titled && <Below columns={below} row={row} />}
          </td>
        );
      })}
      {part.actions.length > 0 && (
        <td className={`w-8 pr-2 text-right ${edge}`}>
          {part.actions.length === 1 && part.actions[0] ? (
            <ActionButton action={part.actions[0]} row={row} size="s" />
          ) : (
            <RowMenu actions={part.actions} row={row} title={title} opening={{ open: menuOpen, onOpenChange: setMenuOpen }} />
          )}
        </td>
      )}
    </tr>
  );
}

/** Values without their own column; figures with their names. */
function Below({ columns, row }: { columns: readonly PanelColumn[]; row: Row }) {
  const filled = columns.filter(({ field }) => textOf(fieldOf(row, field)) !== '');
  if (filled.length === 0) return null;
  return (
    <span className="flex flex-wrap items-center gap-x-2 pt-0.5 text-meta text-fg-2">
      {filled.map((column) => (
        <span key={column.field} className="inline-flex items-center gap-1">
          {(isFigureFormat(column.format) || column.format === 'bar') && column.label}
          <Cell value={fieldOf(row, column.field)} format={column.format === 'bar' ? 'percent' : column.format} unit={unitOf(column, row)} row={row} />
        </span>
      ))}
    </span>
  );
}

/** The detail after a value; for future items, their date. */
function Detail({ text, quiet }: { text: string; quiet: boolean }) {
  if (text === '') return null;
  if (quiet) return <Badge icon="clock">{text}</Badge>;
  return (
    <span className="cut min-w-0 text-fg-2">
      {/repeats /.test(text) && <Icon name="refresh" size={12} className="mr-1.5 inline-block align-[-1px]" />}
      {text}
    </span>
  );
}

/** The action of a letter or Del; Enter on the row's title edits the row. */
function actionOfKey(actions: readonly PanelAction[], row: Row, event: KeyboardEvent): PanelAction | undefined {
  const { target } = event;
  if (!(target instanceof Element) || target.closest('input, textarea, [role=menu]') !== null) return undefined;
  const own = offered(actions, row);
  if (event.key === 'Enter') return target.closest('[data-row-title]') === null ? undefined : own.find(({ edit, key }) => edit && key !== null);
  const pressed = event.key === 'Delete' ? 'del' : latinKey(event);
  return own.find(({ key }) => key?.toLowerCase() === pressed);
}

function TotalCell({ column, row, unit, pointer, figures }: { column: PanelColumn; row: Row; unit: string | null; pointer: string; figures: Figures }) {
  const { openNote } = usePanel();
  const figure = figures.get(`${pointer}${pointerOf(column.field)}`);
  const value = fieldOf(row, column.field);
  if (value === undefined || value === null) return null;
  return (
    <span className={`inline-flex items-center gap-2 ${isFigureFormat(column.format) ? 'justify-end' : ''}`}>
      {figure && (
        <span className="max-medium:hidden">
          <FigureChip figure={figure} onNote={openNote} />
        </span>
      )}
      <Cell value={value} format={column.format} unit={unit ?? unitOf(column, row)} row={row} />
      {column.detail !== null && <Detail text={textOf(fieldOf(row, column.detail))} quiet={false} />}
    </span>
  );
}

function Spacer({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  );
}

/**
 * If all rows have one currency, the first such column names it in its head and the cells are bare numbers;
 * several currencies are shown beside each amount.
 */
function unitsOf(columns: readonly PanelColumn[], rows: readonly Row[]) {
  const heads: string[] = columns.map(() => '');
  const cells: (string | null)[] = columns.map(() => null);
  let isShown = false;
  columns.forEach((column, place) => {
    if (!['money', 'gain', 'signed'].includes(column.format) || column.unit === null) return;
    const seen = new Set(rows.map((row) => unitOf(column, row)).filter((unit) => unit !== ''));
    if (seen.size !== 1 || rows.some((row) => Array.isArray(fieldOf(row, column.field)))) return;
    cells[place] = '';
    const [unit = ''] = seen;
    if (!isShown && !column.label.includes(unit)) heads[place] = `, ${unit}`;
    isShown = true;
  });
  return { heads, cells };
}

/**
 * Details of figures that are identical in all of several rows, by column. The head shows them once, on hover
 * or to screen readers; differing details, and those after text, stay in the row.
 */
function sharedDetails(columns: readonly PanelColumn[], rows: readonly Placed[]): (string | null)[] {
  return columns.map(({ detail, format }) => {
    if (detail === null || format === 'text' || rows.length < 2) return null;
    const seen = new Set(rows.map(({ row }) => textOf(fieldOf(row, detail))));
    const [one = ''] = seen;
    return seen.size === 1 && one !== '' ? one : null;
  });
}

function unitOf(column: PanelColumn, row: Row): string {
  return column.unit === null ? '' : textOf(fieldOf(row, column.unit) as JsonValue | undefined);
}

function compare(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : byText(String(a), String(b));
}

