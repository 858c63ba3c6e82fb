// One trade of the file; where it names an ISIN, its symbol may be chosen.

import { Icon } from '../../shared';
import { moneyText, numberText } from '../../shared/amount';
import { NamePicker } from './NamePicker';
import type { Entry } from './review';
import type { ImportEvent } from './state';
import { dayOf } from './words';

interface TradeRowProps {
  readonly entry: Entry;
  readonly symbols: readonly string[];
  /** Whether the user imports it; undefined if undecided. */
  readonly decision: boolean | undefined;
  readonly say: (event: ImportEvent) => void;
}

export function TradeRow({ entry, symbols, decision, say }: TradeRowProps) {
  const { trade } = entry;
  if (trade === null) return null;
  const out = decision === false;
  const open = entry.twin !== null && decision === undefined;
  const number = 'tabular px-2 text-right whitespace-nowrap';
  return (
    <tr data-list-item tabIndex={-1} data-line={entry.line} className={`h-[31px] border-t border-line ${open ? 'bg-warn-soft' : 'hover:bg-hover'} ${out ? 'text-fg-3 line-through' : ''}`}>
      <td className="px-2 whitespace-nowrap text-fg-2 first:pl-3">{dayOf(entry.date)}</td>
      <td className="px-2 whitespace-nowrap">{entry.kind}</td>
      <td className="px-2">
        <span className="flex items-center gap-2">
          {trade.isin === '' ? (
            <span className="selectable font-medium">{trade.symbol}</span>
          ) : (
            <NamePicker
              look="chip"
              label="Symbol"
              of={trade.name || trade.isin}
              value={trade.symbol}
              names={symbols}
              empty="Choose"
              onChoose={(value) => say({ type: 'answered', about: `symbols/${trade.isin}`, value })}
            />
          )}
          <span className="selectable cut max-w-40 text-fg-2">{trade.name}</span>
          {open && (
            <span className="flex items-center gap-1 whitespace-nowrap text-warn">
              <Icon name="warn" size={12} />
              may be a duplicate
            </span>
          )}
          {trade.paidIn !== '' && <span className="whitespace-nowrap text-fg-2">paid in {trade.paidIn}</span>}
          {out && <span className="sr-only">left out</span>}
        </span>
      </td>
      <td className={number}>{numberText(trade.quantity)}</td>
      <td className={number}>{numberText(trade.price)}</td>
      <td className={number}>{numberText(trade.fee)}</td>
      <td className={`${number} font-medium last:pr-3`}>{entry.amount === '' ? '' : moneyText(entry, true)}</td>
    </tr>
  );
}
