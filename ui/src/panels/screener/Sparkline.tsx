const WIDTH = 60;
const HEIGHT = 16;

/** Closes of six months without a scale; the label gives the change. */
export function Sparkline({ closes }: { closes: readonly number[] }) {
  const [low, high] = [Math.min(...closes), Math.max(...closes)];
  const [first = 0, last = 0] = [closes[0], closes.at(-1)];
  if (closes.length < 2) return <span className="text-fg-3">none</span>;
  const x = (at: number) => 2 + (at / (closes.length - 1)) * (WIDTH - 5);
  const y = (close: number) => HEIGHT - 2 - ((close - low) / (high - low || 1)) * (HEIGHT - 4);
  const change = first > 0 ? `${last >= first ? '+' : '−'}${Math.abs((last / first - 1) * 100).toFixed(0)} %` : 'unknown';
  return (
    <svg role="img" aria-label={`6 months: ${change}`} width={WIDTH} height={HEIGHT} className="inline-block align-middle">
      <polyline points={closes.map((close, at) => `${x(at).toFixed(1)},${y(close).toFixed(1)}`).join(' ')} fill="none" stroke="var(--c4)" strokeWidth={1.3} strokeLinejoin="round" strokeLinecap="round" />
      <circle cx={x(closes.length - 1)} cy={y(last)} r={2} fill="var(--c1)" />
    </svg>
  );
}
