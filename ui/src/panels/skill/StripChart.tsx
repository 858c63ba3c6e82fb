import type { ChartPart } from '../../ipc';
import { numberText } from '../../shared/amount';
import { at, textOf } from './answer';
import { pointsOf, type Point } from './chart';
import { usePanel } from './context';
import { Region, type Shown } from './Region';
import { monthText, valueText, wordsText } from './words';

const colours = ['bg-c1', 'bg-c4', 'bg-c3'];
/** px */
const HEIGHT = 32;

/** Small groups side by side, at the foot of the panel; a click selects one. */
export function StripChart({ part }: { part: ChartPart }) {
  const panel = usePanel();
  return (
    <section aria-label={part.title} data-testid="strip" className="min-h-15.5 shrink-0 border-t border-line px-5 py-1.5">
      <Region read={panel.read(panel.asked(part))} lines={1}>
        {(shown) => <Strip part={part} shown={shown} />}
      </Region>
    </section>
  );
}

function Strip({ part, shown: { value } }: { part: ChartPart; shown: Shown }) {
  const { inputs, choose } = usePanel();
  const points = pointsOf(part, value);
  const bars = part.series.slice(0, -1);
  const most = Math.max(...points.flatMap(({ values }) => values.slice(0, -1).map((one) => Math.abs(one ?? 0))), 0) || 1;
  const unit = part.unit === null ? '' : textOf(at(value, part.unit));
  const input = part.choose;
  return (
    <div className="flex items-center gap-x-3">
      <div className="w-44 shrink-0 text-small">
        <h2 className="cut">
          <span className="font-semibold">{yearOf(points) ?? part.title}</span>{' '}
          <span className="text-fg-2">{part.detail !== null && wordsText(textOf(at(value, part.detail)))}</span>
        </h2>
        <p className="flex gap-x-3 text-meta text-fg-2">
          {bars.map(({ field, label }, place) => (
            <span key={field} className="inline-flex items-center gap-1.5">
              <span aria-hidden="true" className={`size-2 rounded-[2px] ${colours[place]}`} />
              {label.toLowerCase()}
            </span>
          ))}
        </p>
      </div>
      <ol className="flex min-w-0 flex-1">
        {points.map((point) => {
          const chosen = input !== null && inputs[input] === point.x;
          return (
            <li key={point.placed.key} className="min-w-0 flex-1">
              <button
                type="button"
                aria-pressed={chosen}
                disabled={input === null}
                onClick={() => input !== null && choose(input, point.x)}
                className={`flex h-12 w-full items-end gap-x-2 rounded-control px-2 py-1.5 ${chosen ? 'bg-selected' : 'hover:bg-hover'}`}
              >
                <Bars point={point} most={most} />
                <Words point={point} chosen={chosen} />
                <span className="sr-only">{`${monthText(point.x)}: ${part.series.map(({ field, label, format }) => `${label} ${valueText(point.placed.row[field], format, unit, '')}`).join(', ')}`}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** The year, if all months are in the same one. */
function yearOf(points: readonly Point[]): string | null {
  const years = new Set(points.map(({ x }) => /^(\d{4})-\d{2}$/.exec(x)?.[1] ?? null));
  const [year = null] = years;
  return years.size === 1 ? year : null;
}

function Bars({ point, most }: { point: Point; most: number }) {
  return (
    <span aria-hidden="true" className="flex shrink-0 items-end gap-px border-b border-line" style={{ height: HEIGHT }}>
      {point.values.slice(0, -1).map((value, place) => (
        <span key={place} className={`w-2 rounded-t-[2px] ${colours[place]}`} style={{ height: `${(Math.abs(value ?? 0) / most) * 100}%` }} />
      ))}
    </span>
  );
}

/** The group's name, and its last series, rounded. */
function Words({ point, chosen }: { point: Point; chosen: boolean }) {
  const rest = point.values.at(-1) ?? null;
  const none = point.values.every((value) => (value ?? 0) === 0);
  return (
    <span className="flex min-w-0 flex-col text-left text-meta">
      <span className={`cut ${chosen ? 'font-semibold' : 'text-fg-2'}`}>{/^\d{4}-\d{2}$/.test(point.x) ? monthText(point.x).slice(0, 3) : point.x}</span>
      <span className={`tabular whitespace-nowrap ${none ? 'text-fg-3' : rest !== null && rest < 0 ? 'text-danger' : ''}`}>
        {none || rest === null ? 'none' : numberText(String(Math.round(rest)), true)}
      </span>
    </span>
  );
}
