import { useRef, useState } from 'react';

import { Button, IconButton, Loading, Popover, Segments, TextField } from '../../shared';
import { revealed } from '../../shared/invisible';
import { Revealed } from '../../shared/Revealed';
import { ProblemBars } from '../skill/Bars';
import { problemsIn } from '../skill/answer';
import { Asking } from '../skill/Region';
import { Failure } from './Block';
import { ChartTable } from './ChartTable';
import { colourOf } from './colours';
import { useSymbol } from './context';
import { PriceBar } from './PriceBar';
import { PriceChart } from './PriceChart';
import { MOST_AVERAGED, MOST_COMPARED, ranges, type Range } from './state';
import { dayReading, lineName, pointText, scaleText } from './words';

const rangeLabels: Readonly<Record<Range, string>> = { '1d': '1 d', '1m': '1 m', '6m': '6 m', '1y': '1 y', '5y': '5 y', all: 'all' };

/** Closes over time, or several symbols in percent; as a table on a click. */
export function ChartBlock() {
  const { chart, state, today, quoteRead, compare, web, roomy } = useSymbol();
  const runs = [quoteRead?.run, compare?.read?.run].filter((run) => run != null);
  const isEmpty = chart !== null && chart.days.length === 0;
  return (
    <section aria-label="Chart" className={`min-w-0 shrink-0 pb-3 ${roomy ? 'border-b border-line' : ''}`}>
      <PriceBar />
      {runs.map((run) => (
        <Asking key={run} run={run} />
      ))}
      {compare?.read?.error && compare.read.run === null && (
        <div className="px-5 pt-2">
          <Failure read={compare.read} onAgain={() => web.reread(compare.asked)} />
        </div>
      )}
      <div className="px-5 pt-2 empty:hidden">
        <ProblemBars problems={problemsIn([compare?.read?.result?.value])} label="Problems with the comparison" />
      </div>
      <Toolbar />
      {chart === null ? (
        quoteRead?.error == null && (
          <div className="px-5 py-2">
            <Loading lines={6} label={state.range === '1d' ? 'Reading prices' : 'Reading closes'} />
          </div>
        )
      ) : isEmpty ? (
        <p className="px-5 py-8 text-center text-small text-fg-2">{state.range === '1d' ? 'No prices within a day.' : 'No closes in this range.'}</p>
      ) : (
        <div aria-busy={runs.length > 0} className={runs.length > 0 ? 'opacity-60' : ''}>
          <Legend />
          {state.table ? <ChartTable chart={chart} /> : <PriceChart chart={chart} />}
        </div>
      )}
      <p role="status" aria-live="polite" className="sr-only">
        {chart !== null && state.pointed?.spoken === true && dayReading(chart, state.pointed.day, today)}
      </p>
    </section>
  );
}

function Toolbar() {
  const { chart, state, dispatch, roomy } = useSymbol();
  const ofCloses = state.range !== '1d';
  return (
    <div className="flex flex-wrap items-center gap-2 px-5 pt-3">
      <Segments label="Range" value={state.range} options={ranges.map((value) => ({ value, label: rangeLabels[value] }))} onChange={(range) => dispatch({ type: 'ranged', range })} />
      <Toggle part="volume">Volume</Toggle>
      {ofCloses && <Toggle part="average">Average, {state.averageDays} days</Toggle>}
      {ofCloses && state.average && <AverageDays />}
      {chart?.scale !== 'percent' && <Toggle part="log">Log</Toggle>}
      {(ofCloses ? state.others : []).map((symbol) => (
        <span key={symbol} className="inline-flex h-6 items-center gap-1 rounded-badge bg-accent-soft pl-2 text-small font-medium text-accent">
          <Revealed text={symbol} />
          <IconButton icon="x" iconSize={12} label={`Remove ${revealed(symbol)}`} className="size-6" onClick={() => dispatch({ type: 'dropped', symbol })} />
        </span>
      ))}
      {ofCloses && <Compare />}
      <span className="flex-1" />
      {roomy ? (
        <Button size="s" className="h-7" icon={state.table ? 'chart' : 'list'} aria-pressed={state.table} onClick={() => dispatch({ type: 'switched', part: 'table' })}>
          {state.table ? 'Chart' : 'Table'}
        </Button>
      ) : (
        <IconButton icon={state.table ? 'chart' : 'list'} label={state.table ? 'Chart' : 'Table'} keys="T" pressed={state.table} onClick={() => dispatch({ type: 'switched', part: 'table' })} />
      )}
    </div>
  );
}

