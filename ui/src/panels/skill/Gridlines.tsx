import { roughly } from '../../shared/amount';

interface GridlinesProps {
  readonly ticks: readonly number[];
  /** px */
  readonly width: number;
  readonly y: (value: number) => number;
  /** Formats a value. */
  readonly label?: (value: number) => string;
}

/** Grid lines of a chart, each labelled on the right. */
export function Gridlines({ ticks, width, y, label = roughly }: GridlinesProps) {
  return ticks.map((tick) => (
    <g key={tick}>
      <line x1={0} x2={width} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
      <text x={width + 8} y={y(tick) + 4} className="fill-fg-2 text-small">
        {label(tick)}
      </text>
    </g>
  ));
}
