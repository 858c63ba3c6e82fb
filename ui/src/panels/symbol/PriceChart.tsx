import { memo, useMemo, type PointerEvent } from 'react';

import { useMedia } from '../../shared';
import { numberText, percentText, roughly } from '../../shared/amount';
import { Gridlines } from '../skill/Gridlines';
import { logTicksOf, ticksOf } from '../skill/chart';
import { useWidth } from '../skill/drawn';
import { colourOf } from './colours';
import { useSymbol } from './context';
import { placedMarks } from './marks';
import { between, nearestDay, piecesOf, placesOf, timeMarks, valueOn, type Chart } from './series';
import { spokenChart, tradeText } from './words';

/** px; the second one in a low window. */
const HEIGHTS = [306, 268] as const;
const TOP = 20;
const RIGHT = 62;
const MONTHS = 22;
const VOLUME = 40;
/** Distance between the price scale and the volume. */
const APART = 18;
/** The width of a month label with padding. */
const MARK = 56;

/** Maps days and values to coordinates. */
interface Plot {
  readonly width: number;
  /** The baseline of the volume. */
  readonly floor: number;
  readonly ticks: readonly number[];
  /** The first day, and the days to the last; a fraction within a day. */
  readonly first: string;
  readonly end: string;
  readonly span: number;
  /** Whether there is room for the volume. */
  readonly volume: boolean;
  x(day: string): number;
  y(value: number): number;
}

interface Size {
  readonly width: number;
  readonly height: number;
  readonly volume: boolean;
  readonly log: boolean;
}

function plotOf(chart: Chart, { width: whole, height: all, volume: wanted, log }: Size): Plot {
  const [first = '', last = ''] = [chart.days[0], chart.days.at(-1)];
  const end = chart.carriedTo ?? last;
  const span = between(first, end) || 1;
  const values = chart.lines.flatMap(({ points }) => points.map(({ value }) => value));
  // Percentages can be below zero, which has no logarithm.
  const isLog = log && chart.scale === 'price' && values.every((value) => value > 0);
  const scaled = isLog ? Math.log : (value: number) => value;
  const ticks = isLog ? logTicksOf(values) : ticksOf(values, false);
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)].map((tick) => tick && scaled(tick));
  const volume = wanted && chart.volumes.length > 0;
  const width = Math.max(40, whole - RIGHT);
  const height = all - TOP - MONTHS - (volume ? VOLUME + APART : 0);
  return {
    width,
    floor: all - MONTHS,
    ticks,
    first,
    end,
    span,
    volume,
    x: (day) => (between(first, day) / span) * (width - 8),
    y: (value) => TOP + height - ((scaled(value) - low) / (high - low || 1)) * height,
  };
}

/**
 * Lines over time with the scale on the right; the last close is extended to today with dashes, and volume is
 * below.
 */
export function PriceChart({ chart }: { chart: Chart }) {
  const { state, dispatch } = useSymbol();
  const [ref, width] = useWidth(900);
  const height = HEIGHTS[useMedia('(max-height: 699px)') ? 1 : 0];
  const { volume, log } = state;
  const plot = useMemo(() => plotOf(chart, { width, height, volume, log }), [chart, width, height, volume, log]);
  const point = ({ currentTarget, clientX }: PointerEvent<SVGElement>) => {
    const at = ((clientX - currentTarget.getBoundingClientRect().left) / (plot.width - 8)) * plot.span;
    dispatch({ type: 'pointed', day: nearestDay(chart.days, at) });
  };
  // A finger leaves with every touch; its day stays readable.
  const leave = ({ pointerType }: PointerEvent) => pointerType !== 'touch' && dispatch({ type: 'pointed', day: null });
  return (
    <div ref={ref} className="mx-5 mt-1">
      <svg role="img" tabIndex={0} aria-label={`${spokenChart(chart)}. Left and right arrows read each ${chart.zone === null ? 'day' : 'price'}.`} width={width} height={height} className="block touch-pan-y overflow-visible" onPointerDown={point} onPointerMove={point} onPointerLeave={leave}>
        <Drawing chart={chart} plot={plot} />
        {state.pointed !== null && <Pointed chart={chart} plot={plot} day={state.pointed.day} />}
      </svg>
    </div>
  );
}

