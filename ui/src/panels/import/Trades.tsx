// Every trade as it will be written.

import { useState } from 'react';

import { count, LinkButton, Segments, TextField } from '../../shared';
import { moneyText } from '../../shared/amount';
import { listKeys } from '../../shared/list-keys';
import type { Entry, Review } from './review';
import type { ImportEvent, ImportState } from './state';
import { TradeRow } from './TradeRow';

/** Rows at first, and rows that a click adds. */
const FIRST = 8;
const MORE = 200;

type Kind = 'all' | 'twin';

export function Trades({ state, review, say }: { state: ImportState; review: Review; say: (event: ImportEvent) => void }) {
  const [kind, setKind] = useState<Kind>('all');
  const [filter, setFilter] = useState('');
  const [most, setMost] = useState(FIRST);
  const of = (one: Kind) => review.entries.filter(({ twin }) => one === 'all' || twin !== null);
  const found = of(kind).filter((entry) => has(entry, filter.trim().toLowerCase()));
  const shown = found.slice(0, most);
  const option = (value: Kind, label: string) => ({ value, label: `${label} ${count(value === 'all' ? review.total : of(value).length)}` });
  return (
    <section aria-label="Trades" className="flex flex-col gap-2.5">
      <div className="flex flex-wrap items-center gap-2.5">
        <Segments label="Which trades" value={kind} onChange={setKind} options={[option('all', 'All'), option('twin', 'Duplicate')]} />
        <span className="flex-1" />
        <TextField icon="search" frame="line" type="search" aria-label="Filter trades" placeholder="Filter" className="w-35" value={filter} onChange={(event) => setFilter(event.target.value)} />
      </div>
      <div className="rounded-card border border-line">
        <table aria-label="Trades to import" aria-rowcount={found.length + 1} className="w-full border-collapse text-small">
          <thead>
            <tr className="h-8 text-left text-fg-2">
              {['Date', 'Action', 'Security'].map((head) => (
                <Head key={head}>{head}</Head>
              ))}
              {['Quantity', 'Price', 'Fee', 'Amount'].map((head) => (
                <Head key={head} right>
                  {head}
                </Head>
              ))}
            </tr>
          </thead>
          <tbody data-list onKeyDown={listKeys}>
            {shown.map((entry) => (
              <TradeRow key={`${entry.line} ${entry.kind} ${entry.currency}`} entry={entry} symbols={review.symbols} decision={state.decided[entry.line]?.import} say={say} />
            ))}
          </tbody>
        </table>
        <div className="flex min-h-8 items-center justify-between gap-3 border-t border-line px-3 text-small">
          {found.length > shown.length ? (
            <LinkButton onClick={() => setMost(most + MORE)}>Show {count(Math.min(found.length - shown.length, MORE))} more</LinkButton>
          ) : (
            <span className="text-fg-2">{found.length === 0 ? 'No trade matches.' : ''}</span>
          )}
          <span className="tabular text-fg-2">{review.sums.map((sum) => `${sum.kind} ${moneyText(sum)}`).join(', ')}</span>
        </div>
      </div>
    </section>
  );
}

function Head({ children, right = false }: { children: string; right?: boolean }) {
  return (
    <th scope="col" className={`px-2 font-normal first:pl-3 last:pr-3 ${right ? 'text-right' : ''}`}>
      {children}
    </th>
  );
}

function has({ kind, trade, amount }: Entry, sought: string): boolean {
  return [kind, trade?.symbol ?? '', trade?.name ?? '', amount].some((text) => text.toLowerCase().includes(sought));
}
