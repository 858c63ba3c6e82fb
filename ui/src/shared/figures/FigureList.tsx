import type { FigureView, SourceView } from '../../ipc';
import { unitText } from '../amount';
import { Revealed } from '../Revealed';
import { figuresOf } from './behind';
import { FigureChip } from './FigureChip';

/** Maximum listed figures; the table above has the rest. */
const MOST = 6;

interface FigureListProps {
  readonly tool: string;
  readonly figures: readonly FigureView[];
  readonly sources: readonly SourceView[];
  readonly onNote: (path: string) => void;
}

/** An output's quotable figures, each with its derivation. */
export function FigureList({ tool, figures, sources, onNote }: FigureListProps) {
  if (figures.length === 0) return null;
  return (
    <dl aria-label="Figures" className="flex flex-wrap gap-x-6 gap-y-2">
      {figuresOf(tool, figures.slice(0, MOST), sources).map((figure) => (
        <div key={figure.view.at}>
          <dt className="text-small text-fg-2">
            <Revealed text={figure.view.label} />
          </dt>
          <dd className="flex items-center gap-1.5">
            <span className="selectable tabular font-semibold">
              <Revealed text={unitText(figure.view.value, figure.view.unit)} />
            </span>
            <FigureChip figure={figure} onNote={onNote} />
          </dd>
        </div>
      ))}
      {figures.length > MOST && <div className="self-end text-small text-fg-3">{figures.length - MOST} more in the result</div>}
    </dl>
  );
}
