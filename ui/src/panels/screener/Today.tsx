import { useMemo } from 'react';

import { Badge, Button, Loading } from '../../shared';
import { moneyText, numberText } from '../../shared/amount';
import { revealed } from '../../shared/invisible';
import { Revealed } from '../../shared/Revealed';
import { proposalsIn, type Proposal } from './backtest';
import { useScreener } from './context';
import { Failure, RunBar } from './RunBar';

/** Trades that the strategy would make now. Proposals only: nothing is written or ordered. */
export function Today() {
  const { proposing, opened, state, propose, stop } = useScreener();
  const value = proposing?.found?.value;
  const found = useMemo(() => proposalsIn(value), [value]);
  const strategy = state.test.strategy || (opened.saved !== null && !opened.isChanged ? opened.name : '');
  const error = proposing?.run.result?.error ?? null;
  const named = proposing?.found?.asked.args['strategy'];
  const of = typeof named === 'string' ? named : '';
  const isStopped = error?.code === 'cancelled';
  return (
    <section aria-label="What it would do today" className="border-t border-line pt-2.5 text-small">
      <header className="flex flex-wrap items-center gap-x-2.5 gap-y-1 px-5">
        <h3 className="font-semibold">What it would do today</h3>
        <span className="text-fg-2">{strategy === '' ? 'Save the screen first.' : 'Nothing is written or ordered.'}</span>
        <Button size="s" className="ml-auto" disabled={strategy === '' || proposing?.isRunning === true} onClick={() => propose(strategy)}>
          {proposing === null ? 'Compute' : 'Compute again'}
        </Button>
      </header>
      {proposing?.isRunning === true && (
        <>
          <RunBar view={proposing} text={proposing.message ?? 'Computing'} fraction={proposing.fraction} onStop={() => stop('trades')} label="Proposals" />
          {found === null && (
            <div className="px-5 py-1">
              <Loading lines={2} label="Computing proposals" />
            </div>
          )}
        </>
      )}
      {error !== null && !isStopped && proposing?.isRunning === false && (
        <div className="px-5 py-1.5">
          <Failure error={error} onAgain={() => propose(strategy)} />
        </div>
      )}
      {found !== null && (
        <>
          {of !== '' && of !== strategy && <p className="px-5 py-0.5 text-warn">Of {revealed(of)}.</p>}
          {found.proposals.length === 0 ? <p className="px-5 py-1 text-fg-2">No trades today.</p> : <Proposals proposals={found.proposals} />}
          {found.unknown.map((line) => (
            <p key={line} className="selectable px-5 py-0.5 text-fg-2">
              {revealed(line)}
            </p>
          ))}
        </>
      )}
    </section>
  );
}

const actions = { buy: { word: 'Buy', tone: 'accent' }, sell: { word: 'Sell', tone: 'warn' }, hold: { word: 'Hold', tone: 'grey' } } as const;

function Proposals({ proposals }: { proposals: readonly Proposal[] }) {
  return (
    <table aria-label="Proposals" className="mt-1 w-full border-collapse">
      <thead className="sr-only">
        <tr>
          {['Action', 'Symbol', 'Quantity and price', 'Amount', 'Reason'].map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {proposals.map(({ action, symbol, quantity, price, currency, amount, reason }, at) => (
          <tr key={at} className="h-7 border-t border-line">
            <td className="w-14 pl-5">
              <Badge tone={actions[action].tone}>{actions[action].word}</Badge>
            </td>
            <th scope="row" className="selectable px-2 text-left font-medium">
              <Revealed text={symbol} />
            </th>
            <td className="selectable tabular px-2 text-right whitespace-nowrap">
              {quantity === null ? '' : numberText(quantity)}
              {price !== null && <span className="text-fg-2"> at {numberText(price)}</span>}
            </td>
            <td className="selectable tabular px-2 text-right whitespace-nowrap">{amount === null ? '' : moneyText({ amount, currency })}</td>
            <td className="selectable pr-5 pl-2 text-fg-2">
              <Revealed text={reason} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
