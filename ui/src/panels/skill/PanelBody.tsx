// The parts of a tab in their layout, with the user's calls below.

import type { ReactNode } from 'react';

import type { PanelPart } from '../../ipc';
import { isRow, type Row } from './answer';
import { CallBars, ProblemBars } from './Bars';
import { BoardView } from './BoardView';
import { ChartView } from './ChartView';
import { usePanel, type Outcome } from './context';
import type { Layout } from './layout';
import { ListView } from './ListView';
import { NearMarks } from './ProgressChart';
import { StripChart } from './StripChart';
import { SummaryView } from './SummaryView';
import { TableView } from './TableView';
import { ToolFields } from './ToolSheet';
import type { RowProblem } from './answer';
import type { Acts } from './useActs';

interface PanelBodyProps {
  readonly layout: Layout;
  readonly acts: Acts;
  readonly problems: readonly RowProblem[];
  /** The result of the last import. */
  readonly imported: ReactNode;
}

export function PanelBody({ layout: { top, brief, rows, side, foot }, acts, problems, imported }: PanelBodyProps) {
  const { wide } = usePanel();
  return (
    <>
      {top.map((part, place) => (
        <Part key={place} part={part} onRun={acts.call} />
      ))}
      {brief.map((part, place) => (
        <NearMarks key={place} part={part} />
      ))}
      {imported}
      <div className={wide ? 'flex min-h-0 flex-1' : 'flex flex-col'}>
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <div data-scroll={wide ? '' : undefined} className={`flex min-h-0 flex-1 flex-col ${wide ? 'overflow-y-auto' : ''}`}>
            {rows.map((row, place) => (
              <PartsInRow key={place} row={row} last={place === rows.length - 1} onRun={acts.call} />
            ))}
          </div>
          <div className={`flex shrink-0 flex-col gap-1.5 empty:hidden ${wide ? 'px-5 pb-3' : 'p-3.5'}`}>
            <ProblemBars problems={problems} />
            <CallBars calls={acts.calls} elsewhere={acts.elsewhere} onEdit={acts.edit} />
          </div>
        </div>
        {side.length > 0 && (
          <aside aria-label="Beside" className={wide ? 'w-75 shrink-0 overflow-y-auto border-l border-line' : 'border-t border-line'}>
            {side.map((part, place) => (
              <Part key={place} part={part} onRun={acts.call} />
            ))}
          </aside>
        )}
      </div>
      {wide && foot.map((part, place) => <StripChart key={place} part={part} />)}
    </>
  );
}

function PartsInRow({ row, last, onRun }: { row: readonly PanelPart[]; last: boolean; onRun: Acts['call'] }) {
  const { wide } = usePanel();
  const beside = row.length > 1 && wide ? 'grid grid-cols-[minmax(0,2.45fr)_minmax(0,1fr)]' : 'flex flex-col';
  const lines = `[&>*+*]:border-line ${wide ? '[&>*+*]:border-l' : '[&>*+*]:border-t'}`;
  const look = row.length === 1 && row[0]?.kind === 'board' ? 'flex min-h-64 flex-1' : `${beside} ${last ? '' : 'border-b border-line'} ${lines}`;
  return (
    <div className={look}>
      {row.map((part, index) => (
        <Part key={index} part={part} onRun={onRun} />
      ))}
    </div>
  );
}

function Part({ part, onRun }: { part: PanelPart; onRun: Acts['call'] }) {
  switch (part.kind) {
    case 'summary':
      return <SummaryView part={part} />;
    case 'table':
      return <TableView part={part} />;
    case 'board':
      return <BoardView part={part} />;
    case 'list':
      return <ListView part={part} />;
    case 'chart':
      return <ChartView part={part} />;
    case 'form':
      return <FormView part={part} onRun={onRun} />;
    case 'calendar':
    case 'mail':
    case 'symbol':
    case 'screener':
      // Replaces the whole panel, and is rendered elsewhere.
      return null;
  }
}

function FormView({ part, onRun }: { part: Extract<PanelPart, { kind: 'form' }>; onRun: (label: string, tool: string, args: Row) => Promise<Outcome> }) {
  const title = part.title || 'Run';
  const { asked } = usePanel();
  const { tool, args } = asked(part);
  return (
    <section aria-label={title} className="p-4">
      {part.title !== '' && <h2 className="pb-2 text-ui font-semibold">{part.title}</h2>}
      <ToolFields tool={tool} args={args} action={title} onRun={(filled) => void onRun(title, tool, isRow(filled) ? filled : {})} />
    </section>
  );
}
