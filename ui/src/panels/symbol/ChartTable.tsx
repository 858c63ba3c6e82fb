import { Table, type Column } from '../../shared';
import { numberText } from '../../shared/amount';
import { useSymbol } from './context';
import type { Chart } from './series';
import { lineName, pointText, timeText, tradeText, wholeDay } from './words';

/** Every day or time of the chart as a row, newest first; the alternative for screen readers. */
export function ChartTable({ chart }: { chart: Chart }) {
  const { state } = useSymbol();
  const of = chart.lines.map((line) => ({ line, byDay: new Map(line.points.map((point) => [point.day, point])) }));
  const volumes = new Map(chart.volumes.map(({ day, volume }) => [day, volume]));
  const trades = (day: string) => chart.trades.filter((one) => one.day === day).map(({ trade }) => tradeText(trade)).join(', ');
  const isOfDays = chart.zone === null;
  const columns: Column<string>[] = [
    { key: 'day', head: isOfDays ? 'Day' : 'Time', cell: (day) => <span className="selectable">{isOfDays ? wholeDay(day) : timeText(day)}</span> },
    ...of.map(
      ({ line, byDay }): Column<string> => ({
        key: lineName(line),
        head: chart.scale === 'price' && !line.isAverage ? `${lineName(line)}, ${chart.currency}` : lineName(line),
        figure: true,
        cell: (day) => <span className="selectable">{byDay.has(day) ? pointText(chart, byDay.get(day)) : <span className="text-fg-3">unknown</span>}</span>,
      }),
    ),
    ...(state.volume && volumes.size > 0
      ? [{ key: 'volume', head: 'Volume', figure: true, cell: (day: string) => <span className="selectable">{volumes.has(day) ? numberText(String(volumes.get(day))) : ''}</span> }]
      : []),
    ...(chart.trades.length > 0 ? [{ key: 'trades', head: 'Your trades', cell: trades }] : []),
  ];
  return (
    <div className="mx-5 mt-1 h-75 overflow-y-auto" data-testid="chart-table">
      <Table label={isOfDays ? 'Closes by day' : 'Prices by time'} columns={columns} rows={chart.days.toReversed()} rowKey={(day) => day} dense />
    </div>
  );
}
