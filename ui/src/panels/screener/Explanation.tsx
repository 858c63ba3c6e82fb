import { Button, Icon, IconButton, Loading, type IconName } from '../../shared';
import { revealed } from '../../shared/invisible';
import { Revealed } from '../../shared/Revealed';
import { Asking } from '../skill/Region';
import type { CheckedCondition } from './answers';
import { useScreener } from './context';
import { Failure } from './RunBar';
import { nearestText, oldText, scoreText, sourceText, valueText } from './words';

/** Why a symbol is a hit: each condition with value, limit, source and day. */
export function Explanation() {
  const { state, dispatch, explanation, room, wide, scan, explainAgain } = useScreener();
  if (state.explained === null || explanation === null) return null;
  const { read, value } = explanation;
  const symbol = revealed(state.explained);
  const title = value === null || value.hit ? `Why ${symbol} is a hit` : `Why ${symbol} is not a hit`;
  const hit = scan?.hits.find((one) => one.symbol === state.explained);
  const score = hit === undefined ? '' : scoreText(hit);
  const isCard = room !== 'one' || !wide;
  const hasSources = room !== 'one';
  return (
    <section aria-label={title} className={isCard ? 'rounded-card border border-line bg-surface-raised' : ''}>
      <header className="flex min-h-10 flex-wrap items-center gap-x-2.5 border-b border-line px-3.5 py-1.5">
        <h2 className="text-small font-semibold">{title}</h2>
        {isCard && <span className="selectable text-small text-fg-2">{score}</span>}
        <IconButton icon="x" iconSize={12} label="Close" keys="Esc" className="-mr-1.5 ml-auto" onClick={() => dispatch({ type: 'explained', symbol: null })} />
        {!isCard && score !== '' && <p className="selectable w-full pb-1 text-small text-fg-2">{score}</p>}
      </header>
      {read?.run != null && <Asking run={read.run} />}
      {read?.error != null && read.run === null && (
        <div className="p-3">
          <Failure error={read.error} onAgain={explainAgain} />
        </div>
      )}
      {value === null ? (
        read?.error == null && (
          <div className="px-3.5 py-3">
            <Loading lines={4} label={`Explaining ${symbol}`} />
          </div>
        )
      ) : (
        <>
          <table aria-label="Conditions of the hit" className="w-full border-collapse text-small">
            <thead className="sr-only">
              <tr>
                {['Condition', 'Value', 'Limit', 'Source and day'].map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {value.conditions.map((condition) => (
                <Row key={condition.text} condition={condition} hasSource={hasSources} />
              ))}
            </tbody>
          </table>
          <Foot isCard={isCard} />
        </>
      )}
    </section>
  );
}

function markOf({ holds, old }: CheckedCondition): { readonly icon: IconName; readonly word: string; readonly tone: string } {
  if (holds === null) return { icon: 'question', word: 'not known', tone: 'text-warn' };
  if (!holds) return { icon: 'x', word: 'does not hold', tone: 'text-danger' };
  return old ? { icon: 'clock', word: 'holds, with an old figure', tone: 'text-warn' } : { icon: 'check', word: 'holds', tone: 'text-ok' };
}

/** In narrow panels the tooltip has source and day. */
function Row({ condition, hasSource }: { condition: CheckedCondition; hasSource: boolean }) {
  const { today } = useScreener();
  const { name, value, unit, limit, old, reason } = condition;
  const mark = markOf(condition);
  const source = value === null && reason !== null ? revealed(reason) : sourceText(condition, today);
  return (
    <tr className="h-7 border-b border-line" data-tip={hasSource ? undefined : source}>
      <th scope="row" className="py-1 pr-2 pl-3.5 text-left font-normal">
        <span className="flex items-center gap-2.5">
          <Icon name={mark.icon} size={14} className={mark.tone} />
          <span className="sr-only">{mark.word}: </span>
          <Revealed text={name} />
        </span>
      </th>
      <td className={`selectable tabular py-1 pr-2.5 text-right font-medium whitespace-nowrap ${value === null ? 'text-warn' : ''}`}>{valueText(value, unit, name)}</td>
      <td className="selectable py-1 pr-2 whitespace-nowrap text-fg-2">
        <Revealed text={limit} />
        {!hasSource && <span className="sr-only">, {source}</span>}
      </td>
      {hasSource && <td className={`selectable py-1 pr-3.5 text-right ${old || value === null ? 'text-warn' : 'text-fg-2'}`}>{source}</td>}
    </tr>
  );
}

function Foot({ isCard }: { isCard: boolean }) {
  const { explanation, today, has, act, openSymbol, state } = useScreener();
  const value = explanation?.value;
  const symbol = state.explained;
  if (!value || symbol === null) return null;
  const old = value.conditions.filter((condition) => condition.old);
  const nearest = nearestText(value);
  return (
    <div className={`flex flex-wrap items-center gap-x-3 gap-y-2 px-3.5 py-2 text-small ${isCard ? '' : 'flex-col items-start!'}`}>
      {old.map((condition) => (
        <span key={condition.text} className="selectable text-warn">
          {oldText(condition, today)}
        </span>
      ))}
      {nearest !== '' && <span className="selectable text-fg-2">{nearest}</span>}
      <span className={`flex gap-2 ${isCard ? 'ml-auto' : ''}`}>
        {has('portfolio.watch') && (
          <Button icon="eye" onClick={() => act(`Watch ${revealed(symbol)}`, 'portfolio.watch', { symbol })}>
            Watch
          </Button>
        )}
        {openSymbol !== null && (
          <Button icon="lookup" onClick={() => openSymbol(symbol)}>
            Open {revealed(symbol)}
          </Button>
        )}
      </span>
    </div>
  );
}
