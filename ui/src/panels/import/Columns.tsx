// The meaning of each column of the file, with its first cells; collapsed unless a choice is needed.

import { Icon, Switch } from '../../shared';
import type { Column, Review } from './review';
import type { ImportEvent, ImportState } from './state';

interface ColumnsProps {
  readonly state: ImportState;
  readonly review: Review;
  readonly say: (event: ImportEvent) => void;
}

export function Columns({ state, review, say }: ColumnsProps) {
  const { columnsOpen: open, remember } = state;
  const used = review.columns.filter(({ means }) => means !== null).length;
  return (
    <section aria-label="Columns" data-testid="import-columns" className="rounded-card border border-line text-small">
      <div className="flex h-9 items-center gap-2 px-3">
        <button type="button" aria-expanded={open} className="flex flex-1 items-center gap-2 text-left" onClick={() => say({ type: 'columns', open: !open })}>
          <Icon name={open ? 'chevron-down' : 'chevron-right'} size={12} />
          <span className="font-medium">Columns</span>
          <span className="text-fg-2">
            {used} of {review.columns.length} used
          </span>
        </button>
        {open && (
          <span className="flex items-center gap-2 text-fg-2">
            <span aria-hidden="true">Remember for {review.bank ?? 'the next file'}</span>
            <Switch label={`Remember for ${review.bank ?? 'the next file'}`} checked={remember} onChange={(on) => say({ type: 'remember', on })} />
          </span>
        )}
      </div>
      {open && (
        <table aria-label="Columns of the file" className="w-full border-t border-line">
          <tbody>
            {review.columns.map((column) => (
              <ColumnRow key={column.column} column={column} review={review} say={say} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function ColumnRow({ column, review: { meanings, currency }, say }: { column: Column; review: Review; say: ColumnsProps['say'] }) {
  return (
    <tr className="h-7.5">
      <th scope="row" className="cut max-w-44 px-3 text-left font-medium">
        {column.name || `Column ${column.column}`}
      </th>
      {[0, 1, 2].map((at) => (
        <td key={at} className="selectable cut max-w-32 px-2 text-fg-2">
          {column.examples[at] ?? ''}
        </td>
      ))}
      <td className="w-40 px-3 py-0.5">
        <select
          aria-label={`Meaning of ${column.name || `column ${column.column}`}`}
          className="h-6.5 w-full rounded-control border border-line-control bg-surface-raised px-1.5"
          value={column.means ?? ''}
          onChange={(event) => say({ type: 'mapped', column: column.column, means: event.target.value === '' ? null : event.target.value })}
        >
          <option value="">Not used</option>
          {meanings.map(([key, label]) => (
            <option key={key} value={key}>
              {key === 'amount' && currency !== null ? `${label}, in ${currency}` : label}
            </option>
          ))}
        </select>
      </td>
    </tr>
  );
}
