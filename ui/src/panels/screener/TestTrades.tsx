import { useState } from 'react';

import { Button, count, LinkButton } from '../../shared';
import { moneyText, numberText, percentText } from '../../shared/amount';
import { signOf } from '../../shared/decimal';
import { revealed } from '../../shared/invisible';
import { Revealed } from '../../shared/Revealed';
import { wholeDay } from '../symbol/words';
import type { BackTestTrade } from './backtest';
import { useScreener } from './context';

/** Trades shown at first, and rows added by Show more. */
const FIRST = 4;
const STEP = 50;

/** Trades after costs, newest first. */
export function TestTrades() {
  const { test, state, dispatch } = useScreener();
  const [shown, setShown] = useState(STEP);
  if (test === null) return null;
  const { trades, tradesCount } = test;
  const listed = trades.slice(0, state.allTrades ? shown : FIRST);
  const left = trades.length - listed.length;
  return (
    <section aria-label="Trades" className="border-t border-line pt-2.5 text-small">
      <header className="flex items-baseline gap-2.5 px-5">
        <h3 className="font-semibold">Trades</h3>
        <span className="text-fg-2">{tradesCount === 0 ? 'none' : `${count(tradesCount)}, newest first`}</span>
        {trades.length > FIRST && (
          <LinkButton className="ml-auto" aria-expanded={state.allTrades} onClick={() => dispatch({ type: 'trades' })}>
            {state.allTrades ? 'Show fewer' : 'Show all'}
          </LinkButton>
        )}
      </header>
      {listed.length > 0 && (
        <table aria-label="Trades" className="w-full border-collapse">
          <thead>
            <tr className="text-fg-2">
              <th scope="col" className="py-1 pl-5 text-left font-normal">
                Symbol
              </th>
              <th scope="col" className="py-1 text-right font-normal">
                Bought
              </th>
              <th scope="col" className="py-1 text-right font-normal">
                Sold
              </th>
              <th scope="col" className="py-1 pr-5 text-right font-normal">
                Result, after costs
              </th>
            </tr>
          </thead>
          <tbody>
            {listed.map((trade, at) => (
              <TradeRow key={at} trade={trade} currency={test.currency} />
            ))}
          </tbody>
        </table>
      )}
      {state.allTrades && left > 0 && (
        <Button variant="quiet" size="s" className="mx-4 my-1" onClick={() => setShown(shown + STEP)}>
          Show {Math.min(STEP, left)} more
        </Button>
      )}
      {state.allTrades && left === 0 && tradesCount > trades.length && <p className="px-5 py-1 text-fg-3">{count(tradesCount - trades.length)} older ones are not listed.</p>}
    </section>
  );
}

function TradeRow({ trade: { symbol, bought, sold, quantity, result, gain }, currency }: { trade: BackTestTrade; currency: string }) {
  const tones = { [-1]: 'text-danger', [0]: '', [1]: 'text-ok' };
  const tip = [quantity === '' ? '' : `${numberText(quantity)} shares`, gain === null ? '' : moneyText({ amount: gain, currency }, true)].filter(Boolean).join(', ');
  return (
    <tr className="h-7 border-t border-line">
      <th scope="row" className="selectable pl-5 text-left font-medium">
        <Revealed text={symbol} />
      </th>
      <td className="selectable tabular text-right">{wholeDay(bought)}</td>
      <td className="selectable tabular text-right">{sold === null ? <span className="text-fg-2">held</span> : wholeDay(sold)}</td>
      <td data-tip={tip === '' ? undefined : revealed(tip)} className={`selectable tabular pr-5 text-right ${result === null ? 'text-fg-3' : tones[signOf(result)]}`}>
        {result === null ? 'unknown' : percentText(result, true)}
      </td>
    </tr>
  );
}