function Toggle({ part, children }: { part: 'volume' | 'average' | 'log'; children: React.ReactNode }) {
  const { state, dispatch } = useSymbol();
  const on = state[part];
  return (
    <Button
      size="s"
      icon={on ? 'check' : 'plus'}
      aria-pressed={on}
      className={`h-7 ${on ? 'border-accent-line! bg-accent-soft! text-accent!' : ''}`}
      onClick={() => dispatch({ type: 'switched', part })}
    >
      {children}
    </Button>
  );
}

/** The length of the average; an invalid one is not taken over. */
function AverageDays() {
  const { state, dispatch } = useSymbol();
  const [text, setText] = useState(String(state.averageDays));
  const isValid = /^\d+$/.test(text.trim()) && Number(text) >= 2 && Number(text) <= MOST_AVERAGED;
  const commit = () => {
    if (!isValid) setText(String(state.averageDays));
    else if (Number(text) !== state.averageDays) dispatch({ type: 'averaged', days: Number(text) });
  };
  return (
    <form
      className="contents"
      onSubmit={(event) => {
        event.preventDefault();
        commit();
      }}
    >
      <TextField aria-label={`Days of the average, 2 to ${MOST_AVERAGED}`} aria-invalid={!isValid || undefined} inputMode="numeric" className="h-7! w-14 px-2! [&_input]:text-small" value={text} onChange={(event) => setText(event.target.value)} onBlur={commit} />
    </form>
  );
}

/** Adds a symbol for comparison, up to four in all. */
function Compare() {
  const { state, dispatch } = useSymbol();
  const [text, setText] = useState('');
  const button = useRef<HTMLButtonElement>(null);
  const open = (now: boolean) => {
    setText('');
    dispatch({ type: 'compares', open: now });
  };
  return (
    <Popover
      label="Compare"
      open={state.comparing}
      onOpenChange={open}
      returnTo={() => button.current}
      trigger={
        <Button ref={button} size="s" variant="quiet" icon="plus" className="h-7" disabled={state.others.length >= MOST_COMPARED}>
          Compare
        </Button>
      }
    >
      <form
        className="flex items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          dispatch({ type: 'compared', symbol: text });
          setText('');
        }}
      >
        <TextField aria-label="Symbol to compare with" placeholder="Symbol, such as BWOP" data-first-focus="" className="w-50" value={text} onChange={(event) => setText(event.target.value)} />
        <Button size="s" type="submit" className="h-7" disabled={text.trim() === ''}>
          Compare
        </Button>
      </form>
    </Popover>
  );
}

function Legend() {
  const { chart, state, today } = useSymbol();
  if (chart === null) return null;
  const { pointed } = state;
  return (
    <div className="flex min-h-7 flex-wrap items-center gap-x-5 px-5 pt-1 text-small">
      {chart.lines.map((line) => (
        <span key={lineName(line)} className={`inline-flex items-center gap-2 ${line.place === 0 && !line.isAverage ? 'font-medium' : 'text-fg-2'}`}>
          <svg aria-hidden="true" width="14" height="2" className="overflow-visible">
            <line x1={0} x2={14} y1={1} y2={1} stroke={colourOf(line.place)} strokeWidth={2} {...(line.isAverage ? { strokeDasharray: '2 2.5' } : {})} />
          </svg>
          {lineName(line)} <span className="tabular">{pointText(chart, line.points.at(-1))}</span>
        </span>
      ))}
      <span className="selectable ml-auto text-fg-2">{pointed === null ? scaleText(chart, today) : dayReading(chart, pointed.day, today)}</span>
    </div>
  );
}
