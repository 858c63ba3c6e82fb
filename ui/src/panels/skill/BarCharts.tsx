import { roughly } from '../../shared/amount';
import { ticksOf } from './chart';
import { useWidth, type Drawn } from './drawn';
import { Gridlines } from './Gridlines';
import { monthText } from './words';

const colours = ['var(--c1)', 'var(--c4)', 'var(--c3)', 'var(--c5)', 'var(--c2)'];

/**
 * Horizontal bars, one per row with its value at the end; a mark shows its limit. A second series continues
 * the bar in a lighter colour.
 */
export function BarsChart({ part, points, label, write }: Drawn) {
  const most = Math.max(...points.flatMap(({ values: [value, more], mark }) => [Math.abs(value ?? 0) + Math.max(more ?? 0, 0), mark ?? 0]), 0) || 1;
  const further = part.series[1]?.label.toLowerCase() ?? '';
  const isFurther = points.some(({ values: [, more] }) => more != null && more !== 0);
  return (
    <>
    <ul aria-label={label} className="mt-1.5 grid grid-cols-[fit-content(45%)_minmax(0,1fr)_auto] gap-x-3">
      {points.map((point) => {
        const [value = null, more = null] = point.values;
        const over = point.mark !== null && value !== null && value > point.mark;
        return (
          <li key={point.placed.key} className="col-span-3 grid h-5.5 grid-cols-subgrid items-center text-small">
            <span className="cut" data-tip={point.x}>
              {point.x}
            </span>
            <span aria-hidden="true" className="relative h-2">
              <span
                className={`absolute inset-0 origin-left rounded-[2px] ${over ? 'bg-danger' : point.dashed || point.placed.row['kind'] === 'cash' ? 'bg-c4' : 'bg-c1'}`}
                style={{ transform: `scaleX(${Math.abs(value ?? 0) / most})` }}
              />
              {more !== null && more > 0 && (
                <span
                  data-testid="further"
                  className="absolute inset-y-0 rounded-[2px] bg-c3 opacity-60"
                  style={{ left: `${(Math.max(value ?? 0, 0) / most) * 100}%`, width: `${(more / most) * 100}%` }}
                />
              )}
              {point.mark !== null && (
                <span className="absolute -inset-y-1 w-0.5 bg-fg" data-tip="limit" style={{ left: `calc(${(point.mark / most) * 100}% - 1px)` }} />
              )}
            </span>
            <span className={`tabular min-w-13 text-right whitespace-nowrap ${over ? 'text-danger' : ''}`}>
              {value === null ? <span className="text-fg-3">unknown</span> : write(point, 0)}
              {over && <span className="sr-only">, over its limit</span>}
              {more !== null && more !== 0 && (
                <span className="text-fg-2">
                  {' '}
                  + {write(point, 1)} {further}
                </span>
              )}
            </span>
          </li>
        );
      })}
    </ul>
    {isFurther && <Legend part={part} colours={['var(--c1)', 'var(--c3)']} />}
    </>
  );
}

/** The legend. */
function Legend({ part, colours: own }: { part: Drawn['part']; colours: readonly string[] }) {
  return (
    <p className="mt-1 flex flex-wrap gap-x-4 text-meta text-fg-2">
      {part.series.map(({ field, label }, series) => (
        <span key={field} className="inline-flex items-center gap-1.5">
          <span aria-hidden="true" className="size-2 rounded-[2px]" style={{ background: own[series] }} />
          {label.toLowerCase()}
        </span>
      ))}
    </p>
  );
}

/** px */
const HEIGHT = 170;
const BOTTOM = 38;
const RIGHT = 48;
const TOP = 16;
const LABEL = 30;

/** Vertical bars, one group per row. */
export function ColumnsChart({ part, points, label, write }: Drawn) {
  const [ref, width] = useWidth(420);
  const values = points.flatMap(({ values: all, mark }) => [...all, mark].filter((value) => value !== null));
  const ticks = ticksOf(values, true);
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const plot = { width: Math.max(40, width - RIGHT), height: HEIGHT - BOTTOM - TOP };
  const y = (value: number) => TOP + plot.height - ((value - low) / (high - low || 1)) * plot.height;
  const slot = plot.width / Math.max(1, points.length);
  // Labels that would overlap are skipped, except the last.
  const every = Math.ceil(LABEL / slot);
  const isLabelled = (place: number) => (points.length - 1 - place) % every === 0;
  const bar = Math.min(26, (slot * 0.7) / Math.max(1, part.series.length));
  return (
    <div ref={ref} className="mt-1.5">
      <svg role="img" aria-label={label} width={width} height={HEIGHT} className="block">
        <Gridlines ticks={ticks} width={plot.width} y={y} />
        {points.map((point, place) => {
          const middle = slot * (place + 0.5);
          const first = middle - (bar * part.series.length) / 2;
          return (
            <g key={point.placed.key}>
              {point.values.map((value, series) =>
                value === null ? null : (
                  <rect
                    key={series}
                    x={first + bar * series + 1}
                    width={Math.max(2, bar - 2)}
                    y={Math.min(y(value), y(0))}
                    height={Math.max(1, Math.abs(y(value) - y(0)))}
                    rx={2}
                    fill={point.mark !== null && series === 0 && value > point.mark ? 'var(--danger)' : colours[series % colours.length]}
                    opacity={point.dashed ? 0.5 : 1}
                  >
                    <title>{write(point, series)}</title>
                  </rect>
                ),
              )}
              {point.mark !== null && (
                <line x1={first - 3} x2={first + bar * part.series.length + 3} y1={y(point.mark)} y2={y(point.mark)} stroke="var(--text)" strokeWidth={2} />
              )}
              {isLabelled(place) && (
                <text x={middle} y={HEIGHT - BOTTOM + 16} textAnchor="middle" className="fill-fg-2 text-small">
                  {short(point.x)}
                </text>
              )}
              {isLabelled(place) && part.series.length === 1 && point.values[0] != null && (
                <text x={middle} y={HEIGHT - BOTTOM + 32} textAnchor="middle" className="fill-fg text-meta">
                  {roughly(point.values[0])}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      {part.series.length > 1 && (
        <p className="flex flex-wrap gap-x-4 text-small text-fg-2">
          {part.series.map(({ field, label: name }, series) => (
            <span key={field} className="inline-flex items-center gap-1.5">
              <span aria-hidden="true" className="size-2 rounded-[2px]" style={{ background: colours[series % colours.length] }} />
              {name} <span className="tabular text-fg">{write(points.at(-1), series)}</span>
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

/** "Nov" for `2026-11`, else the label. */
function short(x: string): string {
  return /^\d{4}-\d{2}$/.test(x) ? monthText(x).slice(0, 3) : x;
}
