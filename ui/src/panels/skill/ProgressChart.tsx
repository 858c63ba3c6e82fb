import type { ChartPart } from '../../ipc';
import { Icon, LinkButton } from '../../shared';
import { moneyText, numberText } from '../../shared/amount';
import { negated, plus, signOf } from '../../shared/decimal';
import { at, fieldOf, rowsAt, textOf } from './answer';
import { nearMark, pointsOf, shareOf, type Point } from './chart';
import { usePanel } from './context';
import type { Drawn } from './drawn';

/** Horizontal bars, each relative to its own limit: the track is the limit, and an excess is red. */
export function ProgressChart({ part, points, unit, label }: Drawn) {
  return (
    <ul aria-label={label} className="mt-1 grid grid-cols-[fit-content(30%)_minmax(0,1fr)_auto_minmax(5.5rem,auto)] gap-x-4">
      {points.map((point) => (
        <li key={point.placed.key} className="col-span-4 grid h-5.5 grid-cols-subgrid items-center text-small">
          <span className="cut pr-3" data-tip={point.x}>
            {point.x}
          </span>
          <Track share={shareOf(point)} />
          <Share part={part} point={point} />
          <Rest part={part} point={point} unit={unit} />
        </li>
      ))}
    </ul>
  );
}

function Track({ share }: { share: number }) {
  const over = share > 1;
  const within = over ? 1 / share : Math.max(share, 0);
  return (
    <span aria-hidden="true" className="relative h-2 overflow-hidden rounded-[2px] bg-selected">
      <span className="absolute inset-0 origin-left bg-c1" style={{ transform: `scaleX(${within})` }} />
      {over && <span data-testid="over-mark" className="absolute inset-y-0 right-0 bg-danger" style={{ left: `calc(${within * 100}% + 2px)` }} />}
    </span>
  );
}

/** "279 of 280" */
function Share({ part, point }: { part: ChartPart; point: Point }) {
  return (
    <span className="tabular text-right whitespace-nowrap text-fg-2">
      <span className="font-medium text-fg">{whole(valueOf(part, point))}</span> of {whole(markOf(part, point))}
    </span>
  );
}

/** "€0.75 left", unrounded. */
function Rest({ part, point, unit }: { part: ChartPart; point: Point; unit: string }) {
  const rest = plus(markOf(part, point), negated(valueOf(part, point))) ?? '';
  const over = signOf(rest) < 0;
  const tone = over ? 'text-danger' : nearMark([point]).length > 0 ? 'text-warn' : 'text-fg-2';
  return (
    <span className={`tabular text-right whitespace-nowrap ${tone}`}>
      {moneyText({ amount: over ? negated(rest) : rest, currency: unit })} {over ? 'over' : 'left'}
    </span>
  );
}

/** Limits that are nearly reached or exceeded, in one line with a link to all of them. */
export function NearMarks({ part }: { part: ChartPart }) {
  const panel = usePanel();
  const value = panel.read(panel.asked(part))?.result?.value ?? null;
  const near = nearMark(pointsOf(part, value));
  if (near.length === 0) return null;
  const unit = part.unit === null ? '' : textOf(at(value, part.unit));
  const tab = part.narrow ?? part.title;
  return (
    <section aria-label={part.title} className="flex min-h-8 shrink-0 flex-wrap items-center gap-x-4 border-b border-line px-5 text-small">
      <Icon name="warn" size={14} className={near.some((point) => shareOf(point) > 1) ? 'text-danger' : 'text-warn'} />
      {near.map((point) => (
        <span key={point.placed.key} className="inline-flex gap-1.5">
          <span className="font-medium">{point.x}</span>
          <Share part={part} point={point} />
          <Rest part={part} point={point} unit={unit} />
        </span>
      ))}
      <LinkButton className="ml-auto" onClick={() => panel.openTab(tab)}>
        All {rowsAt(value, part.rows).length} {tab.toLowerCase()}
      </LinkButton>
    </section>
  );
}

/** The legend. */
export function ProgressLegend({ part }: { part: ChartPart }) {
  const mark = part.mark ?? 'mark';
  const series = part.series[0]?.label.toLowerCase() ?? '';
  return (
    <span className="ml-auto flex gap-x-3.5 text-meta text-fg-2 max-medium:hidden">
      {[
        ['bg-c1', series],
        ['bg-selected', `left of the ${mark}`],
        ['bg-danger', `over the ${mark}`],
      ].map(([colour, word]) => (
        <span key={word} className="inline-flex items-center gap-1.5">
          <span aria-hidden="true" className={`size-2 rounded-[2px] ${colour}`} />
          {word}
        </span>
      ))}
    </span>
  );
}

function valueOf(part: ChartPart, { placed: { row } }: Point): string {
  return textOf(fieldOf(row, part.series[0]?.field ?? ''));
}

function markOf(part: ChartPart, { placed: { row } }: Point): string {
  return textOf(fieldOf(row, part.mark ?? ''));
}

/** Rounded: the exact rest is beside it. */
function whole(amount: string): string {
  return numberText(String(Math.round(Number(amount))));
}
