import { memo, useMemo, type PointerEvent } from 'react';

import { IconButton, Table, type Column } from '../../shared';
import { numberText, percentText, roughly } from '../../shared/amount';
import { revealed } from '../../shared/invisible';
import { Gridlines } from '../skill/Gridlines';
import { useWidth } from '../skill/drawn';
import { nearestDay, timeMarks } from '../symbol/series';
import { wholeDay } from '../symbol/words';
import type { BackTest, CurvePoint } from './backtest';
import { useScreener } from './context';
import { dayReading, HEIGHT, piecesOf, plotOf, spokenCurve, type Plot } from './curve';
import { subjectText } from './words';

/** Width of a year's label, px. */
const MARK = 64;

/** Equity and drawdown of screen and benchmark on one time axis, or as a table. */
export function EquityChart() {
  const { test, state, dispatch, today } = useScreener();
  if (test === null) return null;
  const { pointed, table } = state;
  return (
    <section aria-label="Value over time" className="relative px-5 pb-1.5">
      <div className="flex min-h-7 flex-wrap items-center gap-x-4 text-small">
        {pointed !== null && !table ? <span className="selectable min-w-0 flex-1">{dayReading(test, pointed.day, today)}</span> : <Legend test={test} />}
      </div>
      {test.curve.length === 0 ? <p className="py-6 text-center text-small text-fg-2">No values in this period.</p> : table ? <CurveTable test={test} /> : <Curve test={test} />}
      <span className={table ? 'flex justify-end' : 'absolute right-4 bottom-0.5'}>
        <IconButton icon={table ? 'chart' : 'list'} label={table ? 'Chart' : 'Table'} pressed={table} onClick={() => dispatch({ type: 'table' })} />
      </span>
      <p role="status" aria-live="polite" className="sr-only">
        {pointed?.spoken === true && dayReading(test, pointed.day, today)}
      </p>
    </section>
  );
}

function Legend({ test }: { test: BackTest }) {
  const { screens } = useScreener();
  const { end, benchmarkEnd, currency, benchmark, cash, curve } = test;
  const last = curve.at(-1);
  return (
    <>
      <span className="inline-flex items-center gap-2">
        <Stroke colour="var(--c1)" />
        {subjectText(test, screens.strategies)}{' '}
        <span className="tabular">
          {numberText(wholeText(end ?? last?.value ?? ''))} {revealed(currency)}
        </span>
      </span>
      {(benchmarkEnd !== null || last?.benchmark != null) && (
        <span className="inline-flex items-center gap-2 text-fg-2">
          <Stroke colour="var(--c4)" />
          {revealed(benchmark) || 'Benchmark'} <span className="tabular">{numberText(wholeText(benchmarkEnd ?? last?.benchmark ?? ''))}</span>
        </span>
      )}
      <span className="flex-1" />
      {cash !== null && <span className="text-fg-2">from {numberText(wholeText(cash))}</span>}
    </>
  );
}

/** Drops decimals; the table shows them. */
const wholeText = (amount: string) => amount.replace(/\.\d+$/, '');

function Stroke({ colour }: { colour: string }) {
  return (
    <svg aria-hidden="true" width="14" height="2" className="overflow-visible">
      <line x1={0} x2={14} y1={1} y2={1} stroke={colour} strokeWidth={2} />
    </svg>
  );
}

function Curve({ test }: { test: BackTest }) {
  const { state, dispatch, screens } = useScreener();
  const [ref, width] = useWidth(460);
  const { curve } = test;
  const plot = useMemo(() => plotOf(curve, width), [curve, width]);
  const days = useMemo(() => curve.map(({ day }) => day), [curve]);
  const point = ({ currentTarget, clientX }: PointerEvent<SVGElement>) => {
    const at = ((clientX - currentTarget.getBoundingClientRect().left) / (plot.width - 4)) * plot.span;
    dispatch({ type: 'pointed', day: nearestDay(days, at) });
  };
  const pointed = curve.find(({ day }) => day === state.pointed?.day);
  return (
    <div ref={ref}>
      <svg role="img" tabIndex={0} aria-label={`${spokenCurve(test, subjectText(test, screens.strategies))}. Left and right arrows read each day.`} width={width} height={HEIGHT} className="block overflow-visible" onPointerMove={point} onPointerLeave={() => dispatch({ type: 'pointed', day: null })}>
        <Drawing curve={curve} plot={plot} />
        {pointed && <Pointed point={pointed} plot={plot} />}
      </svg>
    </div>
  );
}

