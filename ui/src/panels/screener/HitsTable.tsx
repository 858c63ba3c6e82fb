import { useState } from 'react';

import { Button, Icon } from '../../shared';
import { numberText } from '../../shared/amount';
import { revealed } from '../../shared/invisible';
import { Revealed } from '../../shared/Revealed';
import { useWidth } from '../skill/drawn';
import { shortDay } from '../symbol/words';
import type { Column, Hit } from './answers';
import { useScreener } from './context';
import { Sparkline } from './Sparkline';
import { valueText } from './words';

/** Rows shown at first. */
const FIRST = 50;
const MORE = 150;
/** Width of the fixed columns and of each further one, px. */
const FIXED = 374;
const COLUMN = 78;
/** Minimal table width that shows company names, px. */
const NAMED = 420;

/** The table of hits. Columns that do not fit are in the explanation. */
export function HitsTable() {
  const { scan, hits, wide } = useScreener();
  const [ref, width] = useWidth(534);
  const [shown, setShown] = useState(FIRST);
  if (scan === null) return null;
  const columns = scan.columns.slice(0, Math.max(1, Math.floor((width - FIXED) / COLUMN)));
  const hasScore = hits.some(({ score }) => score !== null);
  const left = hits.length - shown;
  return (
    <div ref={ref} className="min-w-0">
      <table aria-label="Hits" className="w-full border-collapse text-small">
        <thead>
          <tr className="border-b border-line">
            <Head by="symbol" label="Symbol" isText className="w-full pl-5" />
            <Head by="price" label="Price" />
            <th scope="col" className={`${headClass(wide)} text-right font-normal text-fg-2`}>
              6 months
            </th>
            {columns.map(({ key, name }) => (
              <Head key={key} by={key} label={name} className="max-w-26" />
            ))}
            {hasScore && <Head by="score" label="Score" isBest className="pr-5" />}
          </tr>
        </thead>
        <tbody>
          {hits.slice(0, shown).map((hit) => (
            <HitRow key={hit.symbol} hit={hit} columns={columns} hasName={width >= NAMED} hasScore={hasScore} />
          ))}
        </tbody>
      </table>
      {left > 0 && (
        <Button variant="quiet" size="s" className="mx-4 my-1" onClick={() => setShown(shown + MORE)}>
          Show {Math.min(MORE, left)} more
        </Button>
      )}
    </div>
  );
}

interface HeadProps {
  readonly by: string;
  readonly label: string;
  readonly isText?: boolean;
  /** The default order. */
  readonly isBest?: boolean;
  readonly className?: string;
}

/** Opaque: rows scroll below it. */
const headClass = (wide: boolean) => `sticky top-0 z-10 px-2 py-1.5 whitespace-nowrap ${wide ? 'bg-surface' : 'bg-surface-side'}`;

function Head({ by, label, isText = false, isBest = false, className = '' }: HeadProps) {
  const { state, dispatch, wide } = useScreener();
  const { sort } = state;
  const down = sort === null ? (isBest ? true : null) : sort.by === by ? sort.down : null;
  return (
    <th scope="col" aria-sort={down === null ? undefined : down ? 'descending' : 'ascending'} className={`${headClass(wide)} ${isText ? 'text-left' : 'text-right'} ${down === null ? 'font-normal text-fg-2' : 'font-medium text-fg'} ${className}`}>
      <button type="button" data-tip={revealed(label)} className="inline-flex max-w-full items-center gap-1 rounded-badge hover:text-fg" onClick={() => dispatch({ type: 'sorted', by })}>
        <span className="cut">{revealed(label)}</span>
        {down !== null && <Icon name={down ? 'arrow-down' : 'arrow-up'} size={12} />}
      </button>
    </th>
  );
}

interface HitRowProps {
  readonly hit: Hit;
  readonly columns: readonly Column[];
  readonly hasName: boolean;
  readonly hasScore: boolean;
}

function HitRow({ hit, columns, hasName, hasScore }: HitRowProps) {
  const { state, dispatch, today, scan } = useScreener();
  const { symbol, name, price, currency, date, score, values, spark, held, old, unknown } = hit;
  const isOpen = state.explained === symbol;
  const missing = unknown.flatMap((at) => scan?.conditions[at]?.name ?? []);
  const open = () => dispatch({ type: 'explained', symbol });
  return (
    <tr className={`h-7.5 cursor-default border-b border-line ${isOpen ? 'bg-selected' : 'hover:bg-hover'}`} onClick={open}>
      <th scope="row" className="w-full max-w-0 py-0 pr-2 pl-5 text-left font-normal">
        <span className="flex items-center gap-1.5">
          <button
            type="button"
            data-hit={symbol}
            aria-expanded={isOpen}
            onClick={(event) => {
              event.stopPropagation();
              open();
            }}
            data-tip={hasName || name === null ? undefined : revealed(name)}
            className="w-12 shrink-0 rounded-badge text-left font-medium"
          >
            <Revealed text={symbol} />
          </button>
          <span className={hasName ? 'cut min-w-0 text-fg-2' : 'sr-only'}>
            <Revealed text={name ?? ''} />
          </span>
          {held && <Mark icon="note" tip="In your portfolio" className="text-fg-2" />}
          {missing.length > 0 && <Mark icon="question" tip={`Not known: ${missing.map(revealed).join(', ')}`} className="text-warn" />}
        </span>
      </th>
      <td className="selectable tabular px-2 text-right whitespace-nowrap" data-tip={revealed(`${currency}, ${shortDay(date, today)}`)}>
        {old && <Mark icon="clock" tip={`Price of ${shortDay(date, today)}`} className="mr-1 inline text-warn" />}
        {numberText(price)}
      </td>
      <td className="px-2 text-right whitespace-nowrap">
        <Sparkline closes={spark} />
      </td>
      {columns.map(({ key, name: head, unit }, at) => (
        <td key={key} className={`selectable tabular px-2 text-right whitespace-nowrap ${values[at] == null ? 'text-warn' : ''}`}>
          {valueText(values[at] ?? null, unit, head)}
        </td>
      ))}
      {hasScore && <td className="selectable tabular pr-5 pl-2 text-right font-semibold">{score === null ? <span className="font-normal text-fg-3">none</span> : numberText(score)}</td>}
    </tr>
  );
}

function Mark({ icon, tip, className }: { icon: 'note' | 'question' | 'clock'; tip: string; className: string }) {
  return (
    <span data-tip={tip} className={`shrink-0 ${className}`}>
      <Icon name={icon} size={12} className="inline" />
      <span className="sr-only">{tip}</span>
    </span>
  );
}
