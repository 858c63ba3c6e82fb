import { stretchesOf, ticksOf, monthMarks, type Point } from './chart';
import { useWidth, type Drawn } from './drawn';
import { Gridlines } from './Gridlines';
import { dateText } from './words';
import { usePanel } from './context';

const colours = ['var(--c1)', 'var(--c4)', 'var(--c2)', 'var(--c5)'];
/** px */
const HEIGHT = 158;
const BOTTOM = 22;
const RIGHT = 52;
const TOP = 8;
/** Width of a month label with padding. */
const MARK = 36;

/** Lines over time with the scale on the right; dashed for outdated values, with gaps for missing ones. */
export function LineChart({ part, points, label, write }: Drawn) {
  const { today } = usePanel();
  const [ref, width] = useWidth(600);
  const values = points.flatMap(({ values: all }) => all.filter((value) => value !== null));
  const ticks = ticksOf(values, false);
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const plot = { width: Math.max(40, width - RIGHT), height: HEIGHT - BOTTOM - TOP };
  const x = (place: number) => (points.length < 2 ? plot.width / 2 : (place / (points.length - 1)) * (plot.width - 6));
  const y = (value: number) => TOP + plot.height - ((value - low) / (high - low || 1)) * plot.height;
  const end = points.findLastIndex(({ values: [first] }) => first != null);
  return (
    <div ref={ref} className="relative mt-1.5">
      <svg role="img" aria-label={label} width={width} height={HEIGHT} className="block overflow-visible">
        <Gridlines ticks={ticks} width={plot.width} y={y} />
        {monthMarks(points, MARK / Math.max(0.1, x(1) - x(0))).map(({ at, label: month }) => (
          <text key={at} x={x(at)} y={HEIGHT - 4} textAnchor={x(at) < MARK / 3 ? 'start' : 'middle'} className="fill-fg-2 text-small">
            {month}
          </text>
        ))}
        {part.series.map(({ field }, series) =>
          stretchesOf(points, series).map(({ from, to, dashed }) => {
            const line = points.slice(from, to + 1).map((point, step) => `${x(from + step).toFixed(1)},${y(point.values[series] ?? 0).toFixed(1)}`);
            return (
              <g key={`${field} ${from}`}>
                {!dashed && series === 0 && (
                  <polygon
                    points={[`${x(from)},${y(low)}`, ...line, `${x(to)},${y(low)}`].join(' ')}
                    fill="var(--accent-soft)"
                    opacity={0.7}
                  />
                )}
                <polyline
                  points={line.join(' ')}
                  fill="none"
                  stroke={colours[series % colours.length]}
                  strokeWidth={1.8}
                  strokeLinejoin="round"
                  strokeLinecap="round"
                  {...(dashed ? { strokeDasharray: '1.5 4.5' } : {})}
                />
              </g>
            );
          }),
        )}
        {end >= 0 && <circle cx={x(end)} cy={y(points[end]?.values[0] ?? 0)} r={3.5} fill="var(--c1)" />}
      </svg>
      <p className={`text-small text-fg-2 ${part.series.length > 1 ? '' : 'sr-only'}`}>
        {part.series.map(({ field, label: name }, series) => (
          <span key={field} className="mr-4 inline-flex items-center gap-1.5">
            {part.series.length > 1 && <span aria-hidden="true" className="h-0.5 w-3" style={{ background: colours[series % colours.length] }} />}
            {name}: <span className="tabular text-fg">{endText(points, series, write, today)}</span>
          </span>
        ))}
      </p>
    </div>
  );
}

function endText(points: readonly Point[], series: number, write: Drawn['write'], today: string): string {
  const point = points.findLast(({ values }) => values[series] != null);
  return point ? `${write(point, series)}, ${dateText(point.x, today)}` : 'unknown';
}