/** Memoised: pointing does not redraw it. */
const Drawing = memo(function Drawing({ curve, plot }: { curve: readonly CurvePoint[]; plot: Plot }) {
  const { x, y, fall, width, ticks, first, last, falls, fallTop, floor } = plot;
  const line = (points: readonly { day: string; value: number }[], at: (value: number) => number) => points.map(({ day, value }) => `${x(day).toFixed(1)},${at(value).toFixed(1)}`).join(' ');
  const ends = [
    { point: curve.findLast(({ benchmark }) => benchmark !== null), of: 'benchmark' as const, colour: 'var(--c4)' },
    { point: curve.at(-1), of: 'value' as const, colour: 'var(--c1)' },
  ];
  const stroke = { fill: 'none', strokeLinejoin: 'round', strokeLinecap: 'round' } as const;
  return (
    <>
      <Gridlines ticks={ticks} width={width} y={y} label={roughly} />
      <text x={0} y={fallTop - 9} className="fill-fg-2 text-meta">
        Fall from the last high, benchmark dashed
      </text>
      <Gridlines ticks={falls} width={width} y={fall} label={(value) => (value === 0 ? '0 %' : roughly(value))} />
      {timeMarks(first, last, Math.floor(width / MARK)).map(({ day, label }) => (
        <text key={day} x={x(day)} y={HEIGHT - 4} textAnchor={x(day) < MARK / 3 ? 'start' : 'middle'} className="fill-fg-2 text-small">
          {label}
        </text>
      ))}
      {ends.map(({ point, of, colour }) => (
        <g key={of} data-line={of}>
          {piecesOf(curve, of).map((piece) => (
            <polyline key={piece[0]?.day} {...stroke} points={line(piece, y)} stroke={colour} strokeWidth={of === 'value' ? 1.8 : 1.4} />
          ))}
          {point && <circle cx={x(point.day)} cy={y(Number(point[of]))} r={3.5} fill={colour} />}
        </g>
      ))}
      {piecesOf(curve, 'fall').map((piece) => (
        <g key={piece[0]?.day} data-line="fall">
          <polygon points={`${x(piece[0]?.day ?? '').toFixed(1)},${fallTop} ${line(piece, fall)} ${x(piece.at(-1)?.day ?? '').toFixed(1)},${fallTop}`} fill="var(--danger-soft)" />
          <polyline {...stroke} points={line(piece, fall)} stroke="var(--danger)" strokeWidth={1.3} />
        </g>
      ))}
      {piecesOf(curve, 'benchmarkFall').map((piece) => (
        <polyline key={piece[0]?.day} {...stroke} data-line="benchmark fall" points={line(piece, fall)} stroke="var(--c4)" strokeWidth={1} strokeDasharray="2 2.5" />
      ))}
      <line x1={0} x2={width} y1={floor} y2={floor} stroke="var(--line)" />
    </>
  );
});

function Pointed({ point, plot: { x, y, fall, floor } }: { point: CurvePoint; plot: Plot }) {
  const at = x(point.day);
  return (
    <g data-pointed={point.day}>
      <line x1={at} x2={at} y1={4} y2={floor} stroke="var(--line-strong)" />
      {point.benchmark !== null && <circle cx={at} cy={y(Number(point.benchmark))} r={3} fill="var(--c4)" />}
      <circle cx={at} cy={y(Number(point.value))} r={3} fill="var(--c1)" />
      <circle cx={at} cy={fall(Number(point.fall))} r={3} fill="var(--danger)" />
    </g>
  );
}

/** The chart's points as rows, newest first. */
function CurveTable({ test }: { test: BackTest }) {
  const { screens } = useScreener();
  const { curve, currency, benchmark: compared } = test;
  const figure = (key: string, head: string, of: (point: CurvePoint) => string | null, text: (value: string) => string): Column<CurvePoint> => ({
    key,
    head,
    figure: true,
    cell: (point) => {
      const value = of(point);
      return value === null ? <span className="text-fg-3">unknown</span> : text(value);
    },
  });
  const columns: Column<CurvePoint>[] = [
    { key: 'day', head: 'Day', cell: ({ day }) => wholeDay(day) },
    figure('value', `${subjectText(test, screens.strategies)}, ${revealed(currency)}`, ({ value }) => value, numberText),
    figure('benchmark', revealed(compared) || 'Benchmark', ({ benchmark }) => benchmark, numberText),
    figure('fall', 'Fall', ({ fall }) => fall, percentText),
    figure('benchmark fall', 'Benchmark', ({ benchmarkFall }) => benchmarkFall, percentText),
  ];
  return (
    <div className="-mx-3 h-62 overflow-auto [&_td]:whitespace-nowrap" data-testid="curve-table">
      <Table label="Value by day" columns={columns} rows={curve.toReversed()} rowKey={({ day }) => day} dense />
    </div>
  );
}
