import { useState } from 'react';

import type { ChartPart } from '../../ipc';
import { LinkButton, Segments } from '../../shared';
import { fieldOf, at, textOf } from './answer';
import { daysOf, lately, pointsOf, spans, type Point, type Span } from './chart';
import { usePanel } from './context';
import type { Drawn } from './drawn';
import { InputField } from './Inputs';
import { LineChart } from './LineChart';
import { BarsChart, ColumnsChart } from './BarCharts';
import { Nothing, Region, type Shown } from './Region';
import { ProgressChart, ProgressLegend } from './ProgressChart';
import { isFigureFormat, monthText, valueText, wordsText } from './words';

/** Values over time or by category; as a table on a click. */
export function ChartView({ part }: { part: ChartPart }) {
  const panel = usePanel();
  return (
    <section aria-label={part.title} className={panel.wide ? 'px-5 py-3' : 'p-3.5'}>
      <Region read={panel.read(panel.asked(part))} lines={5}>
        {(shown) => <Chart part={part} shown={shown} />}
      </Region>
    </section>
  );
}

function Chart({ part, shown: { value } }: { part: ChartPart; shown: Shown }) {
  const [asTable, setAsTable] = useState(false);
  const [chosen, setChosen] = useState<Span | null>(null);
  const { today, inputs, inputsAt, choose, wide } = usePanel();
  const own = inputsAt(part);
  const all = pointsOf(part, value);
  const unit = part.unit === null ? '' : textOf(at(value, part.unit));
  const days = part.shape === 'line' ? (daysOf(all) ?? 0) : 0;
  const span = chosen ?? (days > 183 ? '6m' : 'all');
  const points = days > 31 && own.length === 0 ? lately(all, spans.find((one) => one.value === span)?.days ?? Infinity) : all;
  const write = (point: Point | undefined, series: number) => {
    const declared = part.series[series];
    return point && declared ? valueText(fieldOf(point.placed.row, declared.field), declared.format, unit, today) : '';
  };
  const note = part.note === null ? '' : textOf(at(value, part.note));
  const detail = part.detail === null ? '' : wordsText(textOf(at(value, part.detail)));
  const isLegend = wide && part.shape === 'progress' && all.length > 0;
  const label = spoken(part, points, write);
  const drawn = { part, points, unit, label, write };
  return (
    <div className="flex flex-col">
      <header className="flex min-h-7 items-center gap-2.5">
        <h2 className="shrink-0 text-ui font-semibold">{part.title}</h2>
        {detail !== '' && <span className="cut text-small text-fg-2">{detail}</span>}
        {isLegend && <ProgressLegend part={part} />}
        {part.shape === 'line' && part.series.length === 1 && (
          <span className="tabular text-small">
            {write(points.findLast(({ values }) => values[0] != null), 0)}
          </span>
        )}
        {part.shape === 'line' && points.some(({ dashed }) => dashed) && (
          <span className="cut text-small text-fg-2">dashed: last known price</span>
        )}
        <LinkButton className={`text-small ${isLegend ? 'max-medium:ml-auto' : 'ml-auto'}`} aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? 'Chart' : 'Table'}
        </LinkButton>
        {own.map((input) => (
          <InputField key={input.name} input={input} value={inputs[input.name] ?? ''} onChange={(chosenNow) => choose(input.name, chosenNow)} />
        ))}
        {days > 31 && own.length === 0 && (
          <Segments
            label="Time"
            value={span}
            options={spans.filter((one) => one.days === Infinity || one.days < days).map(({ value: of, label: words }) => ({ value: of, label: words }))}
            onChange={setChosen}
          />
        )}
      </header>
      {all.length === 0 ? (
        <Nothing empty={part.empty} fallback="No values yet." />
      ) : asTable ? (
        <ValueTable part={part} points={points} write={write} />
      ) : part.shape === 'line' ? (
        <LineChart {...drawn} />
      ) : part.shape === 'bars' ? (
        <BarsChart {...drawn} />
      ) : part.shape === 'progress' ? (
        <ProgressChart {...drawn} />
      ) : (
        <ColumnsChart {...drawn} />
      )}
      {note !== '' && <p className="selectable pt-1 text-small text-warn">{note}</p>}
    </div>
  );
}

/** "Value, from 1 Jun to 20 Nov: lowest €56,400, highest €70,400, at the end €69,217.05" */
function spoken(part: ChartPart, points: readonly Point[], write: Drawn['write']): string {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return part.title;
  const series = part.series.map(({ label }, at) => {
    const known = points.filter(({ values }) => values[at] != null).toSorted((a, b) => (a.values[at] ?? 0) - (b.values[at] ?? 0));
    if (known.length === 0) return `${label}: no values`;
    const end = points.findLast(({ values }) => values[at] != null);
    return `${part.series.length > 1 ? `${label}: ` : ''}lowest ${write(known[0], at)}, highest ${write(known.at(-1), at)}, at the end ${write(end, at)}`;
  });
  return `${part.title}, from ${first.x} to ${last.x}: ${series.join('; ')}`;
}

function ValueTable({ part, points, write }: Pick<Drawn, 'part' | 'points' | 'write'>) {
  return (
    <div className="mt-1 max-h-60 overflow-y-auto">
      <table aria-label={part.title} className="w-full border-collapse text-small">
        <thead>
          <tr className="text-fg-2">
            <th scope="col" className="sticky top-0 bg-surface py-1 text-left font-normal">
              {part.shape === 'line' ? 'Date' : part.title}
            </th>
            {part.series.map(({ label, field }) => (
              <th key={field} scope="col" className="sticky top-0 bg-surface py-1 text-right font-normal">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.map((point) => (
            <tr key={point.placed.key} className="border-t border-line">
              <td className="selectable py-0.5">
                {monthText(point.x)}
                {point.dashed && <span className="text-fg-3"> carried forward</span>}
              </td>
              {part.series.map(({ field, format }, at) => (
                <td key={field} className={`selectable py-0.5 text-right ${isFigureFormat(format) ? 'tabular' : ''}`}>
                  {write(point, at) || <span className="text-fg-3">unknown</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
