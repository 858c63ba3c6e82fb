import { useState, type ReactNode } from 'react';

import { Button } from './Button';
import { Icon } from './Icon';
import { byName } from './natural';

export interface Column<Row> {
  readonly key: string;
  readonly head: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Right-aligned with tabular figures. */
  readonly figure?: boolean;
  /** Sort key for clicks on the header. */
  readonly sort?: (row: Row) => string | number;
}

interface TableProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly label: string;
  readonly rowKey?: (row: Row, index: number) => string | number;
  /** Rows of 26 px instead of 31. */
  readonly dense?: boolean;
}

const step = 50;

/** 50 rows, then more on demand. */
export function Table<Row>({ columns, rows, label, rowKey, dense = false }: TableProps<Row>) {
  const [sorting, setSorting] = useState<{ key: string; down: boolean } | null>(null);
  const [shown, setShown] = useState(step);
  const by = columns.find((column) => column.key === sorting?.key)?.sort;
  const sorted = by
    ? rows.toSorted((a, b) => compare(by(a), by(b)) * (sorting?.down ? -1 : 1))
    : rows;
  const more = Math.min(150, sorted.length - shown);
  return (
    <>
      <table aria-label={label} className="w-full border-collapse text-small">
        <thead>
          <tr className="border-b border-line">
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                aria-sort={sorting?.key === column.key ? (sorting.down ? 'descending' : 'ascending') : undefined}
                className={`sticky top-0 bg-surface-raised px-3 py-1.5 font-normal whitespace-nowrap text-fg-2 ${column.figure ? 'text-right' : 'text-left'}`}
              >
                {column.sort ? (
                  <button
                    type="button"
                    className="inline-flex items-center gap-1 rounded-badge hover:text-fg"
                    onClick={() =>
                      setSorting((old) => ({ key: column.key, down: old?.key === column.key ? !old.down : false }))
                    }
                  >
                    {column.head}
                    {sorting?.key === column.key && <Icon name={sorting.down ? 'arrow-down' : 'arrow-up'} size={12} />}
                  </button>
                ) : (
                  column.head
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, shown).map((row, index) => (
            <tr key={rowKey?.(row, index) ?? index} className="border-b border-line last:border-b-0">
              {columns.map((column) => (
                <td
                  key={column.key}
                  className={`selectable px-3 ${dense ? 'py-1' : 'py-1.5'} ${column.figure ? 'tabular text-right' : ''}`}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && (
        <Button variant="quiet" size="s" className="m-1" onClick={() => setShown((count) => count + 150)}>
          Show {more} more
        </Button>
      )}
    </>
  );
}

function compare(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : byName(String(a), String(b));
}