/** Memoised: not redrawn for each hovered day. */
const Drawing = memo(function Drawing({ chart, plot }: PartProps) {
  const { x, y, width, floor, ticks, first, end, volume } = plot;
  // Prices of a day can differ by less than a rough label shows.
  const places = placesOf(ticks);
  const price = chart.zone === null ? roughly : (value: number) => numberText(value.toFixed(places));
  return (
    <>
      <Gridlines ticks={ticks} width={width} y={y} label={chart.scale === 'percent' ? (value) => percentText(String(value), true) : price} />
      {timeMarks(first, end, Math.floor(width / MARK)).map(({ day, label }) => (
        <text key={day} x={x(day)} y={floor + MONTHS - 4} textAnchor={x(day) < MARK / 3 ? 'start' : 'middle'} className="fill-fg-2 text-small">
          {label}
        </text>
      ))}
      {volume && <Volumes chart={chart} plot={plot} />}
      <Lines chart={chart} plot={plot} />
      <Trades chart={chart} plot={plot} />
    </>
  );
});

interface PartProps {
  readonly chart: Chart;
  readonly plot: Plot;
}

function Lines({ chart, plot: { x, y } }: PartProps) {
  // The first symbol is drawn above those compared with it.
  return chart.lines.toReversed().map((line) => {
    const last = line.points.at(-1);
    const stroke = { fill: 'none', stroke: colourOf(line.place), strokeLinejoin: 'round', strokeLinecap: 'round' } as const;
    const carried = !line.isAverage && line.place === 0 ? chart.carriedTo : null;
    return (
      <g key={`${line.symbol} ${line.isAverage}`} data-line={line.isAverage ? 'average' : line.symbol}>
        {piecesOf(line.points).map((piece) => (
          <polyline
            key={piece[0]?.day}
            {...stroke}
            points={piece.map(({ day, value }) => `${x(day).toFixed(1)},${y(value).toFixed(1)}`).join(' ')}
            strokeWidth={line.isAverage ? 1.6 : line.place === 0 ? 1.8 : 1.4}
            {...(line.isAverage ? { strokeDasharray: '1.5 4' } : {})}
          />
        ))}
        {last && carried !== null && <line {...stroke} data-carried="" x1={x(last.day)} x2={x(carried)} y1={y(last.value)} y2={y(last.value)} strokeWidth={1.8} strokeDasharray="2 4" />}
        {last && !line.isAverage && <circle cx={x(last.day)} cy={y(last.value)} r={3.5} fill={colourOf(line.place)} />}
      </g>
    );
  });
}

function Volumes({ chart: { volumes, days }, plot: { x, width, floor } }: PartProps) {
  const most = Math.max(1, ...volumes.map(({ volume }) => volume));
  const bar = Math.max(0.6, Math.min(6, (width / Math.max(1, days.length)) * 0.6));
  const path = volumes.map(({ day, volume }) => `M${x(day).toFixed(1)} ${floor}v${(-(volume / most) * VOLUME).toFixed(1)}`).join('');
  return (
    <g data-volume="">
      <path d={path} stroke="var(--c6)" strokeWidth={bar} fill="none" />
      <line x1={0} x2={width} y1={floor} y2={floor} stroke="var(--line)" />
      <text x={width + 8} y={floor - VOLUME + 8} className="fill-fg-2 text-small">
        {roughly(most)}
      </text>
      <text x={width + 8} y={floor} className="fill-fg-2 text-small">
        0
      </text>
    </g>
  );
}

/** The user's trades as circles, labelled if there is room. */
function Trades({ chart: { trades }, plot: { x, y, width } }: PartProps) {
  const marks = placedMarks(trades.map((mark) => ({ x: x(mark.day), words: tradeText(mark.trade) })), width);
  return trades.map((mark, at) => {
    const { label, anchor } = marks[at] ?? { label: null, anchor: 'middle' as const };
    const place = { x: x(mark.day), y: y(mark.value) };
    const above = Math.max(TOP - 6, place.y - 78);
    return (
      <g key={mark.trade.path} data-trade={mark.trade.kind} data-tip={tradeText(mark.trade)}>
        {label !== null && (
          <>
            <line x1={place.x} x2={place.x} y1={above + 6} y2={place.y - 4} stroke="var(--line-strong)" />
            <text x={place.x} y={above} textAnchor={anchor} className="fill-fg-2 text-small">
              {label}
            </text>
          </>
        )}
        <circle cx={place.x} cy={place.y} r={4} fill="var(--surface)" stroke="var(--c1)" strokeWidth={1.8} />
      </g>
    );
  });
}

function Pointed({ chart, plot: { x, y, floor }, day }: PartProps & { readonly day: string }) {
  return (
    <g data-pointed={day}>
      <line x1={x(day)} x2={x(day)} y1={TOP - 6} y2={floor} stroke="var(--line-strong)" />
      {chart.lines.map((line) => {
        const point = valueOn(line, day);
        return point && <circle key={`${line.symbol} ${line.isAverage}`} cx={x(day)} cy={y(point.value)} r={3} fill={colourOf(line.place)} />;
      })}
    </g>
  );
}
